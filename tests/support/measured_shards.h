// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A measured peak of Transformers' LlamaForCausalLM on one of eight ranks that share it, and the plan's configuration
// for it.
#pragma once

#include "support/measured_peak.h"

namespace slipway::testing {

struct MeasuredShards {
    const char *what;
    Sharder sharder;
    ParallelKind kind;
    Recompute recompute;
    int layers, hidden, ffn, vocab;
    int sequence, batch, accumulation;
};

inline RunConfig configOf(const MeasuredShards &m)
{
    RunConfig c;
    c.model = {.name = "llama-3.2-1b",
        .layers = m.layers,
        .hidden = m.hidden,
        .heads = 8,
        .kvHeads = 8,
        .ffn = m.ffn,
        .vocab = m.vocab,
        .tied = false,
        .experts = {},
        .expertsPerToken = {}};
    c.gpu = "a100-sxm-80gb";
    c.framework = Framework::PytorchEager;
    c.parallel = {.kind = m.kind, .gpus = 8};
    c.simulated.sharder = m.sharder;
    c.recompute = m.recompute;
    c.seqLen = m.sequence;
    c.microBatch = m.batch;
    c.gradAccum = m.accumulation;
    return c;
}

} // namespace slipway::testing
