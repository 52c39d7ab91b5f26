// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "serve/serving.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "config/resolve_model.h"
#include "config/validate_mesh.h"

namespace slipway {

namespace {

Result<void> checkLengths(const ServeConfig &config, const ModelSpec &model, Lengths lengths)
{
    if (lengths == Lengths::WithinContext || model.position == Position::Learned) {
        if (Result<void> fits = checkPositions(model, config.prompt, config.generate); !fits)
            return fits;
    }
    if (config.maxLength && *config.maxLength < config.length())
        return flagError("--max-length",
            fmt::format("{} tokens are fewer than the {} of a request", *config.maxLength, config.length()),
            fmt::format("{} or more", config.length()));
    return {};
}

Result<void> checkRanks(const ServeConfig &config, const ModelSpec &model)
{
    const int tp = config.run.parallel.tp;
    if (model.attention.heads % tp != 0)
        return flagError("--tp",
            fmt::format(
                "the tensor-parallel size {} does not divide the {} attention heads", tp, model.attention.heads),
            "a divisor of the number of attention heads");
    if (model.attention.kvHeads % tp != 0 && tp % model.attention.kvHeads != 0)
        return flagError("--tp",
            fmt::format("the tensor-parallel size {} neither divides nor is a multiple of the {} key-value heads", tp,
                model.attention.kvHeads),
            "a divisor or a multiple of the number of key-value heads");
    return {};
}

double bitsOf(StoredType type, const ServingSoftware &software)
{
    switch (type) {
    case StoredType::Fp32:
        return 32;
    case StoredType::Bf16:
        return 16;
    case StoredType::Int8:
        return software.int8Bits;
    case StoredType::Int4:
        return software.int4Bits;
    case StoredType::Fp8:
        break;
    }
    return 8;
}

InferenceLayout layoutOf(const ServeConfig &config, const Gpu &gpu, const ServingSoftware &software)
{
    InferenceLayout layout;
    // A processor computes in fp32 whatever it stores; a GPU does so where the weights are fp32.
    layout.type = gpu.isCpu || config.weights == StoredType::Fp32 ? DType::Fp32 : DType::Bf16;
    layout.fp8Gemms = config.weights == StoredType::Fp8 && gpu.fp8Flops.has_value();
    layout.weightBits = bitsOf(config.weights, software);
    const double plain = config.weights == StoredType::Fp32 ? 32 : 16;
    layout.tableBits = software.quantizesTables ? std::min(plain, layout.weightBits) : plain;
    layout.cacheBits = bitsOf(config.kv, software);
    layout.tp = config.run.parallel.tp;
    layout.fusedAttention = software.fusedAttention;
    layout.growsCache = software.growsCache;
    layout.allLogits = software.allLogits;
    layout.fusesProjections = software.fusesProjections;
    const auto launches = [](std::int64_t kernels) {
        return static_cast<int>(std::clamp<std::int64_t>(kernels, 1, 64));
    };
    layout.normKernels = launches(software.normKernels);
    layout.ropeKernels = launches(software.ropeKernels);
    layout.activationKernels = launches(software.activationKernels);
    return layout;
}

void takeRates(Serving &s, const Catalogue &catalogue)
{
    RunConfig run = s.config.run;
    run.framework = Framework::Slipway; // whose kernels lose nothing of the catalogue's rates
    run.precision = s.layout.type == DType::Fp32 ? Precision::Fp32 : Precision::Bf16Mixed;
    run.simulated.attentionKernel =
        enumFromName<AttentionKernel>(s.software.attentionKernel).value_or(AttentionKernel::Auto);
    s.rates = deviceRates(s.gpu, catalogue, run);
    s.graphLaunch = s.rates.graphLaunch;
    s.rates.graphLaunch = 0; // stepTime() decides which steps are graphs
    s.rates.kernelGap = 0;   // part of what was fitted to whole steps of the software
    if (!s.gpu.isCpu) {
        s.rates.launch = s.software.launch;
        s.rates.cacheBandwidth = s.software.cacheBandwidthFraction * s.gpu.memoryBandwidth;
        s.rates.cacheLatency = s.software.cacheLatency;
        s.rates.cacheTimePerKey = s.software.cacheTimePerKey;
        const StoredType weights = s.config.weights;
        const double part = weights == StoredType::Int4   ? s.software.int4BandwidthFraction
                            : weights == StoredType::Int8 ? s.software.int8BandwidthFraction
                                                          : 0;
        s.rates.packedBandwidth = part * s.gpu.memoryBandwidth;
    }
    if (s.software.allReduceLatency > 0 && s.gpu.linkBandwidth > 0) {
        s.rates.nodeLink.latency = s.software.allReduceLatency;
        s.rates.nodeLink.latencyPerRank = s.software.allReduceLatencyPerRank;
    }
    if (!s.software.trainerKernels)
        run.framework = Framework::PytorchEager;
    s.outside = outsideAllocatorMemory(s.gpu, run, catalogue.rates);
}

} // namespace

Result<void> checkPositions(
    const ModelSpec &model, std::int64_t prompt, std::int64_t generate, const LengthFlags &flags)
{
    const std::int64_t most = model.longestSequence();
    if (most <= 0 || prompt + generate <= most)
        return {};
    if (most == 1)
        return flagError(flags.prompt, fmt::format("{} has 1 position, which leaves none for an answer", model.name),
            "a model with more positions");
    if (prompt >= most)
        return flagError(flags.prompt,
            fmt::format("a prompt of {} tokens does not fit into the {} positions of {}", prompt, most, model.name),
            fmt::format("1 to {}", most - 1));
    return flagError(flags.generate,
        fmt::format("{} and {} tokens exceed the {} positions of {}", prompt, generate, most, model.name),
        fmt::format("1 to {} after a prompt of {}", most - prompt, prompt));
}

Result<Serving> resolveServing(
    const ServeConfig &config, const Catalogue &catalogue, const Frameworks &frameworks, Lengths lengths)
{
    Serving s{.config = config};
    const Result<Gpu> gpu = catalogue.gpu(config.run.gpu);
    if (!gpu)
        return gpu.error();
    s.gpu = *gpu;
    Result<ModelSpec> model = resolveModel(config.run.model, catalogue);
    if (!model)
        return model.error();
    s.model = *std::move(model);
    for (const Result<void> &checked : {checkLengths(config, s.model, lengths), checkRanks(config, s.model)}) {
        if (!checked)
            return checked.error();
    }
    if (s.config.framework.empty())
        s.config.framework = s.gpu.isCpu ? "slipway" : "vllm";
    Result<ServingSoftware> software = servingSoftware(s.config.framework, s.gpu.arch, frameworks);
    if (!software)
        return software.error();
    s.software = *std::move(software);
    s.config.run.parallel.gpus = s.config.run.parallel.tp;
    s.config.run.parallel.gpusPerNode = std::max(s.config.run.parallel.gpusPerNode, 1);
    s.block = s.config.contiguous ? 0 : s.config.block.value_or(s.software.block);
    s.layout = layoutOf(s.config, s.gpu, s.software);
    s.capacity = config.run.memoryGib ? static_cast<Bytes>(*config.run.memoryGib * double(kGiB)) : s.gpu.memoryBytes;
    if (s.config.batch > s.software.sequences)
        return flagError("--batch",
            fmt::format("{} takes at most {} sequences at once", s.software.title, s.software.sequences),
            fmt::format("1 to {}", s.software.sequences));
    takeRates(s, catalogue);
    return s;
}

} // namespace slipway
