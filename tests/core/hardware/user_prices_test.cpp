// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/user_prices.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace slipway {
namespace {

class UserPrices : public ::testing::Test {
protected:
    TemporaryDirectory m_temporary;
    const std::filesystem::path m_folder = m_temporary.path();
};

PriceBook book(const std::string &id)
{
    return {.id = id,
        .title = "My: list",
        .asOf = "2026-11-21",
        .notes = "a, b",
        .prices = {{.book = id,
            .gpu = "h100-sxm-80gb",
            .usdPerGpuHour = 2.125,
            .gpus = 8,
            .instance = "p5.48xlarge",
            .region = "us-east-1",
            .asOf = "2026-11-20",
            .source = "vms.csv",
            .notes = "#1"}}};
}

TEST_F(UserPrices, ReadBackAsTheyWereWritten)
{
    ASSERT_TRUE(writePriceBooks(m_folder / "new/folder", {book("mine"), book("other")}));
    Catalogue catalogue;
    const auto added = addPriceBooks(catalogue, m_folder / "new/folder");
    ASSERT_TRUE(added) << added.error().message();
    EXPECT_EQ(catalogue.priceBooks, (std::vector<PriceBook>{book("mine"), book("other")}));
}

TEST_F(UserPrices, KeepTheirTitleUnderTheirNameOnly)
{
    const auto titleOf = [](const PriceBook &before, const char *id) {
        return editedBook(before, id, false, {}, "2026-11-28", {}).value().title;
    };
    EXPECT_EQ(titleOf(book("mine"), "mine"), "My: list");
    EXPECT_EQ(titleOf(book("mine"), "copy"), "copy");
    PriceBook untitled = book("mine");
    untitled.title.clear();
    EXPECT_EQ(titleOf(untitled, "mine"), "mine");
}

TEST_F(UserPrices, AreNoneWhereTheFolderIsMissing)
{
    Catalogue catalogue;
    EXPECT_TRUE(addPriceBooks(catalogue, m_folder / "none"));
    EXPECT_TRUE(catalogue.priceBooks.empty());
}

TEST_F(UserPrices, MayNotHideAShippedBook)
{
    ASSERT_TRUE(writePriceBooks(m_folder, {book("mine")}));
    Catalogue catalogue;
    catalogue.priceBooks = {book("Mine")};
    const auto added = addPriceBooks(catalogue, m_folder);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().where, (m_folder / "mine.yaml").string());
}

TEST_F(UserPrices, AreRefusedWithFileAndLineWhereDamaged)
{
    writeText(
        m_folder / "bad.yaml", "books:\n- id: x\n  title: X\n  as_of: now\n  prices:\n  - gpu: h100\n    usd: -\n");
    Catalogue catalogue;
    const auto added = addPriceBooks(catalogue, m_folder);
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().message().find("bad.yaml:"), std::string::npos);
}

TEST_F(UserPrices, AreRefusedWhereNegativeTwiceTheSameOrInAnotherCurrency)
{
    const std::string head = "books:\n- id: x\n  title: X\n  as_of: now\n  prices:\n";
    const auto messageFor = [&](const std::string &rows) {
        writeText(m_folder / "mine.yaml", head + rows);
        Catalogue catalogue;
        const auto added = addPriceBooks(catalogue, m_folder);
        return added ? std::string() : added.error().message();
    };
    EXPECT_NE(
        messageFor("  - {gpu: h100, usd: -1, source: s}\n").find("mine.yaml:6: 'usd' is negative"), std::string::npos);
    EXPECT_NE(messageFor("  - {gpu: h100, usd: 1, source: s}\n  - {gpu: h100, usd: 2, source: s}\n")
                  .find("mine.yaml:7: prices h100 as line 6 does"),
        std::string::npos);
    EXPECT_NE(messageFor("  - {gpu: h100, eur: 1, source: s}\n").find("mine.yaml:6"), std::string::npos);
    EXPECT_EQ(
        messageFor("  - {gpu: h100, usd: 1, gpus: 1, source: s}\n  - {gpu: h100, usd: 2, gpus: 8, source: s}\n"), "");
}

TEST_F(UserPrices, KeepToNamesThatAreFilesOfTheFolder)
{
    for (const char *id : {"", "../x", "a/b", ".hidden", "A"})
        EXPECT_FALSE(writePriceBooks(m_folder, {book(id)})) << id;
}

TEST_F(UserPrices, LieInTheUsersDataFolder)
{
    ::setenv("XDG_DATA_HOME", "/data", 1);
    EXPECT_EQ(userPriceFolder(), "/data/slipway/prices");
    ::setenv("XDG_DATA_HOME", "relative", 1);
    ::setenv("HOME", "/somewhere", 1);
    EXPECT_EQ(userPriceFolder(), "/somewhere/.local/share/slipway/prices");
}

} // namespace
} // namespace slipway
