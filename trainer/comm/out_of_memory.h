// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// That memory ran out, of the device or of the host, whoever asked for it: our own allocations, LibTorch's, and what
// libraries take for themselves, which say so each in its own words.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace slipway {

// How the message begins of every error that means that.
inline constexpr std::string_view kOutOfMemory = "out of memory: ";
inline bool isOutOfMemory(const Error &error)
{
    return error.fault == Fault::Outside && error.what.starts_with(kOutOfMemory);
}

// Thrown out of a step whose ops find no memory on the device; what() is such a message.
class OutOfMemory : public std::bad_alloc {
public:
    explicit OutOfMemory(std::string what) : m_what(std::make_shared<std::string>(std::move(what))) {}
    [[nodiscard]] const char *what() const noexcept override { return m_what->c_str(); }

private:
    std::shared_ptr<const std::string> m_what; // copies of an exception must not throw
};

// Whether a library's message means that: its text is the only sign. LibTorch for the host, CUDA's runtime; cuBLAS and
// cuDNN by the names of their statuses; NCCL by what it says last ("Failed to CUDA calloc 4194304 bytes", or "Failed to
// malloc 4096 bytes" for the host).
inline bool saysOutOfMemory(std::string_view message)
{
    const auto says = [message](std::string_view words) { return message.find(words) != std::string_view::npos; };
    return says("can't allocate memory") || says("out of memory") || says("STATUS_ALLOC_FAILED") ||
           says("ALLOCATION_FAILED") || (says("Failed to CUDA") && says("alloc")) || says("Failed to malloc");
}

} // namespace slipway
