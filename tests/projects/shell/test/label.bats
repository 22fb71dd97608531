#!/usr/bin/env bats

@test "a price has two digits" {
  run ./bin/label.sh 150
  [ "$output" = "1.50" ]
}

@test "nothing is free" {
  run ./bin/label.sh 0
  [ "$output" = "free" ]
}

@test "prices are added up" {
  printf '1\n2\n' > "$BATS_TEST_TMPDIR/prices"
  run ./bin/total.sh "$BATS_TEST_TMPDIR/prices"
  [ "$output" = "3" ]
}

@test "thousands are grouped" {
  skip "not settled"
}
