#!/usr/bin/env bash
# Run from anywhere: every function named test_* is a test.

TEST_ROOT=$(cd "${BASH_SOURCE%/*}/.." && pwd)
failed=0

source "$TEST_ROOT/lib/archive.sh"
. "$TEST_ROOT"/lib/remote/dir.sh

assert_equal() {
    [[ $1 == "$2" ]] && return
    echo "expected '$1', got '$2'" >&2
    failed=1
}

test_trim() {
    assert_equal 'a b' "$(trim '  a b ')"
}

test_defaults() {
    config_defaults
    assert_equal 7 "$(config_get keep)"
}

test_name_has_the_label() {
    local config=photos
    assert_equal photos "$(archive_name "$config" | cut -d- -f1)"
}

test_push_copies() {
    local store
    store=$(mktemp -d)
    remote_push "$0" "$store"
    assert_equal 1 "$(remote_list "$store" | wc -l)"
}

main() {
    local name
    for name in $(compgen -A function test_); do
        "$name"
    done
    exit "$failed"
}

main
