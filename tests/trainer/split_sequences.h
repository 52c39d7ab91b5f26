// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Attention of sequences that are split over ranks, played one after the other, against attention of whole sequences.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include <ATen/ATen.h>

#include "aten_ops/split_attention.h"

namespace slipway::testing {

struct SplitCase {
    int ranks = 2;
    std::int64_t batch = 2, seq = 24, heads = 4, kvHeads = 2, headDim = 8;
    aten_ops::AttentionOptions options = {};
    bool ring = false;
};

// Of the output, its log-sum-exp, and the gradients of q, k and v, relative.
using Distances = std::array<double, 3>;

class SplitAttention {
public:
    SplitAttention(const SplitCase &split, const at::TensorOptions &type)
        : m_case(split),
          m_qkv(at::randn({split.batch, split.seq, split.heads + 2 * split.kvHeads, split.headDim}, type)),
          m_dout(at::randn({split.batch, split.seq, split.heads, split.headDim}, type))
    {
    }

    // Of a kernel's split attention from fp32 attention by blocks of whole sequences.
    Distances ofSplit(aten_ops::FlashKernel kernel)
    {
        const Results split = resultsOfSplit(kernel), whole = resultsOfWhole(aten_ops::FlashKernel::Blocks, at::kFloat);
        return distances(split, whole);
    }
    // Of the kernel's attention of whole sequences.
    Distances ofWhole(aten_ops::FlashKernel kernel)
    {
        return distances(
            resultsOfWhole(kernel, m_qkv.scalar_type()), resultsOfWhole(aten_ops::FlashKernel::Blocks, at::kFloat));
    }

private:
    struct Results {
        at::Tensor out, lse, dqkv;
    };

    static double distance(const at::Tensor &a, const at::Tensor &b)
    {
        return ((a.to(at::kDouble) - b.to(at::kDouble)).norm() / b.to(at::kDouble).norm()).item<double>();
    }
    static Distances distances(const Results &a, const Results &b)
    {
        return {distance(a.out, b.out), distance(a.lse, b.lse), distance(a.dqkv, b.dqkv)};
    }
    static at::Tensor nans(at::IntArrayRef sizes, const at::TensorOptions &type)
    {
        return at::full(sizes, std::numeric_limits<double>::quiet_NaN(), type);
    }

    Results resultsOfWhole(aten_ops::FlashKernel kernel, at::ScalarType type)
    {
        const at::Tensor qkv = m_qkv.to(type), dout = m_dout.to(type);
        const Results whole{nans(dout.sizes(), dout.options()),
            nans({m_case.batch, m_case.heads, m_case.seq}, dout.options().dtype(at::kFloat)),
            nans(qkv.sizes(), qkv.options())};
        aten_ops::flashAttention(kernel, qkv, whole.out, whole.lse, m_case.options);
        aten_ops::flashAttentionBackward(kernel, {dout, qkv, whole.out, whole.lse, whole.dqkv, m_case.options});
        return whole;
    }

    [[nodiscard]] at::Tensor positionsOf(const cpu_ops::SequenceShard &shard) const
    {
        std::vector<std::int64_t> positions;
        const std::int64_t length = m_case.seq / m_case.ranks;
        for (std::int64_t row = 0; row < length; ++row)
            positions.push_back(shard.position(row, length));
        return at::tensor(positions).to(m_qkv.device());
    }

    Results resultsOfSplit(aten_ops::FlashKernel kernel)
    {
        const std::int64_t heads = m_case.heads;
        std::vector<at::Tensor> positions, keys;
        for (int rank = 0; rank < m_case.ranks; ++rank) {
            positions.push_back(positionsOf({m_case.ranks, rank}));
            keys.push_back(m_qkv.index_select(1, positions.back()).narrow(2, heads, 2 * m_case.kvHeads));
        }
        const at::Tensor allKeys = at::stack(keys), allDkeys = at::zeros(allKeys.sizes(), at::kFloat);
        Results all{at::empty_like(m_dout),
            at::empty({m_case.batch, heads, m_case.seq}, m_dout.options().dtype(at::kFloat)), at::empty_like(m_qkv)};
        for (int rank = 0; rank < m_case.ranks; ++rank) {
            const at::Tensor &at = positions[static_cast<std::size_t>(rank)];
            const Results own = ofRank(kernel, rank, at, allKeys, allDkeys);
            all.out.index_copy_(1, at, own.out);
            all.lse.index_copy_(2, at, own.lse);
            all.dqkv.narrow(2, 0, heads).index_copy_(1, at, own.dqkv.narrow(2, 0, heads));
        }
        for (int rank = 0; rank < m_case.ranks; ++rank)
            all.dqkv.narrow(2, heads, 2 * m_case.kvHeads)
                .index_copy_(1, positions[static_cast<std::size_t>(rank)],
                    allDkeys.select(0, rank).to(m_qkv.device()).to(m_qkv.scalar_type()));
        return all;
    }

    // Adds the gradients of keys to `allDkeys`.
    Results ofRank(aten_ops::FlashKernel kernel, int rank, const at::Tensor &positions, const at::Tensor &allKeys,
        const at::Tensor &allDkeys)
    {
        const at::Tensor qkv = m_qkv.index_select(1, positions), dout = m_dout.index_select(1, positions);
        const Results own{nans(dout.sizes(), dout.options()),
            nans({m_case.batch, m_case.heads, m_case.seq / m_case.ranks}, dout.options().dtype(at::kFloat)),
            nans(qkv.sizes(), qkv.options())};
        const auto forEachTurn = [&](const auto &run) {
            for (int turn = 0; turn < (m_case.ring ? m_case.ranks : 1); ++turn) {
                const int keysOf = (rank - turn + m_case.ranks) % m_case.ranks;
                const auto part = [&](const at::Tensor &all) { return m_case.ring ? all.narrow(0, keysOf, 1) : all; };
                run(aten_ops::SplitSequence{{m_case.ranks, rank}, m_case.ring ? keysOf : aten_ops::kAllRanks}, turn > 0,
                    part);
            }
        };
        forEachTurn([&](const aten_ops::SplitSequence &sequence, bool continues, const auto &part) {
            aten_ops::splitAttention(
                kernel, sequence, qkv, part(allKeys).contiguous(), own.out, own.lse, continues, m_case.options);
        });
        forEachTurn([&](const aten_ops::SplitSequence &sequence, bool continues, const auto &part) {
            const at::Tensor keys = part(allKeys).contiguous(), dkeys = nans(keys.sizes(), keys.options());
            aten_ops::splitAttentionBackward(
                kernel, sequence, {dout, qkv, own.out, own.lse, keys, own.dqkv, dkeys, continues, m_case.options});
            part(allDkeys).add_(dkeys.to(at::kCPU).to(at::kFloat));
        });
        return own;
    }

    SplitCase m_case;
    at::Tensor m_qkv, m_dout;
};

} // namespace slipway::testing
