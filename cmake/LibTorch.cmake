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
set(SLIPWAY_LIBTORCH "" CACHE PATH "The folder torch/ of an installed or unpacked wheel torch==${SLIPWAY_TORCH_VERSION}")

set(torch_candidates ${SLIPWAY_LIBTORCH} ${slipway_cache}/torch-${SLIPWAY_TORCH_VERSION}-cuda/torch
    ${slipway_cache}/torch-${SLIPWAY_TORCH_VERSION}-cpu/torch)
set(SLIPWAY_LIBTORCH_MISSING "LibTorch ${SLIPWAY_TORCH_VERSION} was not found; packaging/setup fetches it, or give -DSLIPWAY_LIBTORCH=.../torch")
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
    target_include_directories(torch_headers SYSTEM INTERFACE ${torch_root}/include ${torch_root}/include/torch/csrc/api/include)
    add_library(torch_c10 SHARED IMPORTED)
    set_target_properties(torch_c10 PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libc10.so)
    add_library(torch_cpu SHARED IMPORTED)
    set_target_properties(torch_cpu PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libtorch_cpu.so)
    target_link_libraries(torch_cpu INTERFACE torch_headers torch_c10)
    # What libtorch_cpu.so loads of its own accord lies beside it in the wheels' layout.
    target_link_options(torch_cpu INTERFACE -Wl,--allow-shlib-undefined)
endif()

set(SLIPWAY_CUDA_MISSING "")
if(NOT SLIPWAY_WITH_CUDA STREQUAL "OFF" AND torch_root)
    include(CheckLanguage)
    check_language(CUDA)
    if(NOT CMAKE_CUDA_COMPILER)
        set(SLIPWAY_CUDA_MISSING "nvcc was not found")
    elseif(NOT EXISTS ${torch_root}/lib/libtorch_cuda.so)
        set(SLIPWAY_CUDA_MISSING "this LibTorch is for the CPU only; packaging/setup --cuda fetches the other")
    else()
        find_package(CUDAToolkit QUIET)
        file(GLOB torch_cudart ${torch_root}/../nvidia/*/lib/libcudart.so.${CUDAToolkit_VERSION_MAJOR})
        if(NOT torch_cudart)
            set(SLIPWAY_CUDA_MISSING "nvcc is of CUDA ${CUDAToolkit_VERSION}, and no library of that version lies beside LibTorch")
        endif()
        set(SLIPWAY_CUDA_DETAIL "(${CMAKE_CUDA_COMPILER})")
    endif()
    if(torch_cudart)
        # The runtime library of the wheel, not the toolkit's, so that one copy is loaded.
        add_library(torch_cudart SHARED IMPORTED)
        set_target_properties(torch_cudart PROPERTIES IMPORTED_LOCATION ${torch_cudart})
        target_include_directories(torch_cudart SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
        add_library(torch_c10_cuda SHARED IMPORTED)
        set_target_properties(torch_c10_cuda PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libc10_cuda.so)
        add_library(torch_cuda SHARED IMPORTED)
        set_target_properties(torch_cuda PROPERTIES IMPORTED_LOCATION ${torch_root}/lib/libtorch_cuda.so)
        target_link_libraries(torch_cuda INTERFACE torch_cpu torch_c10_cuda torch_cudart)
        # It registers itself when it is loaded: no symbol of it is named, so the linker would drop it.
        target_link_options(torch_cuda INTERFACE -Wl,--no-as-needed)
    endif()
endif()
