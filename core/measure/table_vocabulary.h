// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The meaning of words in the columns of a measurement table: those of the table's description, the flags' own names,
// and other common names. Words are in lower case with hyphens. Empty for an unknown word.
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

// The kind of code of a step: eager PyTorch, compiled, or hand-written.
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
