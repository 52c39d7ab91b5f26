// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/moe_sizes.h"

#include <algorithm>
#include <cmath>

namespace slipway {

ExpertSizes expertSizes(const RunConfig &c, const ModelSpec &m, const std::vector<Group> &groups, std::int64_t tokens)
{
    const Parallelism &p = c.parallel;
    ExpertSizes s;
    s.experts = m.experts.count;
    s.perToken = m.experts.perToken;
    s.local = m.experts.count / p.ep;
    s.elements = ceilDiv(expertParameterCount(m) / p.ep, p.tp);
    s.capacity = c.expertCapacity == 1 && m.experts.capacityFactor > 0 ? m.experts.capacityFactor : c.expertCapacity;
    s.streamTokens = ceilDiv(tokens, p.tp);
    s.sent = static_cast<std::int64_t>(std::ceil(double(s.streamTokens * s.perToken) * s.capacity));
    s.rows = s.sent * p.tp;
    s.rowsPerExpert = ceilDiv(s.rows, s.local);
    s.ffn = ceilDiv(m.mlp.width, p.tp);
    s.gated = m.mlp.gated;
    s.biased = m.mlp.bias;
    s.limited = m.mlp.limit > 0;
    s.grouped = c.simulated.expertGemm != ExpertGemm::Loop;
    s.eagerModules = c.framework == Framework::PytorchEager && p.ep == 1 && p.tp == 1;
    s.gathersInPlace = s.eagerModules && !s.grouped;
    s.ep = p.ep;
    const auto group = std::find_if(groups.begin(), groups.end(), [](const Group &g) { return g.axis == "ep"; });
    s.group = static_cast<GroupId>(group - groups.begin());
    return s;
}

} // namespace slipway
