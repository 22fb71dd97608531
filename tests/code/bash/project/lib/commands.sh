# shellcheck shell=bash

source "$BACKPACK_LIB/archive.sh"
source "${BACKPACK_LIB}/log.sh"

dry_run=false
COMMANDS=(pack list prune help)

ensure() {
    local name
    for name in "$@"; do
        command -v "$name" >/dev/null || log::die "$name is needed"
    done
}

load_remote() {
    local target
    target=$(config_get target)
    if [[ $target == ssh://* ]]; then
        source "$BACKPACK_LIB/remote/ssh.sh"
    else
        source "$BACKPACK_LIB/remote/dir.sh"
    fi
    echo "$target"
}

with_target() {
    local action=$1 target
    shift
    target=$(config_get target)
    "$action" "$target" "$@"
}

cmd_pack() {
    local dir packed
    ensure tar gzip
    archive_open
    for dir in "$@"; do
        packed=$(archive_tree "$dir")
        $dry_run || remote_push "$packed" "$(config_get target)"
    done
}

cmd_list() {
    with_target remote_list
}

cmd_prune() {
    local keep name
    keep=$(config_get keep 7)
    cmd_list | tail -n "+$((keep + 1))" | while read -r name; do
        if $dry_run; then
            log::info "would drop $name"
        else
            with_target remote_drop "$name"
        fi
    done
}

cmd_help() {
    cat <<EOT
usage: backpack [-n] [-v] COMMAND
Commands: ${COMMANDS[*]}
Settings: $(config_keys | tr '\n' ' ')
EOT
}
