// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "plan/fp8_scaling.h"
#include "plan/simulated_layer_writer.h"

namespace slipway {

// How tensor-parallel ranks shard a weight. Column-parallel GEMMs gather or copy their input, and reduce its gradient.
// Row-parallel GEMMs reduce their output.
enum class WeightSplit { Columns, Rows };

// An activation that runs in the epilogues of GEMMs.
struct ActivationEpilogue {
    std::optional<Value> result; // of the activation, which the GEMM writes together with its own result
    std::optional<Value> input;  // of the activation whose result is the GEMM's input: for that input's gradient
};

// The GEMMs of one layer, with the communication of tensor parallelism and the conversions of their operands. An input
// that was gathered or converted for one GEMM is reused for the next.
class SimulatedLinear : private LayerWriter {
public:
    explicit SimulatedLinear(const LayerWriter &writer) : LayerWriter(writer) {}

    // y = x W^T + b, with W [out, in]. Under autocast, the operands are cast first. `name` is the name of the weight.
    Value record(Value x, const std::string &name, std::int64_t out, std::int64_t in, bool bias, WeightSplit split,
        const ActivationEpilogue &epilogue = {});

private:
    // A weight and its GEMM.
    struct Gemm {
        std::string name;
        std::int64_t out = 0, in = 0;
        bool bias = false;
        WeightSplit split = WeightSplit::Columns;
        Bytes message = 0;       // the residual stream of all tensor-parallel ranks
        Bytes whole = 0;         // a gathered input that is not kept for the backward pass
        bool activation = false; // the gradient of the input is multiplied by that of the activation
    };
    KernelId scaling(double elements, int layouts = 2) { return fp8Scaling(m_b, m_r, elements, layouts); }
    void addQuantizedWeight(TapeOp &op, const Gemm &gemm);
    void addBackward(TapeOp &op, const Gemm &gemm);
    Value quantize(Value x, const std::string &name, std::int64_t width);
    KernelId tpCollective(Bytes bytes, OpKind kind = OpKind::AllReduce, bool overlapsGemm = false);
    Value reduced(Value part, const std::string &name, Bytes message);
    KernelId layout(Bytes message);
    Value gathered(Value x, const std::string &name);

    std::map<int, Value> m_gathered; // by the id of the value that was gathered
    std::set<int> m_scaled;          // ids of values that were converted to fp8, for all GEMMs that read them
};

} // namespace slipway
