// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "predict/offers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "config/settings.h"
#include "predict/predict.h"
#include "support/shipped_catalogue.h"

namespace slipway {
namespace {

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
    EXPECT_EQ(own.config, plan.config);
    EXPECT_EQ(own.peak, plan.memory.peak);
    EXPECT_DOUBLE_EQ(own.tokensPerSecond, plan.speed.tokensPerSecond);
    ASSERT_TRUE(own.asPlanned);
    EXPECT_NEAR(own.usdAt(*own.asPlanned), *plan.cost.usd, 1e-6);
}

TEST(Offers, LeaveOutCardsWithoutGemmsInBf16UnlessFp16IsAskedFor)
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
    const std::vector<Offer> offers =
        offersFor(billion(), catalogue()).value(); // a loop over value() would outlive its Result
    for (const Offer &offer : offers) {
        if (!offer.skipped.empty())
            continue;
        EXPECT_EQ(offer.config.tokensPerStep(), billion().tokensPerStep()) << offer.gpuName;
        const Result<Prediction> plan =
            predict(offer.config, catalogue(), {.suggestions = false, .maxMicroBatch = false});
        ASSERT_TRUE(plan) << offer.gpuName << ": " << plan.error().message();
        EXPECT_EQ(offer.verdict, plan->memory.verdict) << offer.gpuName;
        EXPECT_EQ(offer.peak, plan->memory.peak) << offer.gpuName;
        EXPECT_DOUBLE_EQ(offer.tokensPerSecond, plan->speed.tokensPerSecond) << offer.gpuName;
        smaller |= offer.runs() && offer.config.microBatch < 16;
    }
    EXPECT_TRUE(smaller) << "cards with less memory take smaller micro-batches";
}

// Otherwise a click on an offer would fix what the profile says of the plan's own GPU.
TEST(Offers, OfAFrameworkDoNotHoldTheSettingsOfItsProfile)
{
    RunConfig config = billion();
    config.software = "hf-trainer";
    config.framework = Framework::PytorchEager;
    const Prediction plan = predict(config, catalogue()).value();
    ASSERT_FALSE(plan.assumed.empty());
    const std::vector<Offer> offers = offersFor(config, catalogue()).value();
    for (const Offer &offer : offers) {
        for (const SettingChange &change : differences(plan.config, offer.config)) {
            EXPECT_TRUE(change.key == "gpu" || change.key == "micro_batch" || change.key == "grad_accum" ||
                        change.key == "recompute")
                << offer.config.gpu << ": " << change.key << " " << change.after;
        }
    }
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
        EXPECT_GE(offer.usdAt(*offer.cheapest), before * 0.999999) << offer.gpuName;
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

Catalogue withBook(std::vector<Price> prices)
{
    Catalogue only = catalogue();
    only.priceBooks = {only.priceBooks.front(), PriceBook{.id = "own", .title = "own", .prices = std::move(prices)}};
    for (Price &price : only.priceBooks[1].prices)
        price.book = "own";
    return only;
}

TEST(Offers, RentInstancesWhole)
{
    RunConfig four = billion();
    four.parallel.gpus = 4;
    const Catalogue eights = withBook({{.gpu = "h100-sxm-80gb", .usdPerGpuHour = 2, .gpus = 8}});
    const std::vector<Offer> offers = offersFor(four, eights).value();
    const Offer &offer = offerOf(offers, "h100-sxm-80gb");
    ASSERT_TRUE(offer.cheapest);
    EXPECT_EQ(offer.rentedAt(*offer.cheapest), 8);
    EXPECT_DOUBLE_EQ(offer.usdAt(*offer.cheapest), 2 * 8 * offer.hours) << "eight are paid for";
    EXPECT_EQ(offer.rentalNote(*offer.cheapest), "rents 8 for 4");
    EXPECT_NE(toText(offers).find("own (rents 8 for 4)"), std::string::npos);
}

TEST(Offers, SayWhereACardIsListedSinglyAndPreferWholeNodes)
{
    const Catalogue both = withBook({{.gpu = "h100-sxm-80gb", .usdPerGpuHour = 1, .gpus = 1},
        {.gpu = "h100-sxm-80gb", .usdPerGpuHour = 3, .gpus = 8}, {.gpu = "l40s-48gb", .usdPerGpuHour = 1, .gpus = 1}});
    const std::vector<Offer> offers = offersFor(billion(), both).value();
    const Offer &node = offerOf(offers, "h100-sxm-80gb"), &single = offerOf(offers, "l40s-48gb");
    EXPECT_EQ(node.cheapest->gpus, 8) << "eight single cards are no node";
    EXPECT_EQ(node.rentalNote(*node.cheapest), "");
    EXPECT_EQ(single.rentalNote(*single.cheapest), "listed as single GPUs");
    RunConfig one = billion();
    one.parallel = {};
    const std::vector<Offer> alone = offersFor(one, both).value();
    EXPECT_EQ(offerOf(alone, "h100-sxm-80gb").cheapest->gpus, 1);
    EXPECT_EQ(offerOf(alone, "h100-sxm-80gb").rentalNote(*offerOf(alone, "h100-sxm-80gb").cheapest), "");
}

TEST(Offers, AsCsvAreOneRowEach)
{
    const std::vector<Offer> offers = offersFor(billion(), catalogue()).value();
    const Result<CsvTable> table = parseCsv(toCsv(offers), "offers.csv");
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), offers.size());
    EXPECT_EQ(table->cell(table->rows[0], "gpu"), offers[0].config.gpu);
    EXPECT_EQ(table->cell(table->rows[0], "cheapest_price_book"), offers[0].cheapest->book);
    EXPECT_EQ(
        table->cell(table->rows[0], "cheapest_rented_gpus"), std::to_string(offers[0].rentedAt(*offers[0].cheapest)));
}

TEST(Offers, AreWrittenWithEveryPriceAndItsBook)
{
    const nlohmann::ordered_json json = toJson(offersFor(billion(), catalogue()).value());
    for (const auto &offer : json) {
        EXPECT_TRUE(offer.contains("gpu") && offer.contains("skipped"));
        if (offer["skipped"].is_null() && !offer["cheapest"].is_null()) {
            EXPECT_GT(offer["cheapest"]["usd_per_gpu_hour"], 0);
            EXPECT_FALSE(offer["cheapest"]["price_book"].get<std::string>().empty());
            EXPECT_NE(offer["cheapest"]["price_book"], "list") << "a median is nobody's offer";
        }
        if (offer["skipped"].is_null() && !offer["spot"].is_null()) {
            EXPECT_NE(offer["spot"]["price_book"], "spot") << "neither is this one";
        }
    }
    EXPECT_FALSE(offersFor({.gpu = "no-such-card"}, catalogue()));
}

// Which books are medians is said in the data, so that another one needs no code.
TEST(Offers, LeaveOutBooksOfMediansWhateverTheirId)
{
    Catalogue other = catalogue();
    PriceBook &book =
        other.priceBooks.emplace_back(PriceBook{.id = "usual", .title = "What is usual", .medians = true});
    book.prices = {{.book = "usual", .gpu = "a100-sxm-80gb", .usdPerGpuHour = 0.01}};
    const auto cheapest = [&] {
        const std::vector<Offer> offers = offersFor(billion(), other).value();
        return offerOf(offers, "a100-sxm-80gb").cheapest->book;
    };
    EXPECT_NE(cheapest(), "usual");
    book.medians = false;
    EXPECT_EQ(cheapest(), "usual");
    EXPECT_TRUE(catalogue().priceBook("list")->medians && catalogue().priceBook("spot")->medians);
}

} // namespace
} // namespace slipway
