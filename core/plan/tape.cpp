// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/tape.h"

#include <algorithm>
#include <map>
#include <optional>

namespace slipway {

Value Tape::tensor(const std::string &name, Bytes bytes, Role role, DType type)
{
    const BufferId id = m_builder.buffer({.name = m_prefix + "." + name,
        .bytes = bytes,
        .type = type,
        .role = role,
        .scope = Scope::MicroBatch,
        .perLayer = true});
    m_values.push_back({.use = {.buffer = id}, .bytes = bytes, .type = type});
    return {static_cast<int>(m_values.size()) - 1};
}

Value Tape::existing(BufferId buffer, int layerShift)
{
    const Buffer &b = m_builder.plan.at(buffer);
    m_values.push_back({.use = {.buffer = buffer, .layerShift = static_cast<std::int8_t>(layerShift)},
        .bytes = b.bytes,
        .type = b.type,
        .external = true});
    return {static_cast<int>(m_values.size()) - 1};
}

Value Tape::inPlace(Value value)
{
    Entry entry = m_values[static_cast<std::size_t>(value.id)];
    m_values[static_cast<std::size_t>(value.id)].external = true;
    entry.external = false;
    m_values.push_back(entry);
    return {static_cast<int>(m_values.size()) - 1};
}

// The lifetimes of one recording.
class TapeBlocks {
public:
    TapeBlocks(Tape &tape, Value input, Value output, BufferId gradient, bool keepInput)
        : m_tape(tape),
          m_input(input),
          m_output(output),
          m_gradient(gradient),
          m_keepInput(keepInput)
    {
    }

    Tape::Blocks make()
    {
        findSavers();
        for (std::size_t i = 0; i < m_tape.m_ops.size(); ++i)
            addForward(i);
        m_gradients[m_output.id] = claim({.buffer = m_gradient, .layerShift = 1});
        for (std::size_t i = m_tape.m_ops.size(); i-- > 0;)
            addBackward(i);
        sendToRunning();
        listMade();
        return std::move(m_blocks);
    }

private:
    // The storage of a gradient. Several tensors may share it.
    struct Storage {
        Use use;
        int references = 0;
    };

    [[nodiscard]] const Tape::Entry &entry(Value v) const { return m_tape.m_values[static_cast<std::size_t>(v.id)]; }
    [[nodiscard]] bool isSaved(Value v) const { return m_firstSaver.contains(v.id); }

    void listMade()
    {
        std::array<int, EnumNames<RecomputeOp>::names.size()> counts{};
        for (const TapeOp &op : m_tape.m_ops) {
            const int nth = ++counts[static_cast<std::size_t>(op.group)];
            const auto add = [&](Value v) {
                const BufferId id = entry(v).use.buffer;
                const auto listed = [&](const Tape::Made &m) { return m.buffer == id; };
                if (v.id != m_input.id && v.id != m_output.id &&
                    std::none_of(m_blocks.made.begin(), m_blocks.made.end(), listed))
                    m_blocks.made.push_back({id, op.group, nth, isSaved(v), m_kept.contains(v.id)});
            };
            std::for_each(op.outputs.begin(), op.outputs.end(), add);
            std::for_each(op.saves.begin(), op.saves.end(), add); // tensors that the op creates in addition
        }
    }

    void findSavers()
    {
        if (m_keepInput)
            m_firstSaver.emplace(m_input.id, 0);
        for (std::size_t i = 0; i < m_tape.m_ops.size(); ++i) {
            for (const Value v : m_tape.m_ops[i].saves) {
                m_firstSaver.emplace(v.id, i);
                if (m_tape.m_ops[i].savesItself)
                    m_kept.insert(v.id);
            }
        }
    }

    [[nodiscard]] bool usedLater(Value v, std::size_t after) const
    {
        for (std::size_t i = after + 1; i < m_tape.m_ops.size(); ++i) {
            const auto &inputs = m_tape.m_ops[i].inputs;
            if (std::any_of(inputs.begin(), inputs.end(), [v](Value in) { return in.id == v.id; }))
                return true;
        }
        return false;
    }

    [[nodiscard]] bool madeBefore(Value v, std::size_t op) const
    {
        return std::any_of(
            m_tape.m_ops.begin(), m_tape.m_ops.begin() + static_cast<std::ptrdiff_t>(op), [v](const TapeOp &earlier) {
                return std::any_of(
                    earlier.outputs.begin(), earlier.outputs.end(), [v](Value out) { return out.id == v.id; });
            });
    }

    Use workspace(const std::string &name, Bytes bytes)
    {
        return {.buffer = m_tape.m_builder.buffer({.name = m_tape.m_prefix + "." + name,
                    .bytes = bytes,
                    .role = Role::Workspace,
                    .scope = Scope::MicroBatch})};
    }

    void addForward(std::size_t i)
    {
        const TapeOp &t = m_tape.m_ops[i];
        Op op{.name = t.name, .kernel = t.kernel, .reads = t.weightReads};
        for (const Value v : t.inputs)
            op.reads.push_back(entry(v).use);
        for (const Value v : t.outputs)
            op.writes.push_back(entry(v).use);
        for (const Value v : t.saves) {
            const auto isOf = [v](const std::vector<Value> &list) {
                return std::any_of(list.begin(), list.end(), [v](Value w) { return w.id == v.id; });
            };
            if (!isOf(t.inputs) && !isOf(t.outputs))
                (madeBefore(v, i) ? op.reads : op.writes).push_back(entry(v).use);
        }
        if (t.workspace > 0) {
            op.writes.push_back(workspace(t.name + ".workspace", t.workspace));
            op.frees.push_back(op.writes.back());
        }
        const auto freeIfDone = [&](Value v) {
            const bool listed =
                std::any_of(op.frees.begin(), op.frees.end(), [&](const Use &u) { return u == entry(v).use; });
            if (v.id != m_output.id && !isSaved(v) && !usedLater(v, i) && !listed &&
                !(entry(v).external && v.id != m_input.id))
                op.frees.push_back(entry(v).use);
        };
        for (const Value v : t.inputs)
            freeIfDone(v);
        for (const Value v : t.outputs)
            freeIfDone(v);
        m_blocks.forward.push_back(std::move(op));
    }

    int claim(Use use)
    {
        m_storages.push_back({use, 1});
        return static_cast<int>(m_storages.size()) - 1;
    }

    void release(int storage, Op &op)
    {
        Storage &s = m_storages[static_cast<std::size_t>(storage)];
        if (--s.references == 0)
            op.frees.push_back(s.use);
    }

    Use newGradient(Value v)
    {
        const std::string name = "d" + std::to_string(++m_gradientCount);
        return {.buffer = m_tape.m_builder.buffer({.name = m_tape.m_prefix + "." + name,
                    .bytes = entry(v).bytes,
                    .type = entry(v).type,
                    .role = Role::Activation,
                    .scope = Scope::MicroBatch})};
    }

    void addBackward(std::size_t i)
    {
        const TapeOp &t = m_tape.m_ops[i];
        std::vector<int> outputGradients;
        for (const Value v : t.outputs) {
            if (const auto found = m_gradients.find(v.id); found != m_gradients.end()) {
                outputGradients.push_back(found->second);
                m_gradients.erase(found);
            }
        }
        if (outputGradients.empty()) {
            m_pendingFrees.insert(m_pendingFrees.end(), t.saves.begin(), t.saves.end());
            return;
        }
        for (const int in : t.passesGradient) {
            for (const int g : outputGradients) {
                ++m_storages[static_cast<std::size_t>(g)].references;
                accumulate(t.inputs[static_cast<std::size_t>(in)], g);
            }
        }
        for (const TapeBackward &b : t.backward)
            addBackwardOp(t, b, outputGradients);
        endBackward(i, t, outputGradients);
    }

    void addBackwardOp(const TapeOp &t, const TapeBackward &b, const std::vector<int> &outputGradients)
    {
        Op op{.name = b.name, .kernel = b.kernel, .phase = Phase::Backward, .reads = b.weightReads};
        for (const int g : outputGradients)
            op.reads.push_back(m_storages[static_cast<std::size_t>(g)].use);
        if (b.needsSaved) {
            for (const Value v : t.saves)
                op.reads.push_back(entry(v).use);
        }
        op.writes = b.weightGradients;
        if (b.workspace > 0) {
            op.writes.push_back(workspace(b.name + ".workspace", b.workspace));
            op.frees.push_back(op.writes.back());
        }
        std::optional<int> made;
        if (b.input >= 0) {
            made = claim(newGradient(t.inputs[static_cast<std::size_t>(b.input)]));
            op.writes.push_back(m_storages[static_cast<std::size_t>(*made)].use);
        }
        m_blocks.backward.push_back(std::move(op));
        if (made)
            accumulate(t.inputs[static_cast<std::size_t>(b.input)], *made);
    }

    // If several ops use a tensor, their gradients are summed when the second one arrives.
    void accumulate(Value v, int gradient)
    {
        const auto found = m_gradients.find(v.id);
        if (found == m_gradients.end()) {
            m_gradients[v.id] = gradient;
            return;
        }
        const int other = found->second;
        const std::int64_t elements = entry(v).bytes / sizeOf(entry(v).type);
        const int sum = claim(newGradient(v));
        // With fused sums, the reader also reads this gradient.
        const Kernel added =
            m_tape.m_fusesSums || m_tape.m_fusedSums.contains(v.id)
                ? Kernel{.kind = OpKind::Elementwise, .type = entry(v).type, .bytesRead = entry(v).bytes}
                : Kernel{.kind = OpKind::Add, .type = entry(v).type, .m = 1, .n = elements};
        Op op{.name = "add_gradient",
            .kernel = m_tape.m_builder.kernel(added),
            .phase = Phase::Backward,
            .reads = {m_storages[static_cast<std::size_t>(other)].use,
                m_storages[static_cast<std::size_t>(gradient)].use},
            .writes = {m_storages[static_cast<std::size_t>(sum)].use}};
        release(other, op);
        release(gradient, op);
        m_blocks.backward.push_back(std::move(op));
        m_gradients[v.id] = sum;
    }

    // Frees tensors that no later backward needs with the last kernel of this op's backward.
    void endBackward(std::size_t i, const TapeOp &t, const std::vector<int> &outputGradients)
    {
        if (m_blocks.backward.empty()) { // the first op only passes its gradient on
            for (const int g : outputGradients)
                --m_storages[static_cast<std::size_t>(g)].references;
            m_pendingFrees.insert(m_pendingFrees.end(), t.saves.begin(), t.saves.end());
            return;
        }
        Op &last = m_blocks.backward.back();
        for (const int g : outputGradients)
            release(g, last);
        m_pendingFrees.insert(m_pendingFrees.end(), t.saves.begin(), t.saves.end());
        if (i == 0 && m_keepInput &&
            std::none_of(t.saves.begin(), t.saves.end(), [&](Value v) { return v.id == m_input.id; }))
            m_pendingFrees.push_back(m_input);
        std::erase_if(m_pendingFrees, [&](Value v) {
            if (m_firstSaver.at(v.id) < i)
                return true; // an earlier op still needs it and frees it
            last.frees.push_back(entry(v).use);
            return true;
        });
    }

    // The final sum of the input's gradient becomes the gradient that the block before finds for its output.
    void sendToRunning()
    {
        const auto found = m_gradients.find(m_input.id);
        if (found == m_gradients.end())
            return;
        const Use made = m_storages[static_cast<std::size_t>(found->second)].use;
        for (Op &op : m_blocks.backward) {
            std::replace(op.reads.begin(), op.reads.end(), made, Use{.buffer = m_gradient});
            std::replace(op.writes.begin(), op.writes.end(), made, Use{.buffer = m_gradient});
        }
    }

    Tape &m_tape;
    Value m_input, m_output;
    BufferId m_gradient;
    bool m_keepInput;
    Tape::Blocks m_blocks;
    std::map<int, std::size_t> m_firstSaver; // value -> op
    std::set<int> m_kept;                    // values that an op saves itself
    std::map<int, int> m_gradients;          // value -> storage
    std::vector<Storage> m_storages;
    std::vector<Value> m_pendingFrees;
    int m_gradientCount = 0;
};

Tape::Blocks Tape::finish(Value input, Value output, BufferId gradient, bool keepInput)
{
    return TapeBlocks(*this, input, output, gradient, keepInput).make();
}

} // namespace slipway
