// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <fstream>

#include "e2e/programs.h"

namespace slipway::e2e {
namespace {

class ImportPrices : public ProgramTest {};

const std::string header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n";
const std::string list = header + "big,H100,8.0,192,2048,16.00,here,,8.00\n"
                         "odd,Gaudi2,8,96,768,13,here,,\n";

TEST_F(ImportPrices, GivesABookThatAPlanCanBePricedBy)
{
    const nlohmann::json imported = slipwayJson({"catalog", "import-prices", file("vms.csv", list), "--as", "mine", "--json"});
    EXPECT_EQ(imported["books"][0]["book"], "mine");
    EXPECT_EQ(imported["books"][1]["book"], "mine-spot");
    EXPECT_EQ(imported["unknown_cards"][0], "Gaudi2");
    EXPECT_TRUE(std::filesystem::exists(imported["books"][0]["file"].get<std::string>()));
    const nlohmann::json plan = slipwayJson({"plan", "--gpu", "h100", "--prices", "mine", "--json"});
    EXPECT_EQ(plan["cost"]["usd_per_hour"], 2.0);
    EXPECT_EQ(plan["cost"]["price_book"], "mine");
    EXPECT_EQ(slipwayJson({"plan", "--gpu", "h100", "--prices", "mine-spot", "--json"})["cost"]["usd_per_hour"], 1.0);
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
    expectRefused(slipway({"catalog", "import-prices", file("bad.csv", header + "x,H100,8,,,dear,here,,\n"), "--as", "mine"}), 2, {"bad.csv:2", "dear"});
    expectRefused(slipway({"plan", "--prices", "mine"}), 2, {"--prices", "mine"});
    expectRefused(slipway({"catalog", "gpus", "extra"}), 2, {"extra"});
}

TEST_F(ImportPrices, LeavesADamagedRowOutSaysSoAndTakesTheOthers)
{
    const std::string csv = file("vms.csv", list + "x,H100,8,,,dear,here,,\n");
    const ChildResult output = slipway({"catalog", "import-prices", csv, "--as", "mine", "--json"});
    EXPECT_EQ(output.exitStatus, 0);
    EXPECT_NE(output.err.find("vms.csv:4: Price is 'dear' (accepted: US dollars an hour, or nothing): the row is left out"), std::string::npos) << output.err;
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
