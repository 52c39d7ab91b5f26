// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/alerts.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;

struct Rules : ::testing::Test {
    TemporaryDirectory m_folder;
    std::filesystem::path m_file = m_folder.path() / "slipway" / "alerts.yaml";
    std::string errorOf(const std::string &text)
    {
        std::filesystem::create_directories(m_file.parent_path());
        writeText(m_file, text);
        const Result<AlertRules> read = readAlertRules(m_file);
        return read ? "" : read.error().message();
    }
};

TEST_F(Rules, AreTheDefaultsWhereNothingIsSet)
{
    EXPECT_EQ(*readAlertRules(m_file), AlertRules{});
    EXPECT_EQ(errorOf(""), "");
}

TEST_F(Rules, ReadBackWhatWasWritten)
{
    const AlertRules rules{.stallFactor = 3.5,
        .stallFloor = 12,
        .slowFactor = 1.5,
        .baselineFactor = 1.1,
        .baselineFor = 30,
        .memoryFraction = 0.8,
        .budgetFraction = 0.9,
        .timeFraction = 0.95,
        .idleUse = 0.1,
        .idleAfter = 30,
        .settledSteps = 9,
        .off = {AlertKind::Lost, AlertKind::IdleBilled}};
    ASSERT_TRUE(writeAlertRules(rules, m_file));
    EXPECT_EQ(*readAlertRules(m_file), rules);
}

TEST_F(Rules, NameLineAndRangeOfWhatCannotBe)
{
    EXPECT_THAT(
        errorOf("stall_factor: 3\nmemory_fraction: 1.5\n"), AllOf(HasSubstr("alerts.yaml:2"), HasSubstr("0 to 1")));
    EXPECT_THAT(errorOf("stall_factor: soon\n"), HasSubstr("a number"));
    EXPECT_THAT(errorOf("stal_factor: 3\n"), HasSubstr("stall_factor"));
    EXPECT_THAT(errorOf("off: [stalled, everything]\n"), HasSubstr("everything"));
    EXPECT_THAT(errorOf("- 1\n"), HasSubstr("stall_factor: 10"));
}

} // namespace
} // namespace slipway
