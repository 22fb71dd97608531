# shellcheck shell=bash
# A store on another machine.

SSH_OPTIONS=(-o BatchMode=yes)
remote_host=

split_url() {
    local rest=${1#ssh://}
    remote_host=${rest%%/*}
    printf '/%s\n' "${rest#*/}"
}

remote_push() {
    local file=$1 path
    path=$(split_url "$2")
    scp "${SSH_OPTIONS[@]}" "$file" "$remote_host:$path/"
}

remote_list() {
    local path
    path=$(split_url "$1")
    ssh "${SSH_OPTIONS[@]}" "$remote_host" ls -1t "$path"
}

remote_drop() {
    ssh "$remote_host" rm -- "$(split_url "$1")/$2"
}
