// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A small model's weights with their states, of any bits, and what the ranks of a mesh hold of them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "model/weight_slice.h"
#include "state/checkpoint.h"

namespace slipway::testing {

// What one rank holds of one weight.
struct Share {
    std::string name;
    std::vector<std::int64_t> shape;
    std::optional<WeightSlice> slice;
    std::int64_t first = 0, count = 0;
};

// How the ranks share the weights: layers by stage, matrices by rows or columns, and what is left by runs.
struct Mesh {
    int stages = 1, tensor = 1, shards = 1;
    enum class Split { Rows, Columns, Alternating } split = Split::Rows;
    [[nodiscard]] int ranks() const { return stages * tensor * shards; }
};

struct MeshWeight {
    std::string name;
    std::vector<std::int64_t> shape;
    int layer = 0;
};

// Sizes that four ranks cannot share evenly.
inline std::vector<MeshWeight> meshWeights()
{
    std::vector<MeshWeight> weights{{"model.embed_tokens.weight", {14, 6}, 0}};
    for (int layer = 0; layer < 2; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".";
        weights.push_back({prefix + "self_attn.q_proj.weight", {8, 6}, layer});
        weights.push_back({prefix + "mlp.down_proj.weight", {6, 17}, layer});
        weights.push_back({prefix + "input_layernorm.weight", {6}, layer});
    }
    weights.push_back({"model.norm.weight", {6}, 1});
    return weights;
}

inline std::int64_t cut(std::int64_t size, int index, int count) { return size * index / count; }

// The run of `share` that falls to one of several shards.
inline Share runOfShard(Share share, int shard, int shards)
{
    const std::int64_t elements = share.slice.value_or(wholeSlice(share.shape)).elements();
    share.first = cut(elements, shard, shards);
    share.count = cut(elements, shard + 1, shards) - share.first;
    return share;
}

// What a rank holds; `written`: less what another rank writes for it, too.
inline std::vector<Share> sharesOf(const Mesh &mesh, int rank, bool written)
{
    const int shard = rank % mesh.shards, tensor = rank / mesh.shards % mesh.tensor,
              stage = rank / mesh.shards / mesh.tensor;
    std::vector<Share> shares;
    int number = 0;
    for (const MeshWeight &weight : meshWeights()) {
        const bool byRows =
            mesh.split == Mesh::Split::Alternating ? ++number % 2 == 0 : mesh.split == Mesh::Split::Rows;
        Share share{.name = weight.name, .shape = weight.shape};
        if (weight.shape.size() == 2 && mesh.tensor > 1) {
            const std::int64_t begin = cut(weight.shape[byRows ? 0 : 1], tensor, mesh.tensor),
                               end = cut(weight.shape[byRows ? 0 : 1], tensor + 1, mesh.tensor);
            share.slice = byRows ? WeightSlice{.firstRow = begin, .rows = end - begin, .columns = weight.shape[1]}
                                 : WeightSlice{.rows = weight.shape[0], .firstColumn = begin, .columns = end - begin};
        } else if (written && tensor > 0) {
            continue;
        }
        if (weight.layer * mesh.stages / 2 == stage)
            shares.push_back(runOfShard(share, shard, mesh.shards));
    }
    return shares;
}

// The bits of an element of a weight, of one of its three values: also of NaNs, infinities and denormal numbers.
inline float valueOf(const std::string &name, int kind, std::int64_t element)
{
    std::uint32_t bits = 2166136261U;
    for (const char letter : name + std::to_string(kind) + " " + std::to_string(element))
        bits = (bits ^ static_cast<unsigned char>(letter)) * 16777619U;
    bits ^= bits >> 15U;
    return std::bit_cast<float>(bits * 2246822519U);
}

// The values of some shares.
class Holding {
public:
    explicit Holding(std::vector<Share> shares) : m_shares(std::move(shares))
    {
        std::int64_t size = 0;
        for (const Share &share : m_shares)
            size += 3 * share.count;
        m_values.assign(static_cast<std::size_t>(size), -1.0F);
    }
    [[nodiscard]] std::vector<CheckpointTensor> tensors()
    {
        std::vector<CheckpointTensor> tensors;
        std::span<float> left(m_values);
        const auto take = [&left](std::int64_t count) {
            const std::span<float> taken = left.first(static_cast<std::size_t>(count));
            left = left.subspan(taken.size());
            return taken;
        };
        for (const Share &share : m_shares)
            tensors.push_back({.name = share.name,
                .shape = share.shape,
                .slice = share.slice,
                .first = share.first,
                .weight = take(share.count),
                .momentum = take(share.count),
                .variance = take(share.count)});
        return tensors;
    }
    // As valueOf has them.
    [[nodiscard]] Holding filled() &&
    {
        for (const CheckpointTensor &tensor : tensors()) {
            const WeightSlice whole = wholeSlice(tensor.shape);
            forEachWholeRun(tensor.slice.value_or(whole), whole.columns, tensor.first, std::ssize(tensor.weight),
                [&tensor](std::int64_t first, std::int64_t offset, std::int64_t length) {
                    for (std::int64_t i = 0; i < length; ++i) {
                        const auto at = static_cast<std::size_t>(offset + i);
                        tensor.weight[at] = valueOf(tensor.name, 0, first + i);
                        tensor.momentum[at] = valueOf(tensor.name, 1, first + i);
                        tensor.variance[at] = valueOf(tensor.name, 2, first + i);
                    }
                });
        }
        return std::move(*this);
    }
    [[nodiscard]] std::vector<std::uint32_t> bits() const
    {
        std::vector<std::uint32_t> bits(m_values.size());
        if (!bits.empty())
            std::memcpy(bits.data(), m_values.data(), bits.size() * sizeof bits[0]);
        return bits;
    }

private:
    std::vector<Share> m_shares;
    std::vector<float> m_values;
};

} // namespace slipway::testing
