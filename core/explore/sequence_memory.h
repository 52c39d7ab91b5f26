// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Peak memory by category over the sequence length, for some models and each recomputation setting. It shows how
// activations come to dominate.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"
#include "hardware/catalogue.h"
#include "predict/prediction.h"

namespace slipway {

struct SequenceMemory {
    struct Bar {
        std::int64_t seqLen = 0;
        RunConfig config;
        Verdict verdict = Verdict::Fits;
        Bytes peak = 0;               // includes memory outside the allocator
        std::array<Bytes, 8> parts{}; // by Role
        std::string skipped;          // reason if it cannot be planned
    };
    struct Panel {
        std::string model;
        Recompute recompute = Recompute::None;
        std::vector<Bar> bars;
    };
    std::vector<Panel> panels; // by model, then recomputation: none, selective, full
    Bytes capacity = 0;
};

// 1B and 8B with 1k to 8k tokens; all other settings are those of `base`.
SequenceMemory sequenceMemory(const RunConfig &base, const Catalogue &catalogue);

} // namespace slipway
