// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Recognizes that memory ran out, on the device or the host, in our own allocations, in LibTorch's, or in libraries,
// each of which has its own message.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace slipway {

// The beginning of the message of every such error.
inline constexpr std::string_view kOutOfMemory = "out of memory: ";
inline bool isOutOfMemory(const Error &error)
{
    return error.fault == Fault::Outside && error.what.starts_with(kOutOfMemory);
}

// Thrown by a step whose ops run out of device memory. what() begins with kOutOfMemory.
class OutOfMemory : public std::bad_alloc {
public:
    explicit OutOfMemory(std::string what) : m_what(std::make_shared<std::string>(std::move(what))) {}
    [[nodiscard]] const char *what() const noexcept override { return m_what->c_str(); }

private:
    std::shared_ptr<const std::string> m_what; // copies of an exception must not throw
};

// Whether a library's message means out of memory, which only its text tells. The texts are those of LibTorch on the
// host, of the CUDA runtime, the status names of cuBLAS and cuDNN, and NCCL's last error ("Failed to CUDA calloc
// 4194304 bytes", or "Failed to malloc 4096 bytes" for the host).
inline bool isOutOfMemoryMessage(std::string_view message)
{
    const auto says = [message](std::string_view words) { return message.find(words) != std::string_view::npos; };
    return says("can't allocate memory") || says("out of memory") || says("STATUS_ALLOC_FAILED") ||
           says("ALLOCATION_FAILED") || (says("Failed to CUDA") && says("alloc")) || says("Failed to malloc");
}

} // namespace slipway
