// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What architectures do that neither their sizes nor their config.json say: the one list of them.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "model/model_spec.h"

namespace slipway {

struct ModelFamily {
    std::string_view type;                      // Transformers' model_type
    std::array<std::string_view, 2> names = {}; // how models without a config.json begin, in lower case
    Mlp mlp = Mlp::SwiGlu;
    Norm norm = Norm::RmsNorm;
    Position position = Position::Rope;
    bool qkvBias = false, attentionOutBias = false, mlpBias = false, headBias = false;
    bool normBias = false, normWeight = true;
    int blockNorms = 2;
    bool splitQkv = false, parallelBlock = false, fp32NormWeight = false;
    double rotaryFraction = 1; // part of each head
    QkNorm qkNorm = QkNorm::None;
    // Of the configuration class, where the file says nothing.
    bool tied = false, dropout = false;
    std::string_view activation = "gelu";
    int extraPositions = 0; // rows of the position table beyond the longest sequence
};

std::span<const ModelFamily> modelFamilies();

// The family by a model's name ("EleutherAI/pythia-1.4b"); nullptr where no name tells.
const ModelFamily *familyNamed(std::string_view lowerCaseName);

// Norms, biases and what a block joins; sizes, positions and activation stay.
void applyFamily(const ModelFamily &family, ModelSpec &model);

} // namespace slipway
