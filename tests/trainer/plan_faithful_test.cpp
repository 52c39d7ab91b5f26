// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What runs is what was planned: the same bytes alive at every op, and no byte touched that an op does not name.
#include <algorithm>
#include <cstring>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/memory_walk.h"
#include "support/family_models.h"
#include "trainer_fixtures.h"

namespace slipway::testing {
namespace {

struct Mode {
    Attention attention = Attention::Flash;
    Recompute recompute = Recompute::None;
    bool tied = false;
    std::int64_t gradAccum = 2; // both variants of every block, each once
    std::string family = {};    // empty: LLaMA
    bool recipe = false;        // Muon, the moving average and, of experts, the balance losses
};

class PlanFaithfulTest : public ::testing::TestWithParam<Mode> {
protected:
    void SetUp() override
    {
        if (!GetParam().family.empty())
            m_model = smallModelOf(*familyOfType(GetParam().family));
        m_model.head.tied = GetParam().tied;
        m_config.seqLen = 24;
        m_config.attention = GetParam().attention;
        m_config.recompute = GetParam().recompute;
        m_config.gradAccum = GetParam().gradAccum;
        if (GetParam().recipe) {
            m_config.optimizer = OptimizerKind::Muon;
            m_config.ema = 0.9;
            m_config.balanceLoss = m_model.experts.count > 0;
        }
        m_plan = planOf(m_config, m_model);
        m_executor = executorOf(m_plan, m_model, m_communicator);
        m_batch = randomBatch(m_executor->tokensPerStep(), m_model.vocab, 5);
    }

    ModelSpec m_model = smallModel();
    RunConfig m_config = smallConfig();
    StepPlan m_plan;
    SingleCommunicator m_communicator;
    std::unique_ptr<Executor> m_executor;
    Batch m_batch;
};

TEST_P(PlanFaithfulTest, BytesAliveAtEveryOpEqualThePlans)
{
    const std::vector<MemoryInstant> planned = memoryInstants(m_plan);
    std::vector<std::string> names;
    std::vector<Bytes> alive;
    m_executor->setObserver([&](const OpEvent &event) {
        if (event.before) {
            names.push_back(event.op.name);
            alive.push_back(event.alive);
        }
    });
    for (int step = 1; step <= 2; ++step) {
        alive.clear();
        const Result<StepOutcome> outcome = m_executor->step(m_batch.input(), {.step = step});
        ASSERT_TRUE(outcome);
        ASSERT_EQ(alive.size(), planned.size());
        for (std::size_t i = 0; i < planned.size(); ++i)
            EXPECT_EQ(alive[i], std::accumulate(planned[i].byRole.begin(), planned[i].byRole.end(), Bytes{0}))
                << names[i] << ", op " << i;
        EXPECT_EQ(outcome->allocatedPeak, peakMemory(m_plan).allocated);
        EXPECT_EQ(outcome->reservedPeak, peakMemory(m_plan).reserved);
    }
}

// How much of a written operand the kernel fills: all of its instance where the operand is not a part of one.
Bytes writtenBytes(const Kernel &kernel, std::size_t operand, Bytes toInstanceEnd)
{
    const Bytes element = sizeof(float);
    switch (kernel.kind) {
    case OpKind::Gemm:
    case OpKind::MuonMomentum:
    case OpKind::MuonNormalize:
    case OpKind::NewtonSchulz:
        return std::max(1, kernel.batch) * kernel.m * kernel.n * element;
    case OpKind::CrossEntropy:
        return operand == 0 ? kernel.m * kernel.n * element : element;
    case OpKind::RmsNormBackward:
        return operand == 1 ? kernel.n * element : kernel.m * kernel.n * element;
    case OpKind::EmbeddingBackward:
    case OpKind::AddPositionsBackward:
        return kernel.k * kernel.n * element;
    case OpKind::LayerNormBackward:
        return operand > 0 ? kernel.n * element : kernel.m * kernel.n * element;
    case OpKind::BiasBackward:
        return kernel.n * element;
    case OpKind::GroupedGemm:
        return (kernel.form == GemmForm::WeightGradient ? kernel.batch : 1) * kernel.m * kernel.n * element;
    default:
        return toInstanceEnd;
    }
}

TEST_P(PlanFaithfulTest, NoOpWritesOutsideItsOperands)
{
    std::vector<std::byte> before;
    m_executor->setObserver([&](const OpEvent &event) {
        const std::span<const std::byte> arena = m_executor->arenaBytes();
        if (event.before) {
            before.assign(arena.begin(), arena.end());
            return;
        }
        for (std::size_t i = 0; i < event.op.writes.size(); ++i) {
            const std::span<std::byte> operand = m_executor->bytesOf(event.op.writes[i], event.slot, event.microBatch);
            const Bytes bytes = writtenBytes(m_plan.at(event.op.kernel), i, static_cast<Bytes>(operand.size()));
            ASSERT_LE(bytes, static_cast<Bytes>(operand.size()));
            std::memcpy(
                before.data() + (operand.data() - arena.data()), operand.data(), static_cast<std::size_t>(bytes));
        }
        EXPECT_EQ(std::memcmp(before.data(), arena.data(), arena.size()), 0) << event.op.name;
    });
    ASSERT_TRUE(m_executor->step(m_batch.input(), {}));
    ASSERT_TRUE(m_executor->evaluate(m_batch.input()));
}

TEST_P(PlanFaithfulTest, NoOpReadsWhatNobodyWrote)
{
    Gradients clean, poisoned;
    collectGradients(*m_executor, clean);
    const double loss = m_executor->step(m_batch.input(), {}).value().loss;

    // Another executor whose buffers are full of NaN when they are allocated.
    const std::unique_ptr<Executor> other = executorOf(m_plan, m_model, m_communicator);
    other->setObserver([&](const OpEvent &event) {
        recordGradients(*other, event, poisoned);
        if (!event.before)
            return;
        for (const Use &use : event.op.allocations) {
            const std::span<std::byte> bytes = other->bytesOf(use, event.slot, event.microBatch);
            std::memset(bytes.data(), 0xff, bytes.size());
        }
    });
    EXPECT_EQ(other->step(m_batch.input(), {}).value().loss, loss);
    EXPECT_EQ(poisoned, clean);
}

INSTANTIATE_TEST_SUITE_P(Modes, PlanFaithfulTest,
    ::testing::Values(Mode{}, Mode{.attention = Attention::Vanilla}, Mode{.recompute = Recompute::Full, .tied = true},
        Mode{.recompute = Recompute::Selective}, Mode{.attention = Attention::Vanilla, .recompute = Recompute::Full},
        Mode{.tied = true, .gradAccum = 1}, Mode{.recipe = true}),
    [](const auto &parameter) {
        const Mode &m = parameter.param;
        return std::string(enumName(m.attention)) + "_recompute_" + std::string(enumName(m.recompute)) +
               (m.tied ? "_tied_" : "_untied_") + "accumulation_" + std::to_string(m.gradAccum) +
               (m.recipe ? "_recipe" : "");
    });

std::vector<Mode> familyModes()
{
    std::vector<Mode> modes;
    for (const ModelFamily &family : modelFamilies()) {
        modes.push_back({.family = std::string(family.type)});
        modes.push_back({.attention = Attention::Vanilla,
            .recompute = Recompute::Full,
            .tied = true,
            .family = std::string(family.type)});
    }
    modes.push_back({.family = "mixtral", .recipe = true});
    return modes;
}

INSTANTIATE_TEST_SUITE_P(Families, PlanFaithfulTest, ::testing::ValuesIn(familyModes()), [](const auto &parameter) {
    return parameter.param.family + (parameter.param.tied ? "_recomputed" : "") +
           (parameter.param.recipe ? "_recipe" : "");
});

} // namespace
} // namespace slipway::testing
