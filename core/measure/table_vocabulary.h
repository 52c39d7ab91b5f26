// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the words of a measurement table's choices mean: those of the table's description, the flags' own names, and
// what else people write. In lower case with hyphens; nothing where a word is unknown.
#pragma once

#include <optional>
#include <string_view>

#include "config/run_config.h"
#include "measure/measurement.h"
#include "model/model_spec.h"

namespace slipway {

struct NamedAttention {
    Attention attention = Attention::Flash;
    AttentionKernel kernel = AttentionKernel::Auto;
};

// How the step's code came about: PyTorch op by op, compiled, or by hand.
enum class CodeKind { Eager, Compiled, Kernels };

std::optional<Precision> precisionOf(std::string_view word);
std::optional<NamedAttention> attentionOf(std::string_view word);
std::optional<Recompute> recomputeOf(std::string_view word);
std::optional<CodeKind> codeKindOf(std::string_view word);
std::optional<Position> positionOf(std::string_view word);
std::optional<ParallelKind> parallelKindOf(std::string_view word);
std::optional<MemoryKind> memoryKindOf(std::string_view word);
// Whether it is AdamW or Adam in one of its implementations, 8 bits, or SGD; others hold states of their own.
std::optional<OptimizerKind> optimizerOf(std::string_view word);

} // namespace slipway
