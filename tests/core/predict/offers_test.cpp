// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/offers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "predict/predict.h"

namespace slipway {
namespace {

const Catalogue &catalogue()
{
    static const Catalogue loaded = loadCatalogue().value();
    return loaded;
}

RunConfig billion()
{
    RunConfig config;
    config.model.name = "1B";
    config.gpu = "a100-sxm-80gb";
    config.parallel = {.kind = ParallelKind::Ddp, .gpus = 8};
    config.microBatch = 16;
    return config;
}

const Offer &offerOf(const std::vector<Offer> &offers, const std::string &gpu)
{
    return *std::find_if(offers.begin(), offers.end(), [&](const Offer &offer) { return offer.config.gpu == gpu; });
}

TEST(Offers, OfTheOwnCardAreItsPlan)
{
    const std::vector<Offer> offers = offersFor(billion(), catalogue()).value();
    const Prediction plan = predict(billion(), catalogue()).value();
    const Offer &own = offerOf(offers, "a100-sxm-80gb");
    EXPECT_EQ(own.config, billion());
    EXPECT_EQ(own.peak, plan.memory.peak);
    EXPECT_DOUBLE_EQ(own.tokensPerSecond, plan.speed.tokensPerSecond);
    ASSERT_TRUE(own.asPlanned);
    EXPECT_NEAR(own.usdAt(*own.asPlanned), *plan.cost.usd, 1e-6);
}

TEST(Offers, LeaveOutCardsWithoutProductsInBf16UnlessFp16IsAskedFor)
{
    RunConfig config = billion();
    config.framework = Framework::PytorchEager;
    const auto skippedOn = [&](const char *gpu) {
        const std::vector<Offer> offers = offersFor(config, catalogue()).value();
        return offerOf(offers, gpu).skipped;
    };
    EXPECT_NE(skippedOn("v100-sxm2-32gb").find("fp16-mixed"), std::string::npos);
    EXPECT_EQ(skippedOn("h100-sxm-80gb"), "");
    config.precision = Precision::Fp16Mixed;
    EXPECT_EQ(skippedOn("v100-sxm2-32gb"), "");
}

TEST(Offers, KeepTheTokensOfAStepAndAreWhatAPlanOfThatCardSays)
{
    bool smaller = false;
    const std::vector<Offer> offers = offersFor(billion(), catalogue()).value(); // a loop over value() would outlive its Result
    for (const Offer &offer : offers) {
        if (!offer.skipped.empty())
            continue;
        EXPECT_EQ(offer.config.tokensPerStep(), billion().tokensPerStep()) << offer.card;
        const Result<Prediction> plan = predict(offer.config, catalogue(), {.suggestions = false, .maxMicroBatch = false});
        ASSERT_TRUE(plan) << offer.card << ": " << plan.error().message();
        EXPECT_EQ(offer.verdict, plan->memory.verdict) << offer.card;
        EXPECT_EQ(offer.peak, plan->memory.peak) << offer.card;
        EXPECT_DOUBLE_EQ(offer.tokensPerSecond, plan->speed.tokensPerSecond) << offer.card;
        smaller |= offer.runs() && offer.config.microBatch < 16;
    }
    EXPECT_TRUE(smaller) << "cards with less memory take smaller micro-batches";
}

TEST(Offers, PutTheLeastDollarsFirstAndWhatDoesNotRunLast)
{
    const std::vector<Offer> offers = offersFor(billion(), catalogue()).value();
    double before = 0;
    bool ran = true;
    for (const Offer &offer : offers) {
        EXPECT_TRUE(ran || !offer.runs());
        ran = offer.runs();
        if (!offer.runs() || !offer.cheapest)
            continue;
        EXPECT_GE(offer.usdAt(*offer.cheapest), before * 0.999999);
        EXPECT_FALSE(offer.cheapest->spot);
        EXPECT_TRUE(!offer.spot || offer.spot->spot);
        before = offer.usdAt(*offer.cheapest);
    }
    EXPECT_GT(before, 0);
}

TEST(Offers, OfACapAreForTheCardThatItCaps)
{
    RunConfig capped = billion();
    capped.memoryGib = 10;
    const std::vector<Offer> offers = offersFor(capped, catalogue()).value();
    EXPECT_EQ(offerOf(offers, "a100-sxm-80gb").capacity, 10 * kGiB);
    EXPECT_GT(offerOf(offers, "h100-sxm-80gb").capacity, 70 * kGiB);
}

TEST(Offers, AreWrittenWithEveryPriceAndItsBook)
{
    const nlohmann::ordered_json json = toJson(offersFor(billion(), catalogue()).value());
    for (const auto &offer : json) {
        EXPECT_TRUE(offer.contains("gpu") && offer.contains("skipped"));
        if (offer["skipped"].is_null() && !offer["cheapest"].is_null()) {
            EXPECT_GT(offer["cheapest"]["usd_per_gpu_hour"], 0);
            EXPECT_FALSE(offer["cheapest"]["price_book"].get<std::string>().empty());
        }
    }
    EXPECT_FALSE(offersFor({.gpu = "no-such-card"}, catalogue()));
}

} // namespace
} // namespace slipway
