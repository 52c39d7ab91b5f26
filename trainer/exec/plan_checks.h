// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What is asked of a plan and of a step's input before anything runs.
#pragma once

#include "base/result.h"
#include "exec/executor.h"

namespace slipway {

struct BatchShape {
    std::int64_t sequences = 0, seqLen = 0;
    [[nodiscard]] std::int64_t tokens() const { return sequences * seqLen; }
};

// Of a micro-batch, with whole sequences where ranks have parts of them.
BatchShape batchShape(const StepPlan &plan);

// Whether the backend has every op in the plan's precision, and the plan is for as many ranks as there are.
Result<void> checkExecutable(const StepPlan &plan, int ranks, BackendKind backend);

// Whether a GPU would run the ops faster than the host can start them.
bool launchBound(const StepPlan &plan);

// Whether a GPU of this name and compute capability has what the plan asks for: fp8 from Ada and Hopper on.
Result<void> checkCapability(const StepPlan &plan, const std::string &name, int major, int minor);

// Whether the ops of the plan read where documents lie that are kept apart.
bool hasDocumentTables(const StepPlan &plan);

// Ids within the vocabulary, as many as the step takes. `documents`: whether the backend keeps documents apart.
Result<void> checkInput(
    const StepInput &input, const BatchShape &shape, std::int64_t tokens, std::int64_t vocab, bool documents);

} // namespace slipway
