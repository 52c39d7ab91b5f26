// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <fstream>

#include "e2e/programs.h"

namespace slipway::e2e {
namespace {

class ImportPrices : public ProgramTest {};

const std::string header =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n";
const std::string list = header + "big,H100,8.0,192,2048,16.00,here,,8.00\n"
                                  "odd,Gaudi2,8,96,768,13,here,,\n";

TEST_F(ImportPrices, GivesABookThatAPlanCanBePricedBy)
{
    const nlohmann::json imported =
        slipwayJson({"catalog", "import-prices", file("vms.csv", list), "--as", "mine", "--json"});
    EXPECT_EQ(imported["books"][0]["book"], "mine");
    EXPECT_EQ(imported["books"][1]["book"], "mine-spot");
    EXPECT_EQ(imported["unknown_cards"][0], "Gaudi2");
    EXPECT_TRUE(std::filesystem::exists(imported["books"][0]["file"].get<std::string>()));
    const nlohmann::json plan = slipwayJson({"plan", "--gpu", "h100", "--prices", "mine", "--json"});
    EXPECT_EQ(plan["cost"]["usd_per_hour"], 2.0);
    EXPECT_EQ(plan["cost"]["price_book"], "mine");
    EXPECT_EQ(slipwayJson({"plan", "--gpu", "h100", "--prices", "mine-spot", "--json"})["cost"]["usd_per_hour"], 1.0);
}

TEST_F(ImportPrices, OffersComparesThePlanOnEveryPricedCard)
{
    slipwayJson({"catalog", "import-prices", file("vms.csv", header + "big,H100-80GB,8.0,192,2048,0.80,here,,0.40\n"),
        "--as", "mine", "--json"});
    const std::vector<std::string> plan{"plan", "--model", "1B", "--gpu", "a100-sxm-80gb", "--gpus", "4", "--parallel",
        "ddp", "--micro-batch", "8", "--offers"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), plan.begin(), plan.end());
        return more;
    };
    const nlohmann::json offers = slipwayJson(with({"--json", "--csv", "plan.csv"}))["offers"];
    ASSERT_GT(offers.size(), 5u);
    EXPECT_EQ(offers[0]["gpu"], "h100-sxm-80gb") << "ten cents an hour";
    EXPECT_EQ(offers[0]["cheapest"]["price_book"], "mine");
    EXPECT_EQ(offers[0]["cheapest"]["rented_gpus"], 8) << "eight are rented for four";
    EXPECT_NEAR(offers[0]["cheapest"]["usd"], 0.1 * 8 * offers[0]["hours"].get<double>(), 1e-6);
    const auto own = std::find_if(
        offers.begin(), offers.end(), [](const nlohmann::json &offer) { return offer["gpu"] == "a100-sxm-80gb"; });
    ASSERT_NE(own, offers.end());
    EXPECT_EQ((*own)["as_planned"]["price_book"], "list");
    std::ifstream table("plan-offers.csv"), one("plan.csv");
    std::string first, second;
    EXPECT_TRUE(one.good());
    ASSERT_TRUE(std::getline(table, first) && std::getline(table, second));
    EXPECT_TRUE(first.starts_with("gpu,gpus,micro_batch,")) << first;
    EXPECT_TRUE(second.starts_with("h100-sxm-80gb,4,8,")) << second;
    const ChildResult text = slipway(with({}));
    EXPECT_EQ(text.exitStatus, 0);
    EXPECT_NE(text.out.find("The same training step on other GPUs"), std::string::npos);
    EXPECT_NE(text.out.find("mine (rents 8 for 4)"), std::string::npos) << text.out;
    const ChildResult report = slipway({"report", file("run.yaml", "model: 1B\ngpu: a100-sxm-80gb\n")});
    EXPECT_NE(report.out.find("Which GPU to rent"), std::string::npos) << report.out << report.err;
}

TEST_F(ImportPrices, MayBeRepeatedButNeverHidesAShippedBook)
{
    const std::string csv = file("vms.csv", list);
    EXPECT_EQ(slipway({"catalog", "import-prices", csv, "--as", "mine"}).exitStatus, 0);
    EXPECT_EQ(slipway({"catalog", "import-prices", csv, "--as", "mine"}).exitStatus, 0);
    expectRefused(slipway({"catalog", "import-prices", csv, "--as", "lambda"}), 2, {"--as", "lambda"});
    expectRefused(slipway({"catalog", "import-prices", csv, "--as", "../x"}), 2, {"../x"});
}

TEST_F(ImportPrices, RefusesWhatIsNoPriceListAndLeavesNoBook)
{
    expectRefused(slipway({"catalog", "import-prices"}), 2, {"FILE.csv"});
    expectRefused(slipway({"catalog", "import-prices", "none.csv"}), 2, {"none.csv"});
    expectRefused(
        slipway({"catalog", "import-prices", file("bad.csv", header + "x,H100,8,,,dear,here,,\n"), "--as", "mine"}), 2,
        {"bad.csv:2", "dear"});
    expectRefused(slipway({"plan", "--prices", "mine"}), 2, {"--prices", "mine"});
    expectRefused(slipway({"catalog", "gpus", "extra"}), 2, {"extra"});
}

TEST_F(ImportPrices, LeavesADamagedRowOutSaysSoAndTakesTheOthers)
{
    const std::string csv = file("vms.csv", list + "x,H100,8,,,dear,here,,\n");
    const ChildResult output = slipway({"catalog", "import-prices", csv, "--as", "mine", "--json"});
    EXPECT_EQ(output.exitStatus, 0);
    EXPECT_NE(output.err.find("vms.csv:4: Price is 'dear' (accepted: US dollars per hour, or empty): row skipped"),
        std::string::npos)
        << output.err;
    const nlohmann::json json = nlohmann::json::parse(output.out);
    ASSERT_EQ(json["skipped"].size(), 1U);
    EXPECT_EQ(json["skipped"][0]["column"], "Price");
    EXPECT_NE(json["skipped"][0]["where"].get<std::string>().find("vms.csv:4"), std::string::npos);
    EXPECT_EQ(slipwayJson({"plan", "--gpu", "h100", "--prices", "mine", "--json"})["cost"]["usd_per_hour"], 2.0);
}

TEST_F(ImportPrices, NamesAUsersBookThatIsDamaged)
{
    std::filesystem::create_directories(folder() / "data/slipway/prices");
    std::ofstream(folder() / "data/slipway/prices/mine.yaml") << "books:\n- id: mine\n  colour: blue\n";
    expectRefused(slipway({"plan"}), 2, {"mine.yaml:"});
}

} // namespace
} // namespace slipway::e2e
