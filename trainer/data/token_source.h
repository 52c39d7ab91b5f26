// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The token files of a run as one stream of samples. A sample is seqLen + 1 consecutive ids: tokens, and targets
// shifted by one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/result.h"
#include "data/sample_order.h"
#include "data/token_file.h"

namespace slipway {

struct WeightedFile {
    std::filesystem::path path;
    double weight = 1.0;
};

class TokenSource {
public:
    // Fails as TokenFile::open(), and with Fault::Input if a file is shorter than one sample or a weight is not
    // positive.
    static Result<TokenSource> open(
        std::span<const WeightedFile> files, std::int64_t vocab, std::int64_t seqLen, std::uint64_t seed);

    [[nodiscard]] std::int64_t tokenCount() const;
    [[nodiscard]] std::uint64_t windowCount() const; // of all files
    [[nodiscard]] std::int64_t seqLen() const { return m_seqLen; }

    [[nodiscard]] const std::vector<TokenFile> &files() const { return m_files; }

    // Sample `number` of the run, in shuffled order. Both spans have seqLen ids.
    Result<void> sample(std::uint64_t number, std::span<std::int32_t> tokens, std::span<std::int32_t> targets) const;
    // Window `number` < windowCount() in the order of the files, for evaluation.
    Result<void> window(std::uint64_t number, std::span<std::int32_t> tokens, std::span<std::int32_t> targets) const;

private:
    TokenSource(std::vector<TokenFile> files, SampleOrder order, std::int64_t seqLen);
    [[nodiscard]] std::uint64_t windowsOf(const TokenFile &file) const;
    Result<void> read(
        std::size_t file, std::uint64_t window, std::span<std::int32_t> tokens, std::span<std::int32_t> targets) const;

    std::vector<TokenFile> m_files;
    SampleOrder m_order;
    std::int64_t m_seqLen;
};

} // namespace slipway
