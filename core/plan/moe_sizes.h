// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The experts of one rank and their work. Routing is assumed to be balanced: every expert gets equally many tokens, and
// none are dropped or padded. So every rank has equally many rows.
#pragma once

#include <vector>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

struct ExpertSizes {
    std::int64_t experts = 0, perToken = 0;
    std::int64_t local = 0;        // experts of this rank
    std::int64_t elements = 0;     // of their weights on this rank, after tensor parallelism
    double capacity = 1;           // rows of an expert, relative to even routing: the configuration's, or the model's
    std::int64_t streamTokens = 0; // tokens that this rank routes, after sequence parallelism
    std::int64_t sent = 0;         // rows that it sends and receives again: streamTokens x perToken
    std::int64_t rows = 0;         // rows that its experts process, from all tensor-parallel ranks
    std::int64_t rowsPerExpert = 0;
    std::int64_t ffn = 0; // intermediate size of an expert on this rank
    bool gated = true;
    bool biased = false;           // each expert's linear layers add biases
    bool limited = false;          // GPT-OSS's gate, with limits
    bool grouped = true;           // one grouped GEMM for all experts, else one GEMM for each
    bool eagerModules = false;     // whose code runs one expert-parallel rank in eager mode
    bool gathersInPlace = false;   // each expert takes its rows from the stream and adds to it: Transformers' loop
    GroupId group = GroupId::None; // expert-parallel ranks
    int ep = 1;
};

ExpertSizes expertSizes(
    const RunConfig &config, const ModelSpec &model, const std::vector<Group> &groups, std::int64_t tokens);

} // namespace slipway
