// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "plan/simulated_optimizer.h"

#include <utility>

namespace slipway {

void SimulatedOptimizer::addUpdateInBackward(std::vector<Op> &ops, const Unit &u)
{
    if (!updatesInBackward())
        return;
    ops.push_back({.name = "adamw",
        .kernel = optimizerKernel(u),
        .phase = Phase::Optimizer,
        .reads = residentGradients(u),
        .writes = {{.buffer = u.weights}, {.buffer = u.masters}, {.buffer = u.momentum}, {.buffer = u.variance}},
        .frees = residentGradients(u)});
}

void SimulatedOptimizer::addOptimizer()
{
    if (updatesInBackward())
        return;
    Segment segment{.microBatches = 0};
    addGradientCopies(segment);
    const bool freesGradients = plan().at(m_root.gradients).scope == Scope::Step;
    const BufferId norm = m_b.buffer(
        {.name = "gradient_norm", .bytes = 4, .type = DType::Fp32, .role = Role::Workspace, .scope = Scope::Run});
    for (const Unit *u : units())
        addClipping(segment, *u, norm);
    const bool foreach = m_c.optimizer == OptimizerKind::AdamWForeach && !updatesOnHost();
    // torch._foreach_sqrt creates one tensor per second moment before any weight is updated (torch/optim/adamw.py).
    for (const Unit *u : foreach ? units() : std::vector<const Unit *>{})
        addToUnit(segment, *u, "denominators",
            {{.name = "foreach_sqrt",
                .kernel = nothing(),
                .phase = Phase::Optimizer,
                .reads = {{.buffer = u->gradients}},
                .writes = {{.buffer = u->momentum}, {.buffer = u->variance}, {.buffer = u->denominators}}}});
    for (const Unit *u : units())
        addToUnit(segment, *u, "optimizer", updatesOnHost() ? hostUpdate(*u) : update(*u, norm));
    for (const Unit *u : foreach ? units() : std::vector<const Unit *>{})
        addToUnit(segment, *u, "free_denominators",
            {{.name = "free_denominators",
                .kernel = nothing(),
                .phase = Phase::Optimizer,
                .frees = {{.buffer = u->denominators}}}});
    if (m_ownGradients)
        addOnce(segment, {.name = "free_own_gradients", .frees = {{.buffer = *m_ownGradients}}});
    // zero_grad(set_to_none) runs after the whole step.
    for (const Unit *u : freesGradients ? units() : std::vector<const Unit *>{})
        addToUnit(segment, *u, "zero_grad", {zeroGrad(*u, Phase::Optimizer)});
    plan().schedule.push_back(std::move(segment));
}

Op SimulatedOptimizer::zeroGrad(const Unit &u, Phase phase)
{
    return {.name = "zero_grad", .kernel = nothing(), .phase = phase, .frees = residentGradients(u)};
}

void SimulatedOptimizer::addToUnit(Segment &segment, const Unit &u, const char *name, std::vector<Op> ops)
{
    addSlots(segment.slots, m_b.block({name, std::move(ops), u.perLayer}));
}

void SimulatedOptimizer::addOnce(Segment &segment, Op op)
{
    op.kernel = nothing();
    op.phase = Phase::Optimizer;
    const std::string name = op.name;
    segment.slots.push_back({.block = m_b.block({name, {std::move(op)}})});
}

void SimulatedOptimizer::addGradientCopies(Segment &segment)
{
    if (m_flatGradients) {
        addOnce(segment, {.name = "flatten_gradients",
                             .reads = {{.buffer = m_root.gradients}},
                             .writes = {{.buffer = *m_flatGradients}}});
        addOnce(segment, {.name = "own_gradients",
                             .reads = {{.buffer = *m_flatGradients}},
                             .writes = {{.buffer = *m_ownGradients}},
                             .frees = {{.buffer = *m_flatGradients}}});
    } else if (m_ownGradients) {
        addOnce(segment, {.name = "main_gradients",
                             .reads = {{.buffer = m_root.gradients}},
                             .writes = {{.buffer = *m_ownGradients}}});
    }
}

void SimulatedOptimizer::addClipping(Segment &segment, const Unit &u, BufferId norm)
{
    const double own = double(residentBytes(u));
    addToUnit(segment, u, "gradient_norm",
        {{.name = "norm",
             .kernel = bytesKernel(own, 4, CostClass::Optimizer),
             .phase = Phase::Optimizer,
             .reads = residentGradients(u),
             .writes = {{.buffer = norm}}},
            {.name = "clip",
                .kernel = bytesKernel(own, own, CostClass::Optimizer),
                .phase = Phase::Optimizer,
                .reads = {{.buffer = norm}},
                .writes = residentGradients(u)}});
}

std::vector<Op> SimulatedOptimizer::update(const Unit &u, BufferId norm)
{
    Op op{.name = "adamw",
        .kernel = optimizerKernel(u),
        .phase = Phase::Optimizer,
        .reads = residentGradients(u),
        .writes = {{.buffer = u.weights}, {.buffer = u.masters}, {.buffer = u.momentum}, {.buffer = u.variance}}};
    op.reads.push_back({.buffer = norm});
    if (m_r.usesForLoopOptimizer) {
        op.writes.push_back({.buffer = u.denominators});
        op.frees.push_back({.buffer = u.denominators});
    }
    std::vector<Op> ops{op};
    if ((m_p.kind == ParallelKind::Zero1 || keepsWeightsWhole()) && u.sharding.ranks > 1 && !gathersUpdated())
        ops.push_back(gatherWeights(u));
    return ops;
}

Op SimulatedOptimizer::gatherWeights(const Unit &u)
{
    return {.name = "gather_weights",
        .kernel = collective(OpKind::AllGather, u.trained * sizeOf(m_r.weight), u.sharding.group),
        .phase = Phase::Optimizer,
        .reads = {{.buffer = u.weights}},
        .writes = {{.buffer = u.weights}}};
}

// ZeRO-Offload (Ren et al. 2021, arXiv 2101.06840): gradients are copied to the host, whose CPUs update master weights
// and moments. Updated weights are copied back. The engine waits for it (DeepSpeed's stage 3 and CPUAdam).
std::vector<Op> SimulatedOptimizer::hostUpdate(const Unit &u)
{
    const std::int64_t own = stateElements(u.trained, u.sharding);
    const auto over = [&](std::string name, std::int64_t amount, CostClass cost) {
        return Op{.name = std::move(name),
            .kernel = m_b.kernel({.kind = OpKind::HostCopy, .type = m_r.compute, .cost = cost, .m = 1, .n = amount}),
            .phase = Phase::Optimizer,
            .reads = residentGradients(u),
            .writes = {{.buffer = u.weights}}};
    };
    std::vector<Op> ops{over("gradients_to_host", own * sizeOf(m_r.gradient), CostClass::Elementwise),
        over("cpu_adam", own, CostClass::Optimizer),
        over("weights_to_device", own * sizeOf(m_r.compute), CostClass::Elementwise)};
    if ((m_p.kind == ParallelKind::Zero1 || keepsWeightsWhole()) && u.sharding.ranks > 1)
        ops.push_back(gatherWeights(u));
    return ops;
}

// AdamW reads the gradient, weights or master weights, and both moments. It writes all of them except the gradient.
// foreach needs more passes. Tensor by tensor, it runs nine kernels that read 14 numbers per element and write 9 (torch
// 1.12, optim/adamw.py, _single_tensor_adamw).
KernelId SimulatedOptimizer::optimizerKernel(const Unit &u)
{
    const Bytes updated =
        m_r.freezesWeights() ? stateElements(u.trained, u.sharding) * sizeOf(m_r.adapter) : plan().at(u.masters).bytes;
    const double read =
        double(residentBytes(u) + updated + (u.momentum == u.masters ? updated : plan().at(u.momentum).bytes) +
               (u.variance == u.masters ? updated : plan().at(u.variance).bytes));
    const double written = read - double(residentBytes(u)), half = m_r.masters ? double(plan().at(u.weights).bytes) : 0;
    if (m_r.usesForLoopOptimizer)
        return bytesKernel(
            read * 14 / 4, written * 9 / 3 + half, CostClass::Optimizer, false, 9 * (isFlat() ? 1 : u.tensors));
    const double passes = m_c.optimizer == OptimizerKind::AdamWForeach ? 2.5 : 1;
    return bytesKernel(read * passes, written * passes + half, CostClass::Optimizer);
}

} // namespace slipway
