# shellcheck shell=bash
# Messages for people; everything goes to standard error.

[[ -n ${LOG_LOADED:-} ]] && return 0
readonly LOG_LOADED=1

readonly LOG_QUIET=0 LOG_NORMAL=1
declare -ri LOG_LOUD=2
declare -A LOG_COLOURS=([info]=36 [warn]=33 [error]=31)

log_level=$LOG_NORMAL
log_count=0

log::level() {
    case $1 in
        quiet) log_level=$LOG_QUIET ;;
        loud) log_level=${LOG_LOUD} ;;
        *) log::die "no such level: $1" ;;
    esac
}

log::_write() {
    local kind=$1 text=$2
    ((log_count += 1))
    if [[ -t 2 ]]; then
        printf '\033[%sm%s\033[0m %s\n' "${LOG_COLOURS[$kind]}" "$kind" "$text" >&2
    else
        printf '%s %s\n' "$kind" "$text" >&2
    fi
}

log::info() {
    ((log_level >= LOG_LOUD)) || return 0
    log::_write info "$*"
}

function log::warn {
    log::_write warn "$*"
}

log::die() {
    log::_write error "$*"
    exit 1
}
