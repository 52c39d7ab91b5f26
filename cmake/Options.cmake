# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# Each part is AUTO (built when what it needs is there), ON (an error when not) or OFF.

set(SLIPWAY_WITH_TRAINER AUTO CACHE STRING "slipway-train: needs LibTorch (AUTO, ON, OFF)")
set(SLIPWAY_WITH_CUDA AUTO CACHE STRING "the trainer on GPUs: needs nvcc and a CUDA LibTorch (AUTO, ON, OFF)")
set(SLIPWAY_WITH_DESKTOP AUTO CACHE STRING "the desktop: needs Qt 6 and Qt Charts (AUTO, ON, OFF)")
option(SLIPWAY_WERROR "Warnings are errors" OFF)
option(SLIPWAY_FUZZ "The programs of tests/fuzz are fuzzers: needs clang, see packaging/fuzz" OFF)
set(SLIPWAY_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined or thread")
set_property(CACHE SLIPWAY_WITH_TRAINER SLIPWAY_WITH_CUDA SLIPWAY_WITH_DESKTOP PROPERTY STRINGS AUTO ON OFF)

# Eight files of a target are compiled as one, in a third of the time: most of it is for headers and templates that all of
# them use. So no two files of a target may give one name to different things, not even in anonymous namespaces.
set(CMAKE_UNITY_BUILD ON CACHE BOOL "Compile the files of a target in batches")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    # Without these ccache compiles everything anew that uses a precompiled header (its manual, "Precompiled headers").
    set(CMAKE_CXX_COMPILER_LAUNCHER
        env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${CCACHE_PROGRAM}
    )
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# slipway_part(<VARIABLE> <WITH> <what is missing, empty where nothing>): the decision AUTO, ON or OFF leads to.
function(slipway_part variable with missing)
    if(with STREQUAL "OFF")
        set(${variable} OFF PARENT_SCOPE)
        set(${variable}_WHY "switched off" PARENT_SCOPE)
    elseif(missing)
        if(with STREQUAL "ON")
            message(FATAL_ERROR "${variable} was asked for, but ${missing}")
        endif()
        set(${variable} OFF PARENT_SCOPE)
        set(${variable}_WHY "${missing}" PARENT_SCOPE)
    else()
        set(${variable} ON PARENT_SCOPE)
        set(${variable}_WHY "" PARENT_SCOPE)
    endif()
endfunction()

find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)

include(LibTorch)
slipway_part(SLIPWAY_TRAINER "${SLIPWAY_WITH_TRAINER}" "${SLIPWAY_LIBTORCH_MISSING}")
if(SLIPWAY_TRAINER)
    slipway_part(SLIPWAY_CUDA "${SLIPWAY_WITH_CUDA}" "${SLIPWAY_CUDA_MISSING}")
else()
    set(SLIPWAY_CUDA OFF)
    set(SLIPWAY_CUDA_WHY "no trainer is built")
endif()

set(qt_missing "")
if(NOT SLIPWAY_WITH_DESKTOP STREQUAL "OFF")
    find_package(
        Qt6
        6.4
        QUIET
        COMPONENTS Core Gui Widgets Charts Network Svg LinguistTools
    )
    if(NOT Qt6_FOUND)
        set(qt_packages "qt6-base-dev, qt6-charts-dev, qt6-svg-dev, qt6-tools-dev, qt6-l10n-tools")
        set(qt_missing "Qt 6.4 with Widgets, Charts, SVG and LinguistTools was not found (${qt_packages})")
    endif()
endif()
slipway_part(SLIPWAY_DESKTOP "${SLIPWAY_WITH_DESKTOP}" "${qt_missing}")

function(slipway_print_summary)
    message(STATUS "Slipway ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}")
    foreach(part TRAINER CUDA DESKTOP)
        if(SLIPWAY_${part})
            message(STATUS "  ${part}: yes ${SLIPWAY_${part}_DETAIL}")
        else()
            message(STATUS "  ${part}: no, ${SLIPWAY_${part}_WHY}")
        endif()
    endforeach()
endfunction()
