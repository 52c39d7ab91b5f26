# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# LibTorch as imported targets, out of the files of the PyPI wheel: find_package(Torch) would need a CUDA toolkit, run
# Python and override the architectures. Targets: torch_headers, torch_cpu and, with CUDA, torch_cuda.
#
# Looked for in SLIPWAY_LIBTORCH, else in the folder that packaging/setup fills.

if(DEFINED ENV{XDG_CACHE_HOME})
    set(slipway_cache $ENV{XDG_CACHE_HOME}/slipway)
else()
    set(slipway_cache $ENV{HOME}/.cache/slipway)
endif()
set(SLIPWAY_TORCH_VERSION 2.11.0)
set(SLIPWAY_LIBTORCH
    ""
    CACHE PATH
    "The folder torch/ of an installed or unpacked wheel torch==${SLIPWAY_TORCH_VERSION}"
)

set(torch_candidates
    ${SLIPWAY_LIBTORCH}
    ${slipway_cache}/torch-${SLIPWAY_TORCH_VERSION}-cuda/torch
    ${slipway_cache}/torch-${SLIPWAY_TORCH_VERSION}-cpu/torch
)
set(SLIPWAY_LIBTORCH_MISSING
    "LibTorch ${SLIPWAY_TORCH_VERSION} was not found; packaging/setup fetches it, or give -DSLIPWAY_LIBTORCH=.../torch"
)
foreach(candidate ${torch_candidates})
    if(EXISTS ${candidate}/lib/libtorch_cpu.so AND EXISTS ${candidate}/include/ATen/ATen.h)
        set(SLIPWAY_LIBTORCH_MISSING "")
        set(torch_root ${candidate})
        break()
    endif()
endforeach()

if(torch_root)
    set(SLIPWAY_TRAINER_DETAIL "(LibTorch in ${torch_root})")
    add_library(torch_headers INTERFACE)
    # SYSTEM: their warnings are not ours. The wheel's own fmt is kept out of files that see no torch by this target.
    target_include_directories(
        torch_headers
        SYSTEM
        INTERFACE ${torch_root}/include ${torch_root}/include/torch/csrc/api/include
    )
    add_library(torch_c10 SHARED IMPORTED)
    set_target_properties(torch_c10 PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libc10.so)
    add_library(torch_cpu SHARED IMPORTED)
    set_target_properties(torch_cpu PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libtorch_cpu.so)
    target_link_libraries(torch_cpu INTERFACE torch_headers torch_c10)
    # What libtorch_cpu.so loads of its own accord lies beside it in the wheels' layout.
    target_link_options(torch_cpu INTERFACE -Wl,--allow-shlib-undefined)
endif()

# For GPUs, as far as what is here reaches:
#   SLIPWAY_CUDA_COMPILES  nvcc is there: our CUDA sources are compiled
#   SLIPWAY_CUDA_LINKS     libtorch_cuda.so as well: slipway-train-cuda is linked, so that no symbol is missing
#   SLIPWAY_CUDA           and NVIDIA's libraries, which it loads: slipway-train itself is for GPUs
set(SLIPWAY_CUDA_COMPILES OFF)
set(SLIPWAY_CUDA_LINKS OFF)
set(SLIPWAY_CUDA_MISSING "")
if(NOT SLIPWAY_WITH_CUDA STREQUAL "OFF" AND torch_root)
    include(CheckLanguage)
    check_language(CUDA)
    if(NOT CMAKE_CUDA_COMPILER)
        set(SLIPWAY_CUDA_MISSING "nvcc was not found")
    else()
        set(SLIPWAY_CUDA_COMPILES ON)
        set(SLIPWAY_CUDA_DETAIL "(${CMAKE_CUDA_COMPILER})")
        find_package(CUDAToolkit QUIET)
        add_library(torch_cuda_headers INTERFACE)
        target_include_directories(torch_cuda_headers SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
        target_link_libraries(torch_cuda_headers INTERFACE torch_headers)
        find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${torch_root}/../nvidia/nccl/include ${CUDAToolkit_INCLUDE_DIRS})
        add_library(torch_nccl_headers INTERFACE)
        target_include_directories(torch_nccl_headers SYSTEM INTERFACE ${NCCL_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
        file(GLOB torch_cudart ${torch_root}/../nvidia/*/lib/libcudart.so.${CUDAToolkit_VERSION_MAJOR})
        file(GLOB torch_cublas ${torch_root}/../nvidia/*/lib/libcublas.so.*)
        if(NOT torch_cudart)
            set(SLIPWAY_CUDA_MISSING
                "nvcc is of CUDA ${CUDAToolkit_VERSION}, and no library of that version lies beside LibTorch"
            )
        elseif(NOT EXISTS ${torch_root}/lib/libtorch_cuda.so OR NOT EXISTS ${torch_root}/lib/libc10_cuda.so)
            set(SLIPWAY_CUDA_MISSING "this LibTorch is for the CPU only; packaging/setup --cuda fetches the other")
        else()
            set(SLIPWAY_CUDA_LINKS ON)
            if(NOT torch_cublas)
                set(SLIPWAY_CUDA_MISSING
                    "NVIDIA's libraries do not lie beside this LibTorch; packaging/setup --cuda fetches them"
                )
            endif()
        endif()
    endif()
    if(SLIPWAY_CUDA_LINKS)
        # The runtime library of the wheel, not the toolkit's, so that one copy is loaded.
        add_library(torch_cudart SHARED IMPORTED)
        set_target_properties(torch_cudart PROPERTIES IMPORTED_LOCATION ${torch_cudart})
        add_library(torch_c10_cuda SHARED IMPORTED)
        set_target_properties(torch_c10_cuda PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libc10_cuda.so)
        add_library(torch_cuda SHARED IMPORTED)
        set_target_properties(torch_cuda PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libtorch_cuda.so)
        target_link_libraries(torch_cuda INTERFACE torch_cpu torch_c10_cuda torch_cudart)
        # It registers itself when it is loaded: no symbol of it is named, so the linker would drop it.
        target_link_options(torch_cuda INTERFACE -Wl,--no-as-needed)
    endif()
endif()
