// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads a file or standard input sequentially. Input compressed with gzip, Zstandard or xz is recognized by its first
// bytes, with which no UTF-8 text begins, and decompressed. Memory use does not depend on the size of the input.
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

    // Fills the beginning of `out`, which must not be empty, and returns the number of bytes; 0 at the end.
    // Fault::Damaged if compressed input is truncated or corrupt, Fault::Outside if the system fails to read.
    virtual Result<std::size_t> read(std::span<char> out) = 0;
    // Skips `count` bytes and returns how many; fewer only at the end.
    virtual Result<Bytes> skip(Bytes count);
    // Bytes read from the file so far, before decompression.
    [[nodiscard]] virtual Bytes taken() const = 0;
};

// Opens a regular file.
Result<std::unique_ptr<ByteSource>> openByteSource(const std::filesystem::path &path);
// Reads an open file descriptor, such as standard input, which stays open. `name` is for error messages. When `stopped`
// becomes true, reading no longer waits for input but ends with an error.
Result<std::unique_ptr<ByteSource>> byteSourceOf(
    int descriptor, const std::string &name, const std::atomic<bool> &stopped);

// Decompress the bytes of `packed`. Defined in decompressors.cpp.
std::unique_ptr<ByteSource> gzipDecompressed(std::unique_ptr<ByteSource> packed, std::string name);
std::unique_ptr<ByteSource> zstdDecompressed(std::unique_ptr<ByteSource> packed, std::string name);
std::unique_ptr<ByteSource> xzDecompressed(std::unique_ptr<ByteSource> packed, std::string name);

} // namespace slipway
