# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# What setup, test and quickstart share: what is installed, where LibTorch comes from, how it is built. Sourced.
# Everything here may be started again at any time: it does only what is left to do.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/slipway
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
    [ -r /etc/os-release ] && (. /etc/os-release; case "${ID:-} ${VERSION_ID:-}" in "debian 12" | "ubuntu 24.04") ;; *) exit 1 ;; esac)
}

install_packages() {
    local -a missing as_root=()
    if ! known_system; then
        printf '%s\n' "   This is neither Debian 12 nor Ubuntu 24.04. Slipway needs what these packages of Debian hold:" \
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
    quietly apt-install.log "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

# --- LibTorch ---------------------------------------------------------------------------------------------------------

has_gpu() { command -v nvcc >/dev/null && command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# The wheels go through pip, so that a user's own settings for it hold. Unpacked aside and renamed: never half there.
fetch_libtorch() {  # fetch_libtorch cpu|cuda
    local kind=$1 target=$cache/torch-$torch_version-$1
    if [ -e "$target/torch/lib/libtorch_cpu.so" ]; then printf '   %s\n' "$target"; return; fi
    [ "$(uname -m)" = x86_64 ] || die "LibTorch's wheel is taken for x86_64 only; this is $(uname -m)"
    mkdir -p "$cache"
    local aside; aside=$(mktemp -d "$cache/unpacking.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf '$aside'" EXIT
    mkdir -p "$root/build/logs" "$aside/wheels" "$aside/tree"
    if [ "$kind" = cuda ]; then
        printf '   downloading LibTorch %s with CUDA: about 2.5 GB, 4.7 GB unpacked\n' "$torch_version"
        quietly libtorch.log python3 -m pip install --target "$aside/tree" --no-cache-dir --only-binary=:all: "torch==$torch_version"
    else
        printf '   downloading LibTorch %s: 540 MB, of which 500 MB are kept (1 GB where nvcc is)\n' "$torch_version"
        quietly libtorch.log python3 -m pip download --no-deps --no-cache-dir --only-binary=:all: --require-hashes \
            -r "$root/packaging/libtorch.txt" -d "$aside/wheels"
        unzip -q "$aside"/wheels/torch-*.whl 'torch/include/*' torch/lib/libtorch.so torch/lib/libtorch_cpu.so \
            torch/lib/libc10.so torch/lib/libgomp.so.1 -d "$aside/tree"
        # With nvcc the program for GPUs is linked as well, though it cannot start here: these two are in the same wheel, and
        # the linker asks for nothing that they load in turn (some 4 GB).
        if command -v nvcc >/dev/null; then
            unzip -q "$aside"/wheels/torch-*.whl torch/lib/libtorch_cuda.so torch/lib/libc10_cuda.so -d "$aside/tree"
        fi
        unzip -q "$aside"/wheels/nvidia_cuda_runtime-*.whl nvidia/cu13/lib/libcudart.so.13 -d "$aside/tree"
        unzip -q "$aside"/wheels/nvidia_cuda_cupti-*.whl nvidia/cu13/lib/libcupti.so.13 -d "$aside/tree"
    fi
    rm -rf "$target"
    mv "$aside/tree" "$target"
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

# One line in place on a terminal; a line every half minute elsewhere.
build() {
    local log=$root/build/logs/build.log shown=0 line
    NINJA_STATUS='[%f/%t] ' cmake --build "$root/build" -j "$(jobs_here)" 2>&1 | tee "$log" | while IFS= read -r line; do
        case $line in "["*) ;; *) continue ;; esac
        if [ -t 1 ]; then printf '\r\033[K   %.100s' "$line"
        elif ((SECONDS - shown >= 30)); then printf '   %.100s\n' "$line"; shown=$SECONDS; fi
    done || { printf '\n'; grep -vE '^\[[0-9]+/[0-9]+\] ' "$log" | tail -n 80 >&2; die "the build failed; all of its output is in $log"; }
    if [ -t 1 ]; then printf '\r\033[K'; fi
    printf '   programs in build/bin: %s\n' "$(cd "$root/build/bin" 2>/dev/null && echo *)"
}
