// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "run/decoder_weights.h"
#include "run/sequence_decoder.h"

namespace slipway::train_app {

// The decoder that generates text, which runs on the CPU or on the GPU.
struct DecoderChoice {
    DecoderType type = DecoderType::Fp32;
    bool cuda = false;
};

// Adds --weights and --device.
void addDecoderFlags(CLI::App &command, DecoderChoice &choice);
// Returns an error if there is no GPU, or if the weights do not fit into its memory.
Result<std::unique_ptr<SequenceDecoder>> makeDecoder(const DecoderChoice &choice, const ModelSpec &model,
    std::vector<HfWeight> weights, std::int64_t positions, const KvCacheOptions &cache = {});

} // namespace slipway::train_app
