// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// RMSNorm or LayerNorm of rows of the residual stream, or of what a branch adds to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/native/buffers.h"
#include "plan/native/op_writer.h"

namespace slipway::native {

// The statistics that the backward pass of a norm reads in addition to its input.
struct Norm {
    std::string name; // of its weights and ops: "attention_norm"
    BufferId rstd{};
    std::optional<BufferId> mean; // LayerNorm

    [[nodiscard]] std::vector<BufferId> buffers() const;
};

// `prefix`: of the buffers' names, such as "attention".
Norm declareNorm(
    const BufferMaker &make, const ModelSpec &model, std::string name, const std::string &prefix, bool perLayer);

void normForward(OpWriter &writer, const Norm &norm, BufferId x, BufferId y);

// One op for sum = x + delta and y = norm(sum). Only RMSNorm has it.
bool addsBeforeNorm(const ModelSpec &model);
void addNormForward(OpWriter &writer, const Norm &norm, BufferId x, BufferId delta, BufferId sum, BufferId y);

// Computes dx and the gradients of the norm's weights. Adds `residual` to dx, if there is one.
void normBackward(
    OpWriter &writer, const Norm &norm, BufferId dy, BufferId x, BufferId dx, std::optional<BufferId> residual = {});

} // namespace slipway::native
