// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/bench_ops.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace slipway {

Result<std::vector<OpBench>> benchOps(const StepPlan &plan, const ModelSpec &model, Communicator &communicator, BenchOptions options)
{
    using Clock = std::chrono::steady_clock;
    Result<std::unique_ptr<Executor>> created = Executor::create(plan, model, communicator, {.backend = options.backend, .seed = options.seed, .threads = options.threads});
    if (!created)
        return created.error();
    Executor &executor = **created;
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(executor.tokensPerStep()));
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = static_cast<std::int32_t>(i * 7919 % static_cast<std::size_t>(model.vocab));

    const auto loss = std::find_if(plan.buffers.begin(), plan.buffers.end(), [](const Buffer &buffer) { return buffer.name == "loss"; });
    const Use lossUse{.buffer = static_cast<BufferId>(loss - plan.buffers.begin())};
    std::map<std::string, OpBench> ops;
    std::map<std::string, std::vector<Seconds>> seconds;
    Clock::time_point start;
    for (int step = 0; step < options.warmup + options.steps; ++step) {
        const bool timed = step >= options.warmup;
        executor.setObserver([&](const OpEvent &event) {
            // Reading a byte of the device waits for all that it was told to do.
            if (options.backend != BackendKind::Host)
                static_cast<void>(executor.bytesOf(lossUse, event.slot, event.microBatch));
            if (event.before) {
                start = Clock::now();
                return;
            }
            const Seconds took = std::chrono::duration<double>(Clock::now() - start).count();
            if (!timed)
                return;
            const Kernel &kernel = plan.at(event.op.kernel);
            const std::string name = plan.at(event.slot.block).name + "/" + event.op.name;
            OpBench &op = ops[name];
            std::vector<Seconds> &times = seconds[name];
            times.resize(static_cast<std::size_t>(options.steps));
            times[static_cast<std::size_t>(step - options.warmup)] += took;
            if (step == options.warmup) {
                op.op = name;
                op.kind = enumName(kernel.kind);
                op.kernel = kernel;
                ++op.calls;
                op.flops += kernel.flops;
                op.bytes += kernel.bytesRead + kernel.bytesWritten;
            }
        });
        const Result<StepOutcome> outcome = executor.step({tokens, tokens}, {.step = step + 1});
        if (!outcome)
            return outcome.error();
    }
    std::vector<OpBench> sorted;
    for (auto &[name, op] : ops) {
        std::vector<Seconds> &times = seconds[name];
        std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
        op.seconds = times[times.size() / 2];
        sorted.push_back(op);
    }
    std::sort(sorted.begin(), sorted.end(), [](const OpBench &a, const OpBench &b) { return a.seconds > b.seconds; });
    return sorted;
}

} // namespace slipway
