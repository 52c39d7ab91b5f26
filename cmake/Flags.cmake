# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# The one target that carries the language level, warnings and definitions; every target of the project links it.

add_library(slipway_flags INTERFACE)
target_compile_features(slipway_flags INTERFACE cxx_std_20)
# What -O3 adds to -O2 is only felt in the loops of trainer/cpu_ops, which ask for it.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
set(cxx_only $<COMPILE_LANGUAGE:CXX>)
target_compile_options(
    slipway_flags
    INTERFACE
        $<${cxx_only}:-Wall
        -Wextra
        -Wpedantic
        -Wshadow
        -Wnon-virtual-dtor
        -Wold-style-cast
        -Wcast-qual
        -Woverloaded-virtual>
        # Designated initialisers leave the rest at its default: that is what they are for.
        $<${cxx_only}:-Wno-missing-field-initializers>
)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms about std::string's operator+ (GCC bug 105651) and about what an empty std::optional or variant
    # holds. The last two come from libstdc++ itself: a precompiled header does not keep what is a system header.
    target_compile_options(
        slipway_flags
        INTERFACE
            $<${cxx_only}:-Wno-restrict
            -Wno-maybe-uninitialized
            -Wno-array-bounds
            -Wno-stringop-overflow
            -Wno-stringop-overread>
    )
endif()
if(SLIPWAY_WERROR)
    target_compile_options(slipway_flags INTERFACE $<${cxx_only}:-Werror>)
endif()
target_compile_definitions(
    slipway_flags
    INTERFACE
        QT_NO_CAST_FROM_ASCII
        QT_NO_CAST_TO_ASCII
        QT_NO_CAST_FROM_BYTEARRAY
        QT_NO_FOREACH
        QT_NO_KEYWORDS
        QT_USE_QSTRINGBUILDER
        QT_NO_NARROWING_CONVERSIONS_IN_CONNECT
)
# What Debian's packages are hardened with (dpkg-buildflags hardening=+all). _FORTIFY_SOURCE needs optimisation, and
# the sanitizers replace what it checks.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
target_compile_options(
    slipway_flags
    INTERFACE $<${cxx_only}:-fstack-protector-strong -fstack-clash-protection -fcf-protection>
)
target_link_options(slipway_flags INTERFACE -Wl,-z,relro,-z,now $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
if(NOT SLIPWAY_SANITIZE)
    target_compile_options(
        slipway_flags
        INTERFACE $<$<AND:${cxx_only},$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>
    )
endif()
if(SLIPWAY_SANITIZE)
    set(sanitizer_flags -fsanitize=${SLIPWAY_SANITIZE} -fno-omit-frame-pointer)
    if(SLIPWAY_FUZZ) # libFuzzer's coverage; and a double that an integer cannot hold is found as well
        list(APPEND sanitizer_flags -fsanitize=fuzzer-no-link,float-cast-overflow)
    endif()
    target_compile_options(
        slipway_flags
        INTERFACE ${sanitizer_flags} -fno-sanitize-recover=all $<$<BOOL:${SLIPWAY_FUZZ}>:-UNDEBUG>
    )
    target_link_options(slipway_flags INTERFACE ${sanitizer_flags})
endif()

# slipway_library(<name> ROOT ... SOURCES ... LINK ...): a static part. Headers are included as "folder/header.h" from
# the top folder of its tree, so that the folder names the part. Its files begin with the precompiled header that the
# variable slipway_headers names; each tree sets its own.
function(slipway_library name)
    cmake_parse_arguments(arg "" "ROOT" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
    add_library(${name} STATIC ${arg_SOURCES})
    target_include_directories(${name} PUBLIC ${arg_ROOT})
    target_link_libraries(${name} PUBLIC slipway_flags ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
    if(slipway_headers)
        slipway_precompile(${name} ${slipway_headers})
    endif()
endfunction()

# slipway_runs_once(<target>): parsing of a command line, forms, reports and the like, where what the libraries do takes
# the time. Optimising CLI11's templates beyond -O1 took half of the compile time of these files.
function(slipway_runs_once name)
    target_compile_options(${name} PRIVATE $<$<AND:${cxx_only},$<CONFIG:Release>>:-O1>)
endfunction()

# slipway_for_gpus(<program>): linked with trainer/cuda, where the other programs have its stand-in.
function(slipway_for_gpus name)
    set_target_properties(${name} PROPERTIES SLIPWAY_FOR_GPUS ON)
endfunction()
