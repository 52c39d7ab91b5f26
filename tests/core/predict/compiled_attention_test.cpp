// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a layer of a compiled model keeps for backward where scores and a mask are in memory, as
// tests/data/compiled_attention_saved.py measured it on a processor: torch 2.11, 2026-11-24.
#include <gtest/gtest.h>

#include "predict/predict.h"
#include "support/recordings.h"

namespace slipway {
namespace {

RunConfig compiled(bool gpt, Precision precision, bool dropout)
{
    RunConfig c;
    c.model = {.name = gpt ? "gpt2" : "llama-3.2-1b",
        .layers = 2,
        .hidden = 256,
        .heads = 8,
        .kvHeads = 8,
        .ffn = gpt ? 1024 : 688,
        .vocab = 512,
        .tied = false};
    c.gpu = "a100-sxm-80gb";
    c.framework = Framework::PytorchCompile;
    c.simulated.torch = "2.11";
    c.precision = precision;
    c.simulated.lossPath = LossPath::CompiledWhole;
    c.attention = Attention::Vanilla;
    c.simulated.dropout = dropout;
    c.seqLen = 1024;
    c.microBatch = 2;
    return c;
}

// Half copies of weights are a workspace that stays.
Bytes keptByALayer(RunConfig c, const Catalogue &catalogue)
{
    const auto kept = [&](int layers) {
        c.model.layers = layers;
        const auto at = predict(c, catalogue).value().memory.atPeak;
        return at[static_cast<std::size_t>(Role::Activation)] + at[static_cast<std::size_t>(Role::Workspace)];
    };
    return kept(4) - kept(3);
}

struct MeasuredLayer {
    const char *what;
    bool gpt;
    Precision precision;
    bool dropout;
};
constexpr std::array kMeasuredLayer{MeasuredLayer{"gpt", true, Precision::Bf16, false},
    MeasuredLayer{"gpt dropout", true, Precision::Bf16, true}, MeasuredLayer{"gpt fp32", true, Precision::Fp32, false},
    MeasuredLayer{"gpt autocast", true, Precision::Bf16Mixed, false},
    MeasuredLayer{"llama", false, Precision::Bf16, false},
    MeasuredLayer{"llama dropout", false, Precision::Bf16, true}};

// Scores of a layer take 33.6 MB in half precision. Dropout of the stream is not among what was measured.
TEST(CompiledAttentionInMemory, keepsTheTensorsThatPytorchKeeps)
{
    const Catalogue catalogue = loadCatalogue().value();
    for (const MeasuredLayer &m : kMeasuredLayer) {
        const Bytes kept = keptByALayer(compiled(m.gpt, m.precision, m.dropout), catalogue);
        const Bytes recorded = testing::recorded("compiled_attention_saved", m.what);
        EXPECT_NEAR(double(kept) / double(recorded), 1, 0.05) << m.what << " " << kept;
    }
}

} // namespace
} // namespace slipway
