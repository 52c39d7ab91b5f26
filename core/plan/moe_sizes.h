// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What one rank holds and computes of a mixture of experts. Routing is taken as even: each expert gets its equal part
// of the tokens, none is dropped or filled up. So a rank's rows are the same whichever experts it holds.
#pragma once

#include <vector>

#include "config/run_config.h"
#include "model/model_spec.h"
#include "plan/step_plan.h"

namespace slipway {

// Whether the experts' GEMMs are one grouped kernel: Megatron-LM's and torchtitan's are, Transformers' from version
// 5 on, which needs PyTorch 2.9; before it loops over the experts.
bool groupsExperts(const RunConfig &config);

struct ExpertSizes {
    std::int64_t experts = 0, perToken = 0;
    std::int64_t local = 0;        // experts of this rank
    std::int64_t elements = 0;     // of their weights, its part under tensor parallelism
    std::int64_t streamTokens = 0; // that this rank routes: its part under sequence parallelism
    std::int64_t sent = 0;         // rows that it sends and gets back: streamTokens x perToken
    std::int64_t rows = 0;         // that its experts take: those of all its tensor-parallel ranks
    std::int64_t rowsPerExpert = 0;
    std::int64_t ffn = 0; // inner width of its part of an expert
    bool gated = true;
    bool grouped = true;           // one GEMM over all experts, else one after another
    bool eagerModules = false;     // whose code runs one expert-parallel rank in eager mode
    bool gathersInPlace = false;   // each expert takes its rows from the stream and adds to it: Transformers' loop
    GroupId group = GroupId::None; // expert-parallel ranks
    int ep = 1;
};

ExpertSizes expertSizes(
    const RunConfig &config, const ModelSpec &model, const std::vector<Group> &groups, std::int64_t tokens);

} // namespace slipway
