// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Bytes of a file or of standard input, one piece after the other. What is compressed by gzip, Zstandard or xz is
// recognized by its first bytes and decompressed; no UTF-8 begins with these. Memory does not grow with the input.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/units.h"

namespace slipway {

class ByteSource {
public:
    ByteSource() = default;
    ByteSource(const ByteSource &) = delete;
    ByteSource &operator=(const ByteSource &) = delete;
    virtual ~ByteSource() = default;

    // How many bytes were put at the beginning of `out`, which is not empty; 0 at the end. Fault::Damaged where a
    // compressed input is cut or broken, Fault::Outside where the system refuses to read.
    virtual Result<std::size_t> read(std::span<char> out) = 0;
    // Drops so many bytes; fewer where the end comes before.
    virtual Result<Bytes> skip(Bytes count);
    // Bytes taken from the file so far, compressed as they are there.
    [[nodiscard]] virtual Bytes taken() const = 0;
};

// Of a regular file.
Result<std::unique_ptr<ByteSource>> openByteSource(const std::filesystem::path &path);
// Of an open file descriptor, such as standard input; it stays open. `name` is where errors say that they are. Where
// `stopped` becomes true, what does not come is no longer waited for: the input ends there with an error.
Result<std::unique_ptr<ByteSource>> byteSourceOf(
    int descriptor, const std::string &name, const std::atomic<bool> &stopped);

// Decompress what `packed` reads. In decompressors.cpp.
std::unique_ptr<ByteSource> gunzipped(std::unique_ptr<ByteSource> packed, std::string name);
std::unique_ptr<ByteSource> unzstded(std::unique_ptr<ByteSource> packed, std::string name);
std::unique_ptr<ByteSource> unxzed(std::unique_ptr<ByteSource> packed, std::string name);

} // namespace slipway
