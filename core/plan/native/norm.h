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

// What backward needs besides the norm's input.
struct Norm {
    std::string name; // of its weights and ops: "attention_norm"
    BufferId rstd{};
    std::optional<BufferId> mean; // LayerNorm

    [[nodiscard]] std::vector<BufferId> buffers() const;
};

// `prefix`: of its buffers' names, "attention".
Norm declareNorm(
    const BufferMaker &make, const ModelSpec &model, std::string name, const std::string &prefix, bool perLayer);

void normForward(OpWriter &writer, const Norm &norm, BufferId x, BufferId y);

// sum = x + delta, y = norm(sum), in one pass: RMSNorm only.
bool addsBeforeNorm(const ModelSpec &model);
void addNormForward(OpWriter &writer, const Norm &norm, BufferId x, BufferId delta, BufferId sum, BufferId y);

// dx = the norm's own gradient, with `residual` added where there is one; and the gradients of its weights.
void normBackward(
    OpWriter &writer, const Norm &norm, BufferId dy, BufferId x, BufferId dx, std::optional<BufferId> residual = {});

} // namespace slipway::native
