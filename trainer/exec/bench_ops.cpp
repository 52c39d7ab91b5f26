// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/bench_ops.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace slipway {

namespace {

using Clock = std::chrono::steady_clock;

// The times of each op, per step.
class OpTimes {
public:
    OpTimes(const StepPlan &plan, int steps) : m_plan(plan), m_steps(static_cast<std::size_t>(steps)) {}

    void begin() { m_start = Clock::now(); }

    void end(const OpEvent &event, int step)
    {
        const Seconds took = std::chrono::duration<double>(Clock::now() - m_start).count();
        if (step < 0)
            return; // warm-up
        const std::string name = m_plan.at(event.slot.block).name + "/" + event.op.name;
        Timed &timed = m_ops[name];
        timed.seconds.resize(m_steps);
        timed.seconds[static_cast<std::size_t>(step)] += took;
        if (step > 0)
            return; // every step has the same calls
        const Kernel &kernel = m_plan.at(event.op.kernel);
        timed.op.op = name;
        timed.op.kind = enumName(kernel.kind);
        timed.op.kernel = kernel;
        ++timed.op.calls;
        timed.op.flops += kernel.flops;
        timed.op.bytes += kernel.bytesRead + kernel.bytesWritten;
    }

    std::vector<OpBench> slowestFirst()
    {
        std::vector<OpBench> ops;
        for (auto &[name, timed] : m_ops) {
            const auto median = timed.seconds.begin() + std::ssize(timed.seconds) / 2;
            std::nth_element(timed.seconds.begin(), median, timed.seconds.end());
            timed.op.seconds = *median;
            ops.push_back(timed.op);
        }
        std::sort(ops.begin(), ops.end(), [](const OpBench &a, const OpBench &b) { return a.seconds > b.seconds; });
        return ops;
    }

private:
    struct Timed {
        OpBench op;
        std::vector<Seconds> seconds; // one per step
    };
    const StepPlan &m_plan;
    std::size_t m_steps;
    std::map<std::string, Timed> m_ops;
    Clock::time_point m_start;
};

} // namespace

Result<std::vector<OpBench>> benchOps(
    const StepPlan &plan, const ModelSpec &model, Communicator &communicator, BenchOptions options)
{
    const Result<std::unique_ptr<Executor>> created = benchExecutor(plan, model, communicator, options);
    if (!created)
        return created.error();
    Executor &executor = **created;
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(executor.tokensPerStep()));
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = static_cast<std::int32_t>(i * 7919 % static_cast<std::size_t>(model.vocab));

    const auto loss = std::find_if(
        plan.buffers.begin(), plan.buffers.end(), [](const Buffer &buffer) { return buffer.name == "loss"; });
    const Use lossUse{.buffer = static_cast<BufferId>(loss - plan.buffers.begin())};
    OpTimes times(plan, options.steps);
    int step = -options.warmup;
    executor.setObserver([&](const OpEvent &event) {
        // Reading a byte of device memory waits for all earlier work of the device.
        if (options.backend != BackendKind::Host)
            static_cast<void>(executor.bytesOf(lossUse, event.slot, event.microBatch));
        if (event.before)
            times.begin();
        else
            times.end(event, step);
    });
    for (; step < options.steps; ++step) {
        const Result<StepOutcome> outcome = executor.step({tokens, tokens}, {.step = options.warmup + step + 1});
        if (!outcome)
            return outcome.error();
    }
    return times.slowestFirst();
}

} // namespace slipway
