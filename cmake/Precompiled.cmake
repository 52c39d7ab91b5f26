# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# Precompiled headers: what most files of a tree include, compiled once. Parsing them is a third to a half of the time
# that a file takes. No file may rely on them: each includes what it needs, and packaging/lint reads the files without.
# <nlohmann/json.hpp> is left out: GCC would instantiate its parser again in every file, which takes one second.
#
# Clang refuses a header that was made with other options than the file's, such as another level of optimisation. Its
# builds for sanitizers and fuzzers have one level for all files.

set(precompiled_standard
    <algorithm>
    <array>
    <chrono>
    <cmath>
    <filesystem>
    <fstream>
    <functional>
    <map>
    <memory>
    <optional>
    <sstream>
    <string>
    <thread>
    <vector>
)
# -fpch-preprocess tells ccache what a precompiled header holds. -fPIC, which Qt asks for, also for programs: a header
# that was made for -fPIE does not serve a library.
set(precompiled_options
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>"
    $<$<COMPILE_LANGUAGE:CXX>:-fPIC>
)

# Since version 13, GCC refuses a header where -O2 has set these and the file's -O1 has not (slipway_runs_once).
if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(
        APPEND precompiled_options
        "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-munroll-only-small-loops>"
        "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-mvzeroupper>"
    )
endif()

# slipway_precompiled(<name> [OPTIONS ...] LINK ... HEADERS ...): a precompiled header that other targets take.
function(slipway_precompiled name)
    cmake_parse_arguments(arg "" "" "OPTIONS;LINK;HEADERS" ${ARGN})
    add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/precompiled.cpp)
    target_link_libraries(${name} PRIVATE slipway_flags ${arg_LINK})
    target_compile_options(${name} PRIVATE ${precompiled_options} ${arg_OPTIONS})
    target_precompile_headers(${name} PRIVATE ${precompiled_standard} ${arg_HEADERS})
endfunction()

# slipway_precompile(<target> <name>): the target's files begin with the precompiled header. A macro that was defined
# for the header must be defined for them, too.
function(slipway_precompile target name)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT SLIPWAY_SANITIZE)
        return()
    endif()
    target_compile_options(${target} PRIVATE ${precompiled_options})
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
    target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()
