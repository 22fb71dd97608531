# shellcheck shell=bash
# A store in a folder of this machine.

ensure_dir() {
    [[ -d $1 ]] || mkdir -p -- "$1"
}

remote_push() {
    ensure_dir "$2" && cp -- "$1" "$2/"
}

remote_list() {
    ensure_dir "$1"
    ls -1t -- "$1"
}

remote_drop() {
    rm -- "$1/$2"
}
