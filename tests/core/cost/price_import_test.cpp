// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cost/price_import.h"

#include <gtest/gtest.h>

#include "cost/cost.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

class ImportPriceList : public ::testing::Test {
protected:
    void SetUp() override
    {
        auto loaded = loadCatalogue();
        ASSERT_TRUE(loaded) << loaded.error().message();
        m_catalogue = *std::move(loaded);
    }
    Result<PriceImport> import(const std::string &text)
    {
        writeText(m_folder / "vms.csv", text);
        return importPriceList(m_folder / "vms.csv", "mine", "2026-11-21", m_catalogue);
    }
    TemporaryDirectory m_temporary;
    const std::filesystem::path m_folder = m_temporary.path();
    Catalogue m_catalogue;
};

const std::string kHeader =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n";

TEST_F(ImportPriceList, KeepsTheCheapestRegionOfEachCardAndSize)
{
    const auto read = import(
        kHeader + "p5.48xlarge,H100,8.0,192,2048,55.04,us-east-1,\"{'Gpus': [{'Name': 'H100', 'Count': 8}]}\",14.24\n"
                  "p5.48xlarge,H100,8.0,192,2048,50.00,us-west-2,,16\n"
                  "p5.4xlarge,H100,1,16,256,6.88,us-east-1,,\n"
                  "m5.large,,,2,8,0.1,us-east-1,,0.05\n"
                  "x,Gaudi2,8,96,768,13,us-east-1,,\n");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->rows, 5u);
    EXPECT_EQ(read->rowsWithoutGpu, 1u);
    EXPECT_EQ(read->unknownGpus, std::vector<std::string>{"Gaudi2"});
    ASSERT_EQ(read->books.size(), 2u);
    EXPECT_EQ(read->books[0].id, "mine");
    EXPECT_EQ(priceOf(read->books[0], "h100-sxm-80gb", 8)->usdPerGpuHour, 6.25);
    EXPECT_EQ(priceOf(read->books[0], "h100-sxm-80gb", 8)->region, "us-west-2");
    EXPECT_EQ(priceOf(read->books[0], "h100-sxm-80gb", 1)->usdPerGpuHour, 6.88);
    EXPECT_EQ(read->books[1].id, "mine-spot");
    EXPECT_EQ(priceOf(read->books[1], "h100-sxm-80gb", 8)->usdPerGpuHour, 1.78);
    EXPECT_TRUE(read->books[1].prices[0].spot);
    EXPECT_EQ(read->books[0].prices[0].asOf, "2026-11-21");
}

TEST_F(ImportPriceList, TakesTheListsOwnMeaningOfA100)
{
    const auto read = import(kHeader + "a,A100,8,,,8,r,,\nb,A100-80GB,8,,,16,r,,\n");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(priceOf(read->books[0], "a100-sxm-40gb", 8)->usdPerGpuHour, 1.0);
    EXPECT_EQ(priceOf(read->books[0], "a100-sxm-80gb", 8)->usdPerGpuHour, 2.0);
}

TEST_F(ImportPriceList, TakesZeroAndNothingAsNotOffered)
{
    EXPECT_EQ(import(kHeader + "a,H100,1,,,2,r,,0.00\n")->books.size(), 1u);
    EXPECT_EQ(import(kHeader + "a,H100,1,,,,r,,1\n")->books.at(0).id, "mine-spot");
}

TEST_F(ImportPriceList, TakesNoPriceOfAnotherCurrency)
{
    const std::string place = (m_folder / "vms.csv").string();
    const auto mixed = import("AcceleratorName,AcceleratorCount,Price,Currency\nH100,1,2,USD\nH100,8,12,EUR\n");
    ASSERT_TRUE(mixed) << mixed.error().message();
    ASSERT_EQ(mixed->skipped.size(), 1u);
    EXPECT_EQ(mixed->skipped[0].error.message(),
        place + ":3: Currency is 'eur' (accepted: US dollars; convert the list first)");
    EXPECT_EQ(mixed->books.at(0).prices.size(), 1u);
    EXPECT_EQ(import("AcceleratorName,AcceleratorCount,Price,Currency\nH100,8,12,EUR\n").error().where, place + ":2");
    EXPECT_EQ(import(kHeader + "a,H100,1,,,€2,r,,\n").error().where, place + ":2");
}

TEST_F(ImportPriceList, CountsRowsThatRepeatOthersAndTakesTheCheaper)
{
    const auto read = import(kHeader + "a,H100,1,,,3,r,,\na,H100,1,,,2,r,,\na,H100,1,,,2.5,r,,\n");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->repeatedRows, 2u);
    EXPECT_EQ(priceOf(read->books[0], "h100-sxm-80gb", 1)->usdPerGpuHour, 2);
}

TEST_F(ImportPriceList, LeavesDamagedRowsOutWithPlaceAndColumnAndTakesTheOthers)
{
    const std::string place = (m_folder / "vms.csv").string();
    const auto read = import(kHeader + "a,H100,1,,,2,r,,\nb,H100,1,,,cheap,r,,\nc,H100,none,,,1,r,,\nd,H100,1,,,1,r,,-"
                                       "2\ne,H100,1\nf,H100,1,,,1e9,r,,\ng,H100,nan,,,1,r,,\nh,A100,8,,,8,r,,\n");
    ASSERT_TRUE(read) << read.error().message();
    std::vector<std::string> columns, places;
    for (const SkippedPrice &skipped : read->skipped) {
        columns.push_back(skipped.column);
        places.push_back(skipped.error.where.substr(place.size()));
    }
    EXPECT_EQ(
        columns, (std::vector<std::string>{"Price", "AcceleratorCount", "SpotPrice", "", "Price", "AcceleratorCount"}));
    EXPECT_EQ(places, (std::vector<std::string>{":3", ":4", ":5", ":6", ":7", ":8"}));
    EXPECT_EQ(
        read->skipped[0].error.message(), place + ":3: Price is 'cheap' (accepted: US dollars per hour, or empty)");
    EXPECT_EQ(read->rows, 8u);
    ASSERT_EQ(read->books.size(), 1u) << "a row whose spot price is damaged gives no price at all";
    EXPECT_EQ(priceOf(read->books[0], "h100-sxm-80gb", 1)->usdPerGpuHour, 2);
    EXPECT_EQ(priceOf(read->books[0], "a100-sxm-40gb", 8)->usdPerGpuHour, 1);
}

TEST_F(ImportPriceList, IsRefusedWhereNoRowIsLeftAndNamesTheFirstDamage)
{
    const std::string place = (m_folder / "vms.csv").string();
    EXPECT_EQ(import(kHeader + "a,H100,1,,,dear,r,,\nb,H100,1,,,cheap,r,,\n").error().message(),
        place + ":2: Price is 'dear', and 1 more rows cannot be read: no price remains (accepted: US dollars per hour, "
                "or empty)");
    EXPECT_EQ(import(kHeader + "a,H100,none,,,2,r,,\n").error().where, place + ":2");
    EXPECT_EQ(import(kHeader + "a,H100,0,,,2,r,,\n").error().where, place + ":2");
    EXPECT_EQ(import(kHeader + "a,H100,1,,,-2,r,,\n").error().where, place + ":2");
    EXPECT_EQ(import(kHeader + "a,H100,1\n").error().where, place + ":2");
    EXPECT_NE(import("a,b\n1,2\n").error().message().find("AcceleratorName"), std::string::npos);
    EXPECT_FALSE(import(kHeader));
    EXPECT_FALSE(import(kHeader + "a,Gaudi2,1,,,2,r,,\n"));
    EXPECT_FALSE(importPriceList(m_folder / "none.csv", "x", "d", m_catalogue));
}

} // namespace
} // namespace slipway
