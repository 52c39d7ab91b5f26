// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>

#include "plan/inference/inference_step.h"
#include "serve/serving.h"
#include "speed/collective_time.h"
#include "speed/kernel_time.h"
#include "speed/simulate_step.h"

namespace slipway {

namespace {

constexpr std::int64_t kMostTriedSequences = 65536;

// Tokens of a sequence that is in the middle of its answer.
std::int64_t middlePast(const ServeConfig &config) { return config.prompt + (config.generate - 1) / 2; }

// Every kernel of a decode step in the middle of the answers, as often as it runs.
template<typename Visit>
void forDecodeKernels(const Serving &s, std::int64_t batch, Visit &&visit)
{
    const StepPlan plan =
        buildInferenceStep(s.model, s.layout, {.decoding = batch, .decodePast = middlePast(s.config)});
    for (const Segment &segment : plan.schedule) {
        for (const Slot &slot : segment.slots) {
            for (const Op &op : plan.at(slot.block).ops)
                visit(plan.at(op.kernel), plan.groups);
        }
    }
}

bool isGemm(const Kernel &kernel) { return kernel.kind == OpKind::Gemm || kernel.kind == OpKind::GroupedGemm; }

// Whether a decode step's GEMMs are limited by arithmetic.
bool isComputeBound(const Serving &s, std::int64_t batch)
{
    Seconds arithmetic = 0, memory = 0;
    forDecodeKernels(s, batch, [&](const Kernel &kernel, const std::vector<Group> &) {
        if (!isGemm(kernel))
            return;
        const bool fp8 = kernel.type == DType::Fp8 && s.rates.gemmFp8Flops > 0;
        arithmetic += kernel.flops / (fp8 ? s.rates.gemmFp8Flops : s.rates.gemmFlops);
        memory += double(kernel.bytesRead + kernel.bytesWritten) / s.rates.memoryBandwidth;
    });
    return arithmetic >= memory;
}

} // namespace

Seconds stepTime(const Serving &s, const InferenceStep &step)
{
    DeviceRates rates = s.rates;
    if (s.software.cudaGraphs && step.prefilling == 0 && s.graphLaunch > 0)
        rates.launch = s.graphLaunch;
    return simulateStep(buildInferenceStep(s.model, s.layout, step), rates).step + s.software.step;
}

Seconds prefillTime(const Serving &s, std::int64_t sequences)
{
    const std::int64_t part = s.software.continuousBatching && s.software.batchedTokens > 0
                                  ? std::min(s.config.prompt, s.software.batchedTokens)
                                  : s.config.prompt;
    Seconds time = 0;
    for (std::int64_t past = 0; past < s.config.prompt; past += part)
        time += stepTime(
            s, {.prefilling = sequences, .prefillTokens = std::min(part, s.config.prompt - past), .prefillPast = past});
    return time;
}

Seconds decodeTime(const Serving &s, std::int64_t batch)
{
    return stepTime(s, {.decoding = batch, .decodePast = middlePast(s.config)});
}

Seconds decodeKernelTime(const Serving &s, std::int64_t batch)
{
    Seconds time = 0;
    forDecodeKernels(s, batch, [&](const Kernel &kernel, const std::vector<Group> &groups) {
        if (isGemm(kernel) || kernel.kind == OpKind::FlashAttention)
            time += kernelTime(kernel, s.rates);
        else if (kernel.kind == OpKind::AllReduce)
            time += collectiveOf(kernel, groups[static_cast<std::size_t>(kernel.group)], s.rates).seconds;
    });
    return time;
}

double throughput(const Serving &s, std::int64_t batch)
{
    const double sequences = double(batch), tokens = double(s.config.generate);
    const Seconds prompts = s.software.continuousBatching ? sequences * prefillTime(s, 1) : prefillTime(s, batch);
    // The first token of an answer comes with its prompt.
    return sequences * tokens / (prompts + (tokens - 1) * decodeTime(s, batch));
}

std::int64_t computeBoundBatch(const Serving &s)
{
    std::int64_t least = 0, most = 1;
    while (most <= kMostTriedSequences && !isComputeBound(s, most)) {
        least = most;
        most *= 2;
    }
    if (most > kMostTriedSequences)
        return 0;
    while (most - least > 1) {
        const std::int64_t middle = least + (most - least) / 2;
        (isComputeBound(s, middle) ? most : least) = middle;
    }
    return most;
}

} // namespace slipway
