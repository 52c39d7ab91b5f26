// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Splits the backward pass of a layer in two, so that a pipeline stage can send the gradient of its input before it
// computes those of its weights (Qi et al. 2023, arXiv 2401.10241, section 2.1). GEMMs of weight gradients are delayed,
// and so are ops whose results only these GEMMs read. The buffers that delayed ops read are kept until they run. A
// buffer that each layer has already is kept as it is. A buffer that lives in one block gets its own name. A buffer
// that another op changes is copied.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "plan/passes/strategies.h"
#include "plan/pipeline_order.h"

namespace slipway::native {

namespace {

bool usesBuffer(const std::vector<Use> &list, BufferId buffer)
{
    return std::ranges::any_of(list, [buffer](const Use &use) { return use.buffer == buffer; });
}

// The ops of one block while they are split into two blocks.
class Splitting {
public:
    Splitting(PlanBuilder &builder, std::map<std::string, BufferId> &kept, Block &backward)
        : m_b(builder),
          m_kept(kept),
          m_ops(backward.ops),
          m_delayed(m_ops.size(), false)
    {
    }

    Block run()
    {
        for (std::size_t i = 0; i < m_ops.size(); ++i)
            m_delayed[i] = isWeightGradient(m_ops[i]);
        delayTheirProducers();
        for (std::size_t i = 0; i < m_ops.size(); ++i) {
            for (std::size_t operand = 0; m_delayed[i] && operand < m_ops[i].reads.size(); ++operand)
                keep(i, operand); // may insert an op before number i
        }
        return split();
    }

private:
    [[nodiscard]] bool isWeightGradient(const Op &op) const
    {
        const Kernel &kernel = m_b.plan.at(op.kernel);
        return kernel.kind == OpKind::BiasBackward ||
               ((kernel.kind == OpKind::Gemm || kernel.kind == OpKind::GroupedGemm) &&
                   kernel.form == GemmForm::WeightGradient);
    }
    [[nodiscard]] bool isOfLayer(BufferId buffer) const
    {
        const Buffer &b = m_b.plan.at(buffer);
        return b.scope == Scope::MicroBatch && b.perLayer;
    }
    [[nodiscard]] bool livesInStep(BufferId buffer) const { return m_b.plan.at(buffer).scope != Scope::MicroBatch; }
    [[nodiscard]] bool isWrittenAfter(std::size_t i, BufferId buffer) const
    {
        for (std::size_t later = i + 1; later < m_ops.size(); ++later) {
            if (!m_delayed[later] && usesBuffer(m_ops[later].writes, buffer))
                return true;
        }
        return false;
    }
    // Whether the op starts a new value in the buffer.
    [[nodiscard]] bool begins(const Op &op, BufferId buffer) const
    {
        return usesBuffer(op.writes, buffer) && !usesBuffer(op.reads, buffer) && !op.accumulate;
    }

    // Also delays ops whose results are read only by delayed ops. It goes from the last op to the first, so that it
    // also finds the ops before such an op. Only ops that read unchanged per-layer buffers are delayed; otherwise more
    // buffers would have to be kept, not fewer.
    void delayTheirProducers()
    {
        for (std::size_t i = m_ops.size(); i-- > 0;)
            m_delayed[i] = m_delayed[i] || feedsOnlyDelayedOps(i);
    }
    [[nodiscard]] bool feedsOnlyDelayedOps(std::size_t i) const
    {
        const Op &op = m_ops[i];
        const bool stays = std::ranges::all_of(
            op.reads, [&](const Use &use) { return isOfLayer(use.buffer) && !isWrittenAfter(i, use.buffer); });
        return stays && !op.accumulate && !op.reads.empty() && std::ranges::all_of(op.writes, [&](const Use &use) {
            return begins(op, use.buffer) && !livesInStep(use.buffer) && !isOfLayer(use.buffer) &&
                   isReadOnlyByDelayedOps(i, use.buffer);
        });
    }
    [[nodiscard]] bool isReadOnlyByDelayedOps(std::size_t i, BufferId buffer) const
    {
        for (std::size_t next = i + 1; next < m_ops.size(); ++next) {
            if (begins(m_ops[next], buffer))
                return true;
            const bool used = usesBuffer(m_ops[next].reads, buffer) || usesBuffer(m_ops[next].writes, buffer);
            if (used && !m_delayed[next])
                return false;
        }
        return true;
    }

    void keep(std::size_t &i, std::size_t operand)
    {
        const BufferId buffer = m_ops[i].reads[operand].buffer;
        if (livesInStep(buffer) || (isOfLayer(buffer) && !isWrittenAfter(i, buffer)))
            return;
        std::size_t begin = i;
        while (begin > 0 && !begins(m_ops[begin - 1], buffer))
            --begin;
        if (begin > 0 && m_delayed[begin - 1])
            return; // the op that writes the value is also delayed
        const BufferId own = kept(m_ops[i].name + "_" + std::to_string(operand), buffer);
        const std::size_t end = endOfValue(i, buffer);
        const bool changes = std::any_of(m_ops.begin() + difference(i), m_ops.begin() + difference(end),
            [&](const Op &op) { return usesBuffer(op.writes, buffer); });
        if (begin > 0 && !isOfLayer(buffer) && !changes)
            return rename(begin - 1, end, buffer, own);
        copy(i, end, buffer, own);
    }

    static std::ptrdiff_t difference(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

    // The position at which the buffer gets another value, or the end of the block.
    [[nodiscard]] std::size_t endOfValue(std::size_t i, BufferId buffer) const
    {
        std::size_t end = i + 1;
        while (end < m_ops.size() && !begins(m_ops[end], buffer))
            ++end;
        return end;
    }

    // Creates a buffer that each layer keeps until its delayed ops have run.
    BufferId kept(const std::string &name, BufferId like)
    {
        const auto known = m_kept.find(name);
        if (known != m_kept.end())
            return known->second;
        Buffer buffer = m_b.plan.at(like);
        buffer.name = name + "_kept";
        buffer.role = Role::Activation;
        buffer.perLayer = true;
        return m_kept[name] = m_b.buffer(std::move(buffer));
    }

    void rename(std::size_t begin, std::size_t end, BufferId from, BufferId to)
    {
        for (std::size_t i = begin; i < end; ++i) {
            Op &op = m_ops[i];
            for (std::vector<Use> *list : {&op.reads, &op.writes, &op.frees}) {
                for (Use &use : *list)
                    use.buffer = use.buffer == from ? to : use.buffer;
            }
        }
    }

    // Copies the buffer before op `i`; this op and the delayed ops after it that would have read the same value read
    // the copy.
    void copy(std::size_t &i, std::size_t end, BufferId from, BufferId to)
    {
        for (std::size_t next = i; next < end; ++next) {
            if (next > i && !m_delayed[next] && usesBuffer(m_ops[next].writes, from))
                break;
            if (!m_delayed[next])
                continue;
            for (Use &use : m_ops[next].reads)
                use.buffer = use.buffer == from ? to : use.buffer;
        }
        const Buffer &b = m_b.plan.at(from);
        m_ops.insert(m_ops.begin() + difference(i),
            {.name = m_b.plan.at(to).name,
                .kernel = m_b.kernel(
                    {.kind = OpKind::Scale, .type = b.type, .m = 1, .n = b.bytes / sizeOf(b.type), .scale = 1}),
                .phase = Phase::Backward,
                .reads = {{.buffer = from}},
                .writes = {{.buffer = to}}});
        m_delayed.insert(m_delayed.begin() + difference(i), false);
        ++i;
    }

    Block split()
    {
        Block left{"layer_weights", {}, true};
        std::vector<Op> now;
        for (std::size_t i = 0; i < m_ops.size(); ++i) {
            Op &op = m_ops[i];
            if (m_delayed[i]) {
                freeBefore(now, op);
                left.ops.push_back(std::move(op));
            } else {
                now.push_back(std::move(op));
            }
        }
        freeKept(now, left);
        m_ops = std::move(now);
        return left;
    }

    // A delayed op may free buffers that it no longer reads. These are freed by the last op that uses them now.
    static void freeBefore(std::vector<Op> &now, Op &op)
    {
        std::vector<Use> stays;
        for (const Use &use : op.frees) {
            const auto last = std::find_if(now.rbegin(), now.rend(), [&](const Op &before) {
                return usesBuffer(before.reads, use.buffer) || usesBuffer(before.writes, use.buffer);
            });
            if (usesBuffer(op.reads, use.buffer) || usesBuffer(op.writes, use.buffer) || last == now.rend())
                stays.push_back(use);
            else
                last->frees.push_back(use);
        }
        op.frees = std::move(stays);
    }

    // The buffers of a layer that the later block reads are freed there, at their last use.
    void freeKept(std::vector<Op> &now, Block &left) const
    {
        std::vector<BufferId> found;
        for (Op &op : left.ops) {
            for (const Use &use : op.reads) {
                if (isOfLayer(use.buffer) && std::ranges::find(found, use.buffer) == found.end())
                    found.push_back(use.buffer);
            }
            std::erase_if(op.frees, [this](const Use &use) { return isOfLayer(use.buffer); });
        }
        for (Op &op : now)
            std::erase_if(op.frees, [&](const Use &use) {
                return use.layerShift == 0 && std::ranges::find(found, use.buffer) != found.end();
            });
        for (const BufferId buffer : found) {
            const auto last = std::find_if(
                left.ops.rbegin(), left.ops.rend(), [&](const Op &op) { return usesBuffer(op.reads, buffer); });
            last->frees.push_back({.buffer = buffer});
        }
    }

    PlanBuilder &m_b;
    std::map<std::string, BufferId> &m_kept;
    std::vector<Op> &m_ops;
    std::vector<bool> m_delayed;
};

class SplitBackward : public Strategy {
public:
    explicit SplitBackward(PlanBuilder &builder) : m_b(builder) {}

    std::optional<Block> deferWeightGradients(Block &backward) override
    {
        return Splitting(m_b, m_kept, backward).run();
    }

private:
    PlanBuilder &m_b;
    std::map<std::string, BufferId> m_kept; // by the name of the op that reads it
};

} // namespace

StrategyPointer splitBackward(const StrategyParts &parts)
{
    return parts.layout.splitsBackward ? std::make_unique<SplitBackward>(parts.builder) : nullptr;
}

} // namespace slipway::native
