// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/model_tables.h"

#include <bit>
#include <cmath>

#include "model/rope_scaling.h"

namespace slipway {

std::vector<cpu_ops::RopeTable> ropeTables(const ModelSpec &model, std::int64_t seq)
{
    std::vector<cpu_ops::RopeTable> tables;
    if (model.position != Position::Rope)
        return tables;
    for (const Rope &rope : model.ropes) {
        RopeFrequencies frequencies = ropeFrequencies(rope, model.attention.headDim, seq).value();
        tables.emplace_back(seq, cpu_ops::RopeSpec{.inverseFrequencies = std::move(frequencies.inverse),
                                     .rotatedDims = rotatedDimensions(rope, model.attention.headDim),
                                     .attentionFactor = frequencies.attentionFactor});
    }
    return tables;
}

std::vector<float> alibiSlopes(const ModelSpec &model, int ranks, int rank)
{
    std::vector<float> slopes;
    if (model.position != Position::Alibi)
        return slopes;
    const auto heads = static_cast<unsigned>(model.attention.heads), below = std::bit_floor(heads);
    for (unsigned i = 1; i <= below; ++i)
        slopes.push_back(static_cast<float>(std::exp2(-8.0 * i / below)));
    for (unsigned i = 1; slopes.size() < heads; i += 2)
        slopes.push_back(static_cast<float>(std::exp2(-8.0 * i / (2.0 * below))));
    const auto share = std::ssize(slopes) / ranks;
    return {slopes.begin() + share * rank, slopes.begin() + share * (rank + 1)};
}

} // namespace slipway
