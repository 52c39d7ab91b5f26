// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <chrono>
#include <exception>
#include <string>

#include <c10/util/Exception.h>

#include "base/units.h"

namespace slipway {

inline std::chrono::milliseconds milliseconds(Seconds seconds)
{
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

// The first line of a LibTorch message, without the backtrace.
inline std::string firstLine(const std::exception &exception)
{
    const auto *const error = dynamic_cast<const c10::Error *>(&exception);
    const std::string text = error ? error->what_without_backtrace() : exception.what();
    return text.substr(0, text.find('\n'));
}

} // namespace slipway
