// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the fuzz targets share. A target gives one input to one parser. It may refuse the input, but must not crash,
// leak, hang or take much memory; what it accepts it must be able to write and read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "support/temporary_directory.h"

// Declared here, so that each target and the replay program agree. libFuzzer gives the name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace slipway {

inline std::string_view textOf(const std::uint8_t *data, std::size_t size)
{
    return {reinterpret_cast<const char *>(data), size};
}

// Ends the process where a property does not hold: the fuzzer keeps the input as it keeps one that crashes.
inline void require(bool holds, const char *property)
{
    if (holds)
        return;
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
}

// The first line of an input chooses how the rest is read, where a format has several forms.
struct ChosenInput {
    std::string_view choice, rest;
};
inline ChosenInput splitChoice(std::string_view input)
{
    const std::size_t end = input.find('\n');
    if (end == std::string_view::npos)
        return {input, {}};
    return {input.substr(0, end), input.substr(end + 1)};
}

} // namespace slipway
