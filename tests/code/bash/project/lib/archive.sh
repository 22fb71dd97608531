# shellcheck shell=bash

. "${BASH_SOURCE%/*}/config.sh"

readonly ARCHIVE_SUFFIX=.tar
readonly -a ARCHIVE_SKIP=(.cache node_modules)
archive_dir=
archive_made=0

archive_open() {
    archive_dir=$(mktemp -d)
    trap cleanup EXIT
}

cleanup() {
    [[ -n $archive_dir ]] && rm -rf -- "$archive_dir"
}

archive_name() {
    local label=$1 stamp
    stamp=$(date +%Y%m%d)
    printf '%s-%s%s\n' "$label" "$stamp" "$ARCHIVE_SUFFIX"
}

compressor() {
    case $(config_get compress) in
        zstd) echo "zstd -q" ;;
        none) echo cat ;;
        *) echo gzip ;;
    esac
}

archive_make() {
    local dir=$1 out skip
    local -a flags=()

    add_flag() {
        flags+=("--exclude=$1")
    }

    for skip in "${ARCHIVE_SKIP[@]}"; do
        add_flag "$skip"
    done
    out=$archive_dir/$(archive_name "$(basename "$dir")")
    tar -C "$dir" "${flags[@]}" -cf - . | $(compressor) >"$out" || log::die "cannot pack $dir"
    archive_made=$((archive_made + 1))
    echo "$out"
}

# Packs a folder, and then every folder that it links to.
archive_tree() {
    local dir=$1 depth=${2:-0} link
    ((depth > 4)) && return
    archive_make "$dir"
    while read -r link; do
        archive_tree "$link" $((depth + 1))
    done < <(find "$dir" -maxdepth 1 -type l -exec readlink -f {} +)
}
