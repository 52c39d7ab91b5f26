// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A rank's samples of a step, in buffers that each call overwrites.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "data/documents.h"
#include "data/token_source.h"
#include "exec/executor.h"

namespace slipway {

class Batches {
public:
    struct Shape {
        std::int64_t rows = 1; // sequences of this rank per step: gradAccum x microBatch
        int rank = 0, ranks = 1;
        std::optional<DocumentMarks> documents; // marks by which documents are separated; empty: packed
    };

    // `source` must outlive it.
    Batches(const TokenSource &source, Shape shape);

    // The input of the step whose first sample has the number `first` in the run.
    Result<StepInput> training(std::uint64_t first);
    // Evaluation batch `number` over the windows in order; after the last window it continues with the first.
    Result<StepInput> evaluation(std::uint64_t number);

private:
    [[nodiscard]] std::span<std::int32_t> row(std::vector<std::int32_t> &ids, std::int64_t index) const;
    [[nodiscard]] std::uint64_t offset(std::int64_t row) const;

    [[nodiscard]] StepInput input();

    const TokenSource &m_source;
    Shape m_shape;
    std::vector<std::int32_t> m_tokens, m_targets, m_starts;
};

} // namespace slipway
