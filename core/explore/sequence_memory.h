// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Memory at the peak by part over the sequence length, for some models and each way to recompute: the lecture's picture
// of how activations come to dominate.
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
        Bytes peak = 0;               // with what lies outside the allocator
        std::array<Bytes, 8> parts{}; // by Role
        std::string skipped;          // why there is none
    };
    struct Panel {
        std::string model;
        Recompute recompute = Recompute::None;
        std::vector<Bar> bars;
    };
    std::vector<Panel> panels; // model by model, each with none, selective, full
    Bytes capacity = 0;
};

// 1k to 8k tokens, 1B and 8B, on what else `base` says; vanilla attention where it says so.
SequenceMemory sequenceMemory(const RunConfig &base, const Catalogue &catalogue);

} // namespace slipway
