// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Which model states a strategy shards over the ranks of a replica: ZeRO's stages (Rajbhandari et al. 2020, arXiv
// 1910.02054).
#pragma once

#include "config/run_config.h"

namespace slipway {

inline bool shardsWeights(ParallelKind kind) { return kind == ParallelKind::FsdpFull || kind == ParallelKind::Hsdp; }
inline bool shardsGradients(ParallelKind kind) { return shardsWeights(kind) || kind == ParallelKind::FsdpGradOp; }
inline bool shardsStates(ParallelKind kind) { return shardsGradients(kind) || kind == ParallelKind::Zero1; }

} // namespace slipway
