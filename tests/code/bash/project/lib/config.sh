# shellcheck shell=bash

# shellcheck source=lib/log.sh
source "$(dirname "${BASH_SOURCE[0]}")/log.sh"

CONFIG_NAME=backpack.conf
export BACKPACK_HOME="${BACKPACK_HOME:-$HOME/.backpack}"
declare -A config=()
declare -a config_paths=("$BACKPACK_HOME/$CONFIG_NAME" "/etc/$CONFIG_NAME")

trim() {
    local text=$1
    text=${text#"${text%%[![:space:]]*}"}
    printf '%s' "${text%"${text##*[![:space:]]}"}"
}

config_defaults() {
    config[keep]=7
    config[target]="$BACKPACK_HOME/store"
    config[compress]=gzip
}

# Reads `name = value` lines; unknown names are kept.
config_read() {
    local path=$1 line name
    while IFS= read -r line; do
        [[ $line == \#* || $line != *=* ]] && continue
        name=$(trim "${line%%=*}")
        config[$name]=$(trim "${line#*=}")
    done <"$path"
}

config_load() {
    local path
    config_defaults
    for path in "$@" "${config_paths[@]}"; do
        if [[ -r $path ]]; then
            config_read "$path" && log::info "read $path"
            return
        fi
    done
    log::warn "no $CONFIG_NAME found"
}

config_get() { printf '%s\n' "${config[$1]-${2-}}"; }

config_keys() (
    IFS=$'\n'
    sort <<<"${!config[*]}"
)
