# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# What setup, test and quickstart share: what is installed, where LibTorch comes from, how it is built. Sourced.
# Everything here may be started again at any time: it does only what is left to do.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ -z "${XDG_CACHE_HOME:-}${HOME:-}" ]; then
    echo "error: neither XDG_CACHE_HOME nor HOME is set, so there is no folder for downloads" >&2
    exit 3
fi
cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/slipway
torch_version=2.11.0
# Another clone of the same source compiles nothing again either: its paths do not count.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

die() { printf 'error: %s\n' "$*" >&2; exit 3; }

# phase NAME COMMAND...: runs it under a heading and says how long it took.
phase() {
    local name=$1 before=$SECONDS; shift
    printf '== %s\n' "$name"
    "$@"
    printf '   %s: %d s\n' "$name" $((SECONDS - before))
}

# quietly LOG COMMAND...: output into build/logs/LOG, shown only where the command fails.
quietly() {
    local log=$root/build/logs/$1; shift
    mkdir -p "$root/build/logs"
    "$@" >"$log" 2>&1 || { tail -n 60 "$log" >&2; die "'$*' failed; all of its output is in $log"; }
}

# --- Debian packages --------------------------------------------------------------------------------------------------

packages_for() {  # packages_for GROUP...: names out of packages.txt
    local group
    for group in "$@"; do awk -v group="$group" '$1 == group { print $2 }' "$root/packaging/packages.txt"; done
}

missing_packages() {
    local name
    for name in $(packages_for "$@"); do
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q '^install ok installed' || echo "$name"
    done
}

known_system() {
    # shellcheck source=/dev/null
    [ -r /etc/os-release ] && (
        . /etc/os-release
        case "${ID:-} ${VERSION_ID:-}" in "debian 12" | "ubuntu 24.04") ;; *) exit 1 ;; esac
    )
}

install_packages() {
    local -a missing as_root=()
    if ! known_system; then
        printf '%s\n' \
            "   This is neither Debian 12 nor Ubuntu 24.04 (untried). Slipway needs what these packages of Debian hold:" \
            "   $(packages_for "$@" | tr '\n' ' ')" "   Going on with what is here."
        return
    fi
    mapfile -t missing < <(missing_packages "$@")
    if [ ${#missing[@]} -eq 0 ]; then printf '   all there\n'; return; fi
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "these packages are missing and need root or sudo: ${missing[*]}"
        as_root=(sudo)
    fi
    printf '   installing: %s\n' "${missing[*]}"
    quietly apt-update.log "${as_root[@]}" apt-get update
    quietly apt-install.log "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}"
}

# --- LibTorch ---------------------------------------------------------------------------------------------------------

has_gpu() {
    command -v nvcc >/dev/null && command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'
}

# What is taken out of a wheel of packaging/libtorch.txt for the CPU. With nvcc the program for GPUs is linked as well,
# though it cannot start here: the linker asks for two more files of the same wheel, and for nothing that they load in
# turn (some 4 GB).
files_of_wheel() {
    case $1 in
        torch)
            printf '%s\n' torch/include/ATen/ATen.h \
                torch/lib/{libtorch.so,libtorch_cpu.so,libc10.so,libgomp.so.1}
            if command -v nvcc >/dev/null; then printf '%s\n' torch/lib/libtorch_cuda.so torch/lib/libc10_cuda.so; fi ;;
        nvidia-cuda-runtime) echo nvidia/cu13/lib/libcudart.so.13 ;;
        nvidia-cuda-cupti) echo nvidia/cu13/lib/libcupti.so.13 ;;
    esac
}

missing_of_wheel() {  # missing_of_wheel WHEEL FOLDER
    local file
    for file in $(files_of_wheel "$1"); do [ -e "$2/$file" ] || echo "$file"; done
}

# fetch_from_wheel WHEEL ASIDE FILE...: downloads it, checks its hash, and unpacks these files of it into ASIDE/tree.
fetch_from_wheel() {
    local wheel=$1 aside=$2 file; shift 2
    awk -v wheel="$wheel" '/^[a-z]/ { on = index($1, wheel "==") == 1 } on' "$root/packaging/libtorch.txt" \
        >"$aside/wanted.txt"
    quietly "libtorch-$wheel.log" python3 -I -m pip download --no-deps --no-cache-dir --only-binary=:all: \
        --require-hashes -r "$aside/wanted.txt" -d "$aside/wheels"
    for file in "$@"; do
        case $file in torch/include/*) file='torch/include/*' ;; esac
        unzip -q -o "$aside/wheels/${wheel//-/_}"-*.whl "$file" -d "$aside/tree"
    done
}

# The wheels go through pip, so that a user's own settings for it hold. Unpacked aside and moved into place when they
# are whole; what is there already stays, and of a folder that an older setup filled only what it lacks is fetched.
fetch_libtorch() {  # fetch_libtorch cpu|cuda
    local kind=$1 target=$cache/torch-$torch_version-$1 wheel aside
    local -a wheels=() missing=()
    if [ "$kind" = cuda ] && [ -e "$target/torch/lib/libtorch_cuda.so" ]; then printf '   %s\n' "$target"; return; fi
    if [ "$kind" = cpu ]; then
        for wheel in torch nvidia-cuda-runtime nvidia-cuda-cupti; do
            [ -z "$(missing_of_wheel "$wheel" "$target")" ] || wheels+=("$wheel")
        done
        if [ ${#wheels[@]} -eq 0 ]; then printf '   %s\n' "$target"; return; fi
    fi
    [ "$(uname -m)" = x86_64 ] || die "LibTorch's wheel is taken for x86_64 only; this is $(uname -m)"
    mkdir -p "$cache"
    aside=$(mktemp -d "$cache/unpacking.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf '$aside'" EXIT
    mkdir -p "$root/build/logs" "$aside/wheels" "$aside/tree"
    if [ "$kind" = cuda ]; then
        printf '   downloading LibTorch %s with CUDA: about 2.5 GB, 4.7 GB unpacked\n' "$torch_version"
        quietly libtorch.log python3 -I -m pip install --target "$aside/tree" --no-cache-dir --only-binary=:all: \
            --no-deps --require-hashes -r "$root/packaging/libtorch-cuda.txt"
        rm -rf "$target"
        mv "$aside/tree" "$target"
    else
        for wheel in "${wheels[@]}"; do
            mapfile -t missing < <(missing_of_wheel "$wheel" "$target")
            printf '   downloading the wheel %s for %s\n' "$wheel" "${missing[*]##*/}"
            fetch_from_wheel "$wheel" "$aside" "${missing[@]}"
        done
        if [ -e "$target" ]; then cp -rlf "$aside/tree/." "$target/"; else mv "$aside/tree" "$target"; fi
    fi
    rm -rf "$aside"
    trap - EXIT
    printf '   %s\n' "$target"
}

# --- Build ------------------------------------------------------------------------------------------------------------

jobs_here() {  # a file that includes LibTorch takes up to 2 GB to compile
    local cores memory_kb
    cores=$(nproc)
    memory_kb=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
    local fit=$((memory_kb / 2000000))
    echo $((fit < 1 ? 1 : fit < cores ? fit : cores))
}

configure() {
    quietly configure.log cmake --preset release -S "$root" "$@"
    grep -E '^--   (TRAINER|CUDA|DESKTOP): ' "$root/build/logs/configure.log" | sed 's/^--//'
}

# build [TARGET...]: one line in place on a terminal; a line every half minute elsewhere.
build() {
    local log=$root/build/logs/build.log shown=0 line
    local -a targets=()
    if [ $# -gt 0 ]; then targets=(--target "$@"); fi
    NINJA_STATUS='[%f/%t] ' cmake --build "$root/build" -j "$(jobs_here)" "${targets[@]}" 2>&1 | tee "$log" \
        | while IFS= read -r line; do
        case $line in "["*) ;; *) continue ;; esac
        if [ -t 1 ]; then printf '\r\033[K   %.100s' "$line"
        elif ((SECONDS - shown >= 30)); then printf '   %.100s\n' "$line"; shown=$SECONDS; fi
    done || {
        printf '\n'
        grep -vE '^\[[0-9]+/[0-9]+\] ' "$log" | tail -n 80 >&2
        die "the build failed; all of its output is in $log"
    }
    if [ -t 1 ]; then printf '\r\033[K'; fi
    printf '   programs in build/bin: %s\n' "$(cd "$root/build/bin" 2>/dev/null && echo *)"
}
