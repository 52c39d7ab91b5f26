// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The host memory that offloading takes, against bytes per parameter counted by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/model_spec.h"
#include "one_billion.h"
#include "plan/build_plan.h"
#include "plan/host_memory.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::oneBillion;
using testing::predicted;

RunConfig sharded(Sharder sharder, HostOffload offload)
{
    RunConfig config = oneBillion();
    config.framework = Framework::PytorchEager;
    config.parallel = {.kind = ParallelKind::FsdpFull, .gpus = 8};
    config.simulated.sharder = sharder;
    config.hostOffload = offload;
    return config;
}

double perParameter(const Prediction &p, Role role)
{
    return double(p.memory.host[static_cast<std::size_t>(role)]) / double(parameterCount(p.model));
}

constexpr double kPadding = 0.01; // bytes per parameter

TEST(HostMemory, isSixteenBytesPerParameterUnderZeroOffload)
{
    const Prediction p = predicted(sharded(Sharder::DeepSpeed, HostOffload::Optimizer));
    EXPECT_NEAR(perParameter(p, Role::Parameter), 0, kPadding);
    EXPECT_NEAR(perParameter(p, Role::MasterWeight), 4, kPadding);
    EXPECT_NEAR(perParameter(p, Role::Gradient), 4, kPadding);
    EXPECT_NEAR(perParameter(p, Role::OptimizerState), 8, kPadding);
    EXPECT_NEAR(double(hostBytes(p.memory.host)) / double(parameterCount(p.model)), 16, kPadding);
}

TEST(HostMemory, isTwoMoreBytesPerParameterWithOffloadedWeights)
{
    const Prediction p = predicted(sharded(Sharder::DeepSpeed, HostOffload::Weights));
    EXPECT_NEAR(perParameter(p, Role::Parameter), 2, kPadding);
    EXPECT_NEAR(double(hostBytes(p.memory.host)) / double(parameterCount(p.model)), 18, kPadding);
}

// The fp32 parameter is offloaded and updated; there is no other copy of it.
TEST(HostMemory, isParametersGradientsAndMomentsUnderFsdp)
{
    const Prediction p = predicted(sharded(Sharder::Fsdp1, HostOffload::Weights));
    EXPECT_NEAR(perParameter(p, Role::Parameter), 4, kPadding);
    EXPECT_EQ(perParameter(p, Role::MasterWeight), 0);
    EXPECT_NEAR(perParameter(p, Role::Gradient), 4, kPadding);
    EXPECT_NEAR(perParameter(p, Role::OptimizerState), 8, kPadding);
}

TEST(HostMemory, isOfOneNode)
{
    RunConfig config = sharded(Sharder::DeepSpeed, HostOffload::Optimizer);
    const Bytes all = hostBytes(predicted(config).memory.host);
    config.parallel.gpus = 16; // two nodes, each with half of the shards
    EXPECT_NEAR(double(hostBytes(predicted(config).memory.host)), double(all) / 2, 0.001 * double(all));
    config.parallel = {.kind = ParallelKind::Hsdp, .gpus = 16}; // each node has all shards
    EXPECT_NEAR(double(hostBytes(predicted(config).memory.host)), double(all), 0.001 * double(all));
}

// With full recomputation, only the input of each layer is saved: tokens x hidden size in bf16.
TEST(HostMemory, holdsTheOffloadedActivationsOfAllRanksOfTheNode)
{
    RunConfig config = sharded(Sharder::Auto, HostOffload::None);
    config.recompute = Recompute::Full;
    config.offloadActivations = true;
    config.microBatch = 2;
    config.gradAccum = 3; // one micro-batch is in flight at a time
    const Prediction p = predicted(config);
    const Bytes inputs = Bytes{8} * p.model.layers * 2 * config.seqLen * p.model.hidden * 2;
    EXPECT_EQ(p.memory.host[static_cast<std::size_t>(Role::Activation)], inputs);
    EXPECT_EQ(hostBytes(p.memory.host), inputs);
}

TEST(HostMemory, isOfTheNodeWithTheLargestStages)
{
    RunConfig config = sharded(Sharder::Auto, HostOffload::None);
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 16, .tp = 2, .pp = 2}; // a node has one stage
    config.framework = Framework::Megatron;
    config.recompute = Recompute::Full;
    config.offloadActivations = true;
    config.gradAccum = 4;
    const Prediction p = predicted(config);
    const HostMemory first = hostMemoryOfRank(config, p.model, 0), last = hostMemoryOfRank(config, p.model, 1);
    EXPECT_GT(hostBytes(first), hostBytes(last)) << "more micro-batches are in flight";
    EXPECT_EQ(hostBytes(p.memory.host), 8 * hostBytes(first));
}

TEST(HostMemory, isInTheTextAndTheJsonAndReadBack)
{
    const Prediction p = predicted(sharded(Sharder::DeepSpeed, HostOffload::Optimizer));
    EXPECT_THAT(toText(p), HasSubstr("host memory per node: "));
    const nlohmann::ordered_json json = toJson(p);
    EXPECT_EQ(json["memory"]["host_bytes"], hostBytes(p.memory.host));
    EXPECT_EQ(json["memory"]["host"]["optimizer"], p.memory.host[static_cast<std::size_t>(Role::OptimizerState)]);
    const Result<Prediction> back = predictionFromJson(nlohmann::json::parse(json.dump()));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->memory.host, p.memory.host);

    const Prediction none = predicted(oneBillion());
    EXPECT_THAT(toText(none), Not(HasSubstr("host memory")));
    EXPECT_EQ(toJson(none)["memory"]["host_bytes"], 0);
}

} // namespace
} // namespace slipway
