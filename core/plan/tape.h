// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Records the forward code of another framework as its autograd does: each op names the tensors that it saves. The
// forward block, the backward block and the lifetimes of all tensors follow from that.
//
// Tensors are instances of the slot's layer. A tensor that is not saved is freed after its last use, a saved one after
// the backward of the first op that saved it, and a gradient after its consumer.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "plan/plan_builder.h"

namespace slipway {

// A tensor on the tape.
struct Value {
    int id = -1;
};

// One kernel of an op's backward.
struct TapeBackward {
    std::string name;
    KernelId kernel{};
    int input = -1; // index of the op's input whose gradient it computes; -1: none
    std::vector<Use> weightReads, weightGradients;
    bool needsSaved = true; // reads what the op saved
    Bytes workspace = 0;    // alive while it runs
};

struct TapeOp {
    std::string name;
    KernelId kernel{};
    std::vector<Value> inputs, outputs;
    std::vector<Use> weightReads;
    std::vector<Value> saves; // inputs, outputs or further tensors that autograd saves
    bool savesItself = false; // in attributes of its own, which torch.utils.checkpoint without reentrance does not drop
    std::vector<TapeBackward> backward;
    std::vector<int> passesGradient; // inputs with the gradient of the output, without a copy: addition, views
    Bytes workspace = 0;
    RecomputeOp group = RecomputeOp::Activation; // the group of ops in which selective recomputation counts it
};

class Tape {
public:
    // `fusesAdditions`: the kernel that reads the sum of a tensor's gradients also computes it, as compilers do.
    Tape(PlanBuilder &builder, std::string prefix, bool fusesAdditions = false)
        : m_builder(builder),
          m_prefix(std::move(prefix)),
          m_fusesSums(fusesAdditions)
    {
    }

    // A tensor that ops write. `role` decides the part of the memory chart it counts to.
    Value tensor(const std::string &name, Bytes bytes, Role role = Role::Activation, DType type = DType::Bf16);
    // A tensor of another block: the layer's input, the instance of the slot's layer (shift 0).
    Value existing(BufferId buffer, int layerShift = 0);
    // A new value in the storage of `value`, which is overwritten. The storage is freed with the new value.
    Value inPlace(Value value);
    // The same for the gradients of one tensor.
    void fuseSums(Value value) { m_fusedSums.insert(value.id); }
    void add(TapeOp op) { m_ops.push_back(std::move(op)); }

    [[nodiscard]] BufferId bufferOf(Value value) const
    {
        return m_values[static_cast<std::size_t>(value.id)].use.buffer;
    }

    // A tensor that an op makes.
    struct Made {
        BufferId buffer{};
        RecomputeOp group{};
        int nth = 0;        // op of its group, from 1
        bool saved = false; // by autograd, until backward
        bool kept = false;  // by an op that saves it itself
    };
    struct Blocks {
        std::vector<Op> forward, backward;
        std::vector<Made> made; // in order; not the block's input and output
    };
    // `input` is freed after its last forward use, unless an op saves it or `keepInput` (checkpointing) is set.
    // `output` stays allocated for the next block. `gradient` has the gradients between blocks: that of the output is
    // the instance of the next layer.
    Blocks finish(Value input, Value output, BufferId gradient, bool keepInput);

private:
    struct Entry {
        Use use;
        Bytes bytes = 0;
        DType type = DType::Bf16;
        bool external = false;
    };
    friend class TapeBlocks;

    PlanBuilder &m_builder;
    std::string m_prefix;
    bool m_fusesSums;
    std::set<int> m_fusedSums; // values
    std::vector<Entry> m_values;
    std::vector<TapeOp> m_ops;
};

} // namespace slipway
