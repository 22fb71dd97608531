#!/bin/bash
sum=0
cat "$1" | while read line; do
  sum=$((sum + line))
done
echo $sum
