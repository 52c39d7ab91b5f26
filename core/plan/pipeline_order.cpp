// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/pipeline_order.h"

#include <algorithm>
#include <map>
#include <utility>

namespace slipway {

namespace {

class Orderer {
public:
    Orderer(const Parallelism &mesh, int stage, std::int64_t microBatches)
        : m_stages(mesh.pp),
          m_modelChunks(mesh.virtualStages),
          m_stage(stage),
          m_microBatches(microBatches)
    {
    }

    std::vector<PipelineAction> allForwardAllBackward()
    {
        run(PipelinePass::Forward, m_microBatches);
        run(PipelinePass::Backward, m_microBatches);
        return std::move(m_order);
    }

    // `ahead` forward passes, then one forward and one backward pass in turn, then the remaining backward passes.
    std::vector<PipelineAction> oneForwardOneBackward(std::int64_t ahead)
    {
        const std::int64_t all = m_microBatches * m_modelChunks;
        ahead = std::min(ahead, all);
        run(PipelinePass::Forward, ahead);
        for (std::int64_t i = ahead; i < all; ++i) {
            run(PipelinePass::Forward, 1);
            run(PipelinePass::Backward, 1);
        }
        run(PipelinePass::Backward, ahead);
        return std::move(m_order);
    }

    // ZB-H1 (Qi et al. 2023, arXiv 2401.10241, section 2.2; PyTorch's schedules.py delays in the same way): 1F1B with
    // delayed weight gradients. A stage runs fewer micro-batches ahead than the first stage, and delays the weight
    // gradients of as many. So all stages hold the same number of micro-batches, and the delayed work fills the end.
    std::vector<PipelineAction> withoutBubble()
    {
        const std::vector<PipelineAction> order = oneForwardOneBackward(m_stages - 1 - m_stage);
        std::vector<PipelineAction> split;
        const auto addWeights = [&](std::int64_t microBatch) {
            split.push_back({PipelinePass::Weights, 0, microBatch});
        };
        for (const PipelineAction &action : order) {
            split.push_back(action);
            if (action.pass == PipelinePass::Backward && action.microBatch >= m_stage)
                addWeights(action.microBatch - m_stage);
        }
        for (std::int64_t owed = std::max<std::int64_t>(0, m_microBatches - m_stage); owed < m_microBatches; ++owed)
            addWeights(owed);
        return split;
    }

private:
    // Adds the next `count` passes of this kind. Model chunks alternate after as many micro-batches as there are stages
    // (Megatron-LM's forward_backward_pipelining_with_interleaving).
    void run(PipelinePass pass, std::int64_t count)
    {
        std::int64_t &next = pass == PipelinePass::Forward ? m_forward : m_backward;
        for (; count > 0; --count, ++next) {
            if (m_modelChunks == 1) {
                m_order.push_back({pass, 0, next});
                continue;
            }
            const std::int64_t inRound = std::int64_t{m_stages} * m_modelChunks;
            const int chunk = static_cast<int>(next % inRound) / m_stages;
            m_order.push_back({pass, pass == PipelinePass::Forward ? chunk : m_modelChunks - 1 - chunk,
                next / inRound * m_stages + next % m_stages});
        }
    }

    const int m_stages, m_modelChunks, m_stage;
    const std::int64_t m_microBatches;
    std::int64_t m_forward = 0, m_backward = 0;
    std::vector<PipelineAction> m_order;
};

// Passes of the first and the last micro-batch do not repeat, because the sums of gradients begin and end with them.
bool repeats(const PipelineAction &action, const PipelineAction &later, std::int64_t shift, std::int64_t microBatches)
{
    return action.pass == later.pass && action.modelChunk == later.modelChunk &&
           action.microBatch + shift == later.microBatch && action.microBatch > 0 &&
           later.microBatch + 1 < microBatches;
}

// The start and the length of the longest run of actions that repeat `length` later.
std::pair<std::size_t, std::size_t> longestRun(
    const std::vector<PipelineAction> &order, std::size_t length, std::int64_t shift, std::int64_t microBatches)
{
    std::size_t best = 0, bestLength = 0, begin = 0;
    for (std::size_t i = 0; i + length < order.size(); ++i) {
        if (!repeats(order[i], order[i + length], shift, microBatches))
            begin = i + 1;
        else if (i + 1 - begin > bestLength) {
            best = begin;
            bestLength = i + 1 - begin;
        }
    }
    return {best, bestLength};
}

} // namespace

std::vector<PipelineAction> pipelineOrder(const Parallelism &mesh, int stage, std::int64_t microBatches)
{
    Orderer orderer(mesh, stage, microBatches);
    const int after = mesh.pp - 1 - stage;
    switch (mesh.pipelineSchedule()) {
    case PipelineSchedule::GPipe:
        return orderer.allForwardAllBackward();
    case PipelineSchedule::ZeroBubble:
        return orderer.withoutBubble();
    case PipelineSchedule::Interleaved:
        return orderer.oneForwardOneBackward(
            std::int64_t{2} * after + (mesh.virtualStages - 1) * std::int64_t{mesh.pp});
    case PipelineSchedule::Auto:
    case PipelineSchedule::OneForwardOneBackward:
        break;
    }
    return orderer.oneForwardOneBackward(after);
}

int instancesOf(const std::vector<PipelineAction> &order)
{
    std::map<std::int64_t, int> left; // remaining actions of each micro-batch in flight
    for (const PipelineAction &action : order)
        ++left[action.microBatch];
    std::int64_t most = 1, newest = -1;
    for (const PipelineAction &action : order) {
        newest = std::max(newest, action.microBatch);
        most = std::max(most, newest - left.begin()->first + 1);
        if (--left[action.microBatch] == 0)
            left.erase(action.microBatch);
    }
    return static_cast<int>(most);
}

FoldedOrder foldedOrder(const Parallelism &mesh, int stage, std::int64_t microBatches)
{
    // The repeated part of a long step also occurs in a short one.
    const bool holdsAll = mesh.pipelineSchedule() == PipelineSchedule::GPipe;
    const std::int64_t few = holdsAll ? microBatches : std::min(microBatches, std::int64_t{4} * mesh.pp);
    FoldedOrder folded{.last = microBatches - 1, .instances = instancesOf(pipelineOrder(mesh, stage, few))};
    if (mesh.pipelineSchedule() == PipelineSchedule::Interleaved) // its rounds pass all stages
        folded.instances = static_cast<int>(roundUp(folded.instances, mesh.pp));
    const std::int64_t shift = folded.instances, extra = std::max<std::int64_t>(0, microBatches / shift - 6),
                       played = microBatches - extra * shift;
    const std::vector<PipelineAction> order = pipelineOrder(mesh, stage, played);
    const std::size_t length = order.size() / static_cast<std::size_t>(played) * static_cast<std::size_t>(shift);
    const auto [begin, run] = longestRun(order, length, shift, played);
    const std::size_t rounds = run < length ? 0 : run / length + 1;
    if (rounds < 2) {
        folded.before = pipelineOrder(mesh, stage, microBatches);
        return folded;
    }
    const auto at = [&order](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
    folded.before.assign(order.begin(), at(begin));
    folded.round.assign(at(begin), at(begin + length));
    folded.after.assign(at(begin + rounds * length), order.end());
    for (PipelineAction &action : folded.after)
        action.microBatch -= static_cast<std::int64_t>(rounds - 1) * shift;
    folded.last = played - 1 - static_cast<std::int64_t>(rounds - 1) * shift;
    folded.repeat = static_cast<std::int64_t>(rounds) + extra;
    folded.roundMicroBatches = static_cast<int>(shift);
    return folded;
}

} // namespace slipway
