// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/expert_notes.h"

#include <fmt/format.h>

#include "plan/data_parallel.h"
#include "plan/moe_sizes.h"

namespace slipway {

namespace {

// Of a simulated framework, whose experts may have a capacity.
std::string routingNote(const ExpertSizes &e)
{
    const std::string drops = e.capacity < 1 ? "further tokens are dropped" : "no token is dropped";
    return fmt::format("Assumed: routing is even; each of the {} experts of a rank processes {} tokens{}, and {}. Load "
                       "imbalance is not modeled; --expert-capacity above 1 plans for it.",
        e.local, e.rowsPerExpert, e.capacity == 1 ? "" : fmt::format(" ({:.3g} times the even share)", e.capacity),
        drops);
}

// Our own trainer drops no token, and has room for every routing.
std::string droplessNote(const ExpertSizes &e)
{
    if (e.ep == 1)
        return fmt::format("Assumed: routing is even; each of the {} experts processes {} tokens. No token is dropped. "
                           "Without expert parallelism, uneven routing changes neither memory nor the rows of a rank.",
            e.local, e.rowsPerExpert);
    if (e.capacity == 1)
        return fmt::format("Assumed: routing is even; each of the {} experts of a rank processes {} tokens. No token "
                           "is dropped, and memory suffices for every routing. --expert-capacity above 1 plans the "
                           "time of a busier rank.",
            e.local, e.rowsPerExpert);
    return fmt::format("Assumed: the busiest rank gets {:.3g} times its even share of tokens, which determines the "
                       "step time. No token is dropped, and memory suffices for every routing.",
        e.capacity);
}

} // namespace

std::vector<std::string> expertNotes(const ResolvedConfig &s)
{
    const RunConfig &c = s.config;
    if (s.model.experts.count == 0)
        return {};
    const std::vector<Group> groups{{.axis = "ep", .size = c.parallel.ep, .stride = c.parallel.tp}};
    const ExpertSizes e = expertSizes(c, s.model, groups, c.microBatch * ceilDiv(c.seqLen, c.parallel.cp));
    std::vector<std::string> notes{c.framework == Framework::Slipway ? droplessNote(e) : routingNote(e)};
    if (c.parallel.ep > 1)
        notes.emplace_back("Assumed: all-to-all communication does not overlap with computation and uses the links of "
                           "the ranks' nodes.");
    if (e.gathersInPlace)
        notes.emplace_back("Assumed: experts run one after another, as in Transformers before version 5; --expert-gemm "
                           "grouped or --torch 2.9 plans grouped GEMMs.");
    else if (!e.grouped)
        notes.emplace_back("Assumed: experts run one after another; --expert-gemm grouped plans one grouped GEMM.");
    if (e.eagerModules && e.grouped && c.precisionOrMixed() == Precision::Bf16Mixed &&
        !(runsFsdp(c.parallel.kind) && c.parallel.dataParallel() * c.parallel.cp > 1))
        notes.emplace_back("Autocast does not apply to the grouped GEMMs of Transformers: they run in fp32, without "
                           "tensor cores. --precision bf16 or FSDP avoids this.");
    return notes;
}

} // namespace slipway
