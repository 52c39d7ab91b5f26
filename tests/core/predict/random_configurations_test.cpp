// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What must hold of any configuration that can be planned, over many that nobody thought of.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "config/resolve_model.h"
#include "config/settings.h"
#include "plan/data_parallel.h"
#include "predict/assess.h"
#include "predict/predict_memory.h"
#include "support/shipped_catalogue.h"
#include "support/torch_version.h"

namespace slipway {
namespace {

constexpr int kConfigurations = 600;

class Dice {
public:
    explicit Dice(unsigned seed) : m_numbers(seed) {}
    template<typename T>
    T of(std::initializer_list<T> choices)
    {
        return choices.begin()[m_numbers() % choices.size()];
    }
    template<typename Enum>
    Enum any()
    {
        return static_cast<Enum>(m_numbers() % EnumNames<Enum>::names.size());
    }
    std::size_t below(std::size_t count) { return m_numbers() % count; }
    bool once(unsigned in) { return m_numbers() % in == 0; }

private:
    std::mt19937 m_numbers; // the standard says what it gives, of its distributions it does not
};

ModelSpec anyModel(Dice &dice)
{
    ModelSpec m{.name = "any",
        .layers = dice.of({4, 6, 8, 12}),
        .hidden = dice.of({256, 512, 1024}),
        .attention = {.heads = dice.of({8, 16}), .headDim = 64},
        .vocab = dice.of({1000, 32000, 50257})};
    m.attention.kvHeads = dice.of({1, 2, m.attention.heads});
    m.mlp.width = dice.of({2, 3, 4}) * m.hidden;
    m.head.tied = dice.once(2);
    if (dice.once(2)) {
        m.mlp = {.width = m.mlp.width, .gated = false, .activation = Activation::GeluErf};
        m.norm.kind = NormKind::LayerNorm;
        m.position = Position::Learned;
        m.embedding.positions = 4096;
        m.attention.qkvBias = m.attention.outBias = m.mlp.bias = m.norm.bias = true;
        m.mlp.byParts = dice.once(2);
        m.dropout = dice.once(2);
    } else if (dice.once(4)) {
        m.experts.count = 8;
        m.experts.perToken = 2;
    }
    return m;
}

// What our own trainer lacks is left out.
void letOurTrainerRun(ResolvedConfig &s, Dice &dice)
{
    RunConfig &c = s.config;
    ModelSpec &m = s.model;
    m = {.name = "any",
        .layers = m.layers,
        .hidden = m.hidden,
        .attention = {.heads = m.attention.heads, .kvHeads = m.attention.kvHeads, .headDim = m.attention.headDim},
        .mlp = {.width = m.mlp.width},
        .vocab = m.vocab,
        .head = {.tied = m.head.tied}};
    c.parallel = {.kind = c.parallel.kind, .gpus = c.parallel.kind == ParallelKind::None ? 1 : c.parallel.gpus};
    c.precision = dice.of({Precision::Bf16Mixed, Precision::Fp32});
    c.recomputeOps.clear();
    c.simulated.gradientType = GradientType::Auto;
    c.simulated.lossPath = LossPath::Auto;
    c.optimizer = OptimizerKind::AdamW;
    c.optimizerInBackward = c.offloadActivations = false;
}

ResolvedConfig anyConfig(Dice &dice)
{
    ResolvedConfig s{.model = anyModel(dice),
        .gpu = catalogue().gpu(dice.of<const char *>({"a100-sxm-80gb", "h100-sxm-80gb", "v100-sxm2-16gb"})).value()};
    RunConfig &c = s.config;
    c.gpu = s.gpu.id;
    c.framework = dice.any<Framework>();
    c.parallel = {.kind = dice.any<ParallelKind>(),
        .tp = dice.of({1, 1, 2}),
        .pp = dice.of({1, 1, 2, 4}),
        .cp = dice.of({1, 1, 2})};
    c.parallel.gpus = c.parallel.modelParallel() * (c.parallel.kind == ParallelKind::None ? 1 : dice.of({1, 2, 4, 16}));
    c.parallel.ep = s.model.experts.count > 0 ? dice.of({1, 2}) : 1;
    c.parallel.virtualStages = c.parallel.pp > 1 ? dice.of({1, 1, 2}) : 1;
    c.attention = dice.any<Attention>();
    c.microBatch = dice.of({1, 2, 3, 8});
    c.seqLen = dice.of({128, 512, 1000});
    c.gradAccum = dice.of({1, 2, 8});
    c.gradReduce = dice.any<GradReduce>();
    c.precision = dice.any<Precision>();
    testing::setTorch(c, dice.of<const char *>({"", "1.9", "1.13", "2.0", "2.4", "2.9"}));
    c.simulated.sharder = dice.any<Sharder>();
    c.simulated.autocast = dice.once(4);
    c.simulated.trainMetrics = dice.once(8);
    c.simulated.fusedKernels = dice.once(8);
    c.simulated.unpadAttention = dice.once(8);
    c.simulated.gemmEpilogues = dice.any<GemmEpilogues>();
    c.simulated.fusedAddNorm = dice.once(4);
    c.simulated.packedQkv = dice.once(4);
    c.simulated.halfModel = dice.once(4);
    c.simulated.halfAdapters = dice.once(4);
    c.simulated.lateZeroGrad = dice.once(4);
    c.simulated.autocastCache = !dice.once(4);
    c.simulated.gradientType = dice.any<GradientType>();
    c.simulated.expertGemm = dice.any<ExpertGemm>();
    c.simulated.expandableSegments = dice.once(4);
    c.simulated.lossPath = dice.any<LossPath>();
    c.optimizer =
        dice.of({OptimizerKind::AdamW, OptimizerKind::AdamWForeach, OptimizerKind::AdamW8bit, OptimizerKind::Sgd});
    c.optimizerInBackward = dice.once(8);
    c.offloadActivations = dice.once(8);
    c.recompute = dice.any<Recompute>();
    if (c.recompute == Recompute::Selective && dice.once(2))
        c.recomputeOps = {
            std::string(enumName(dice.any<RecomputeOp>())), std::string(enumName(dice.any<RecomputeOp>()))};
    if (c.framework == Framework::Slipway)
        letOurTrainerRun(s, dice);
    return s;
}

std::string described(const ResolvedConfig &s)
{
    const ModelSpec &m = s.model;
    std::string text = m.norm.kind == NormKind::LayerNorm ? "gpt" : "llama";
    for (const auto &[name, size] : {std::pair("layers", m.layers), {"hidden", m.hidden}, {"heads", m.attention.heads},
             {"kv_heads", m.attention.kvHeads}, {"ffn", m.mlp.width}, {"vocab", m.vocab}, {"experts", m.experts.count}})
        text += " " + std::string(name) + "=" + std::to_string(size);
    for (const SettingChange &change : differences(RunConfig{}, s.config))
        text += " " + change.key + "=" + change.after;
    return text;
}

// Of the stage that has most alive, which need not be the one that reserves most.
Bytes peakAllocated(const ResolvedConfig &s)
{
    Bytes peak = 0;
    const SharedPlan shared = sharedPlan(s.config, s.model).value();
    for (const MemoryNeeds &stage : shared.needs)
        peak = std::max(peak, stage.peak.allocated);
    return peak;
}

MemoryPrediction memoryOf(const ResolvedConfig &s)
{
    return predictMemory(s, sharedPlan(s.config, s.model).value(), catalogue().rates);
}

// The most that activations take at once, on the stage where that is most.
Bytes peakOfActivations(const ResolvedConfig &s)
{
    Bytes peak = 0;
    const RunPlan run = buildPlan(s.config, s.model).value();
    for (const StepPlan &stage : run.stages) {
        for (const MemoryInstant &instant : memoryInstants(stage))
            peak = std::max(peak, instant.byRole[static_cast<std::size_t>(Role::Activation)]);
    }
    return peak;
}

class AnyConfiguration : public ::testing::Test {
protected:
    // Calls check(ResolvedConfig) for as many as can be planned.
    template<typename Check>
    static void forMany(unsigned seed, int count, Check &&check)
    {
        Dice dice(seed);
        for (int planned = 0; planned < count && !HasFailure();) {
            const ResolvedConfig s = anyConfig(dice);
            if (!validate(s.config, s.model) || !buildPlan(s.config, s.model))
                continue;
            ++planned;
            SCOPED_TRACE(described(s));
            EXPECT_NO_THROW(check(s));
        }
    }
};

TEST_F(AnyConfiguration, hasPartsThatSumToItsPeakAndRangesAroundIt)
{
    forMany(1, kConfigurations, [](const ResolvedConfig &s) {
        const MemoryPrediction m = memoryOf(s);
        const Bytes parts = std::accumulate(m.atPeak.begin(), m.atPeak.end(), Bytes{0});
        EXPECT_LE(parts, m.peakAllocated);
        EXPECT_LT(m.peakAllocated - parts, 4 * kMiB);
        EXPECT_EQ(m.peak, m.peakReserved + m.outsideAllocator);
        EXPECT_LE(m.peakP10, m.peak);
        EXPECT_GE(m.peakP90, m.peak);
        EXPECT_EQ(m.headroom, m.capacity - m.peak);
        for (const Bytes part : m.atPeak)
            EXPECT_GE(part, 0);
    });
}

TEST_F(AnyConfiguration, takesTimeOfWhichNoPartIsNegative)
{
    forMany(5, kConfigurations / 2, [](const ResolvedConfig &s) {
        const Result<Assessment> a = assess(s, catalogue());
        if (!a)
            return; // fp8 on a GPU that has none
        const SpeedPrediction &speed = a->speed;
        EXPECT_GT(speed.step, 0);
        EXPECT_TRUE(std::isfinite(speed.step));
        EXPECT_GT(speed.mfu, 0);
        EXPECT_GE(speed.hfu, speed.mfu);
        EXPECT_GE(speed.communicationExposed, 0);
        EXPECT_LE(speed.stepP10, speed.stepP90);
        for (const Seconds seconds : speed.seconds)
            EXPECT_GE(seconds, 0);
    });
}

// Options that no profile sets together as well.
TEST_F(AnyConfiguration, isPlannedOrRefusedWhateverItsFrameworkOptions)
{
    Dice dice(8);
    int planned = 0;
    for (int i = 0; i < 10 * kConfigurations; ++i) {
        ResolvedConfig s = anyConfig(dice);
        if (s.config.framework == Framework::Slipway)
            continue;
        for (const Setting &setting : settings()) {
            const std::vector<std::string> choices = setting.choices();
            if (setting.isFrameworkOption() && !choices.empty() && dice.once(4))
                (void)setSettingText(setting, s.config, choices[dice.below(choices.size())]);
        }
        if (!validate(s.config, s.model))
            continue;
        SCOPED_TRACE(described(s));
        EXPECT_NO_THROW(planned += assess(s, catalogue()) ? 1 : 0);
    }
    EXPECT_GT(planned, kConfigurations);
}

TEST_F(AnyConfiguration, takesMoreForMoreSequencesLongerOnesAndMoreLayers)
{
    forMany(2, kConfigurations, [](const ResolvedConfig &s) {
        const Bytes before = peakAllocated(s);
        ResolvedConfig more = s;
        more.config.microBatch *= 4; // of Megatron's soft-max kernel: it takes whole fours of rows
        EXPECT_GE(peakAllocated(more), before) << "four times the sequences";
        more = s;
        more.config.seqLen *= 2;
        EXPECT_GE(peakAllocated(more), before) << "sequences twice as long";
        more = s;
        more.model.layers *= 2;
        // Chunks of a pipeline that 6 layers and the ends fill may not divide 12.
        if (validate(more.config, more.model)) {
            EXPECT_GE(peakAllocated(more), before) << "twice the layers";
        }
    });
}

TEST_F(AnyConfiguration, takesAsMuchForMoreMicroBatchesOnceItsPipelineIsFull)
{
    forMany(6, kConfigurations / 2, [](ResolvedConfig s) {
        s.config.gradAccum = 16;
        const Bytes before = peakAllocated(s);
        s.config.gradAccum = 32;
        if (s.config.parallel.pp > 1 && s.config.framework != Framework::Megatron)
            EXPECT_GT(peakAllocated(s), before) << "PyTorch's pipelines have buffers for the messages of all";
        else
            EXPECT_EQ(peakAllocated(s), before);
    });
}

TEST_F(AnyConfiguration, hasShardsThatSumToTheWholeModel)
{
    forMany(7, kConfigurations / 2, [](ResolvedConfig s) {
        Parallelism &mesh = s.config.parallel;
        mesh = {.kind = mesh.kind == ParallelKind::Hsdp ? ParallelKind::FsdpFull : mesh.kind,
            .gpus = mesh.kind == ParallelKind::None ? 1 : 16};
        const auto states = [](const ResolvedConfig &resolved) {
            const StepPlan plan = buildPlan(resolved.config, resolved.model).value().stages.front();
            Bytes bytes = 0;
            for (const Buffer &buffer : plan.buffers)
                bytes += buffer.role == Role::OptimizerState ? buffer.bytes * (buffer.perLayer ? plan.layers : 1) : 0;
            return double(bytes);
        };
        const bool spread = mesh.kind == ParallelKind::Zero1 || runsFsdp(mesh.kind);
        const double each = states(s);
        const bool tensorwise =
            mesh.kind == ParallelKind::Zero1 &&
            s.config.framework != Framework::Megatron; // ZeroRedundancyOptimizer: the rank with most
        mesh = {.kind = mesh.kind};
        const double whole = states(s);
        if (tensorwise && each * 16 > 1.001 * whole)
            EXPECT_LT(each, whole);
        else
            EXPECT_NEAR(each * (spread ? 16 : 1), whole, 0.001 * whole);
    });
}

TEST_F(AnyConfiguration, takesNoMoreActivationsAtOnceForRecomputingThem)
{
    forMany(3, kConfigurations, [](const ResolvedConfig &s) {
        if (s.model.layers < 2 * s.config.parallel.pp)
            return; // of one layer all is there at once
        ResolvedConfig other = s;
        other.config.recomputeOps.clear();
        other.config.offloadActivations = false; // else nothing waits on the device that recomputation could save
        other.config.recompute = Recompute::None;
        const Bytes none = peakOfActivations(other);
        other.config.recompute = Recompute::Full;
        EXPECT_LE(peakOfActivations(other), none) << "full";
        other.config.recompute = Recompute::Selective;
        EXPECT_LE(peakOfActivations(other), none) << "attention";
    });
}

TEST_F(AnyConfiguration, fitsWithItsLargestMicroBatchAndNotWithOneMore)
{
    forMany(4, kConfigurations / 20, [](ResolvedConfig s) {
        s.config.memoryGib = 12;
        const std::int64_t largest = largestMicroBatch(s, catalogue().rates);
        s.config.microBatch = largest;
        if (largest > 0) {
            EXPECT_NE(memoryOf(s).verdict, Verdict::Oom) << largest;
        }
        ++s.config.microBatch;
        EXPECT_EQ(memoryOf(s).verdict, Verdict::Oom) << s.config.microBatch;
    });
}

} // namespace
} // namespace slipway
