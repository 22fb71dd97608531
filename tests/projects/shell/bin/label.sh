#!/bin/sh
# Prints a price in cents as a label.
cents=$1
unused=1
if [ $cents = 0 ]; then
  echo free
  exit 0
fi
for file in `ls *.txt`; do
  echo "$file"
done
printf '%d.%02d\n' $((cents / 100)) $((cents % 100))
