// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Operands are in the order that OpKind documents (plan/step_plan.h).
#include "exec/op_groups.h"

#include "exec/op_operands.h"

namespace slipway {
namespace {

void allReduce(const OpCall &c, const StepContext &context)
{
    groupOf(c, context).allReduceSum({c.write(0), static_cast<std::size_t>(c.kernel.n)});
}

void reduceScatter(const OpCall &c, const StepContext &context)
{
    Communicator &group = groupOf(c, context);
    const auto all = static_cast<std::size_t>(c.kernel.n);
    group.reduceScatterSum(
        {reinterpret_cast<float *>(c.reads[0]), all}, {c.write(0), all / static_cast<std::size_t>(group.size())});
}

void allGather(const OpCall &c, const StepContext &context)
{
    Communicator &group = groupOf(c, context);
    const auto all = static_cast<std::size_t>(c.kernel.messageBytes);
    group.allGather({c.reads[0], all / static_cast<std::size_t>(group.size())}, {c.writes[0], all});
}

void send(const OpCall &c, const StepContext &context)
{
    Communicator &group = groupOf(c, context);
    group.send({c.reads[0], static_cast<std::size_t>(c.kernel.messageBytes)}, peerOf(c, group));
}

void receive(const OpCall &c, const StepContext &context)
{
    Communicator &group = groupOf(c, context);
    group.receive({c.writes[0], static_cast<std::size_t>(c.kernel.messageBytes)}, peerOf(c, group));
}

} // namespace

OpFunction collectiveOp(OpKind kind)
{
    switch (kind) {
    case OpKind::AllReduce:
        return allReduce;
    case OpKind::ReduceScatter:
        return reduceScatter;
    case OpKind::AllGather:
        return allGather;
    case OpKind::Send:
        return send;
    case OpKind::Receive:
        return receive;
    default:
        return nullptr;
    }
}

} // namespace slipway
