// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Textbook formulas to compare a plan with: mixed precision with Adam, GPT layers, and no tensors that frameworks add.
#pragma once

#include "config/run_config.h"
#include "model/model_spec.h"

namespace slipway {

struct TextbookMemory {
    double parameters = 0;                           // N = h V + L (12 h^2 + 13 h) + 2 h
    Bytes weights = 0, gradients = 0, optimizer = 0; // of one rank
    Bytes states = 0; // their sum: 16 bytes a trained parameter, weight 2, gradient 2, master 4, moments 8
                      // (Rajbhandari et al. 2020), by ZeRO's stage over ranks; of a frozen one only the weight
    Bytes activations =
        0; // L (34 s b h + 5 a s^2 b); selective: without the second term; full: L 2 s b h (Korthikanti et al. 2022)
    Bytes peak = 0; // their sum
    bool operator==(const TextbookMemory &) const = default;
};

// With adapters (LoRA), the weights of the GPT are frozen, and those in layers are as the configuration stores them.
// Of one rank. Pipeline stages split layers, tensor parallelism divides both; the micro-batches in flight are those of
// the first stage.
TextbookMemory textbookMemory(const RunConfig &config, const ModelSpec &model);

} // namespace slipway
