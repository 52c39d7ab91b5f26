// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Checks of a plan and of a step's input before anything runs.
#pragma once

#include "base/result.h"
#include "exec/executor.h"

namespace slipway {

struct BatchShape {
    std::int64_t sequences = 0, seqLen = 0;
    [[nodiscard]] std::int64_t tokens() const { return sequences * seqLen; }
};

// The shape of a micro-batch, with full sequences under context parallelism.
BatchShape batchShape(const StepPlan &plan);

// Whether the backend can execute all ops of the plan in their types, and the plan has this number of ranks.
Result<void> checkExecutable(const StepPlan &plan, int ranks, BackendKind backend);

// Whether a GPU of this compute capability supports the plan: fp8 needs Ada or Hopper. `name` is for the message.
Result<void> checkCapability(const StepPlan &plan, const std::string &name, int major, int minor);

// Whether ops of the plan read document tables.
bool hasDocumentTables(const StepPlan &plan);

// Whether all ids are within the vocabulary, and their number is that of the step. `documents`: whether the backend
// supports separate documents.
Result<void> checkInput(
    const StepInput &input, const BatchShape &shape, std::int64_t tokens, std::int64_t vocab, bool documents);

} // namespace slipway
