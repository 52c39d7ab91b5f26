// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/text.h"
#include "base/unknown_name.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace slipway {
namespace {

TEST(FormatBytes, UsesBinaryUnitsWithOneDecimal)
{
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(1023), "1023 B");
    EXPECT_EQ(formatBytes(kKiB), "1.0 KiB");
    EXPECT_EQ(formatBytes(kGiB * 724 / 10), "72.4 GiB");
    EXPECT_EQ(formatBytes(-3 * kMiB), "-3.0 MiB");
}

TEST(FormatBytes, MovesToTheNextUnitWhereRoundingWouldShow1024) { EXPECT_EQ(formatBytes(kGiB - 1), "1.0 GiB"); }

TEST(FormatBytes, TakesTheSmallestInteger) { EXPECT_EQ(formatBytes(std::numeric_limits<Bytes>::min()), "-8192.0 PiB"); }

TEST(FormatCount, ShowsThreeToFourDigits)
{
    EXPECT_EQ(formatCount(1'969'027'008), "1.97B");
    EXPECT_EQ(formatCount(130'569'920), "130.6M");
    EXPECT_EQ(formatCount(32000), "32.0K");
    EXPECT_EQ(formatCount(512), "512");
    EXPECT_EQ(formatCount(999'960'000), "1.00B");
    EXPECT_EQ(formatCount(-1500), "-1.50K");
    EXPECT_EQ(formatCount(0), "0");
}

TEST(FormatSeconds, ChoosesTheUnitThatAPersonWouldChoose)
{
    EXPECT_EQ(formatSeconds(0.0012), "1.2 ms");
    EXPECT_EQ(formatSeconds(3.4), "3.4 s");
    EXPECT_EQ(formatSeconds(125), "2 min 05 s");
    EXPECT_EQ(formatSeconds(7500), "2 h 05 min");
    EXPECT_EQ(formatSeconds(3.2 * 86400), "3.2 days");
    EXPECT_EQ(formatSeconds(0), "0 s");
    EXPECT_EQ(formatSeconds(59.97), "1 min 00 s");
    EXPECT_EQ(formatSeconds(12e-6), "12.0 µs");
}

TEST(FormatUsd, KeepsCentsOnlyWhereTheyMatter)
{
    EXPECT_EQ(formatUsd(12.34), "$12.34");
    EXPECT_EQ(formatUsd(1234.4), "$1,234");
    EXPECT_EQ(formatUsd(1234567), "$1,234,567");
    EXPECT_EQ(formatUsd(0), "$0.00");
    EXPECT_EQ(formatUsd(0.0012), "$0.0012");
    EXPECT_EQ(formatUsd(4.56e-05), "$0.000046");
    EXPECT_EQ(formatUsd(1e-12), "$0.00");
    EXPECT_EQ(formatUsd(-5), "-$5.00");
}

TEST(FormatExact, ReadsBackAsTheSameDouble)
{
    for (const double value : {0.1, 1.0 / 3.0, 1e300, 5e-324, 96000.0, -2.5})
        EXPECT_EQ(parseNumber(formatExact(value)), value);
    EXPECT_EQ(formatExact(0.1), "0.1");
    EXPECT_EQ(formatExact(4096), "4096");
}

TEST(ParseCount, TakesSuffixesOfThousands)
{
    EXPECT_EQ(parseCount("20B"), 20e9);
    EXPECT_EQ(parseCount("1.5M"), 1.5e6);
    EXPECT_EQ(parseCount("4096"), 4096);
    EXPECT_EQ(parseCount("2e9"), 2e9);
    EXPECT_EQ(parseCount("3t"), 3e12);
    EXPECT_EQ(parseCount("7k"), 7000);
}

TEST(ParseCount, RefusesWhatIsNoNumberOrOverflows)
{
    for (const char *text : {"", "B", "20 B", "1.5MB", "abc", "1e30", "9300000000B", "nan", "inf", "0x10", "1,000"})
        EXPECT_FALSE(parseCount(text)) << text;
}

TEST(ParseInteger, TakesAllOfTheTextOrNothing)
{
    EXPECT_EQ(parseInteger("-12"), -12);
    for (const char *text : {"", "12x", "1.0", " 1", "99999999999999999999"})
        EXPECT_FALSE(parseInteger(text)) << text;
}

TEST(Split, KeepsEmptyParts)
{
    EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
    EXPECT_EQ(split("", ',').size(), 1u);
}

TEST(Trimmed, RemovesBlanksAtBothEndsOnly)
{
    EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
    EXPECT_EQ(trimmed(" \n"), "");
}

TEST(NearestName, FindsSlipsOfTheHand)
{
    const std::vector<std::string> keys{"micro_batch", "seq_len", "grad_accum"};
    EXPECT_EQ(nearestName("micro_bacth", keys), "micro_batch");
    EXPECT_EQ(nearestName("MICRO-BATCH", keys), "micro_batch");
    EXPECT_EQ(nearestName("sequence", keys), std::nullopt);
    EXPECT_EQ(nearestName("", std::vector<std::string>{"a"}), std::nullopt);
    const std::string longest(128, 'x'), near = longest.substr(1);
    EXPECT_EQ(nearestName(longest, std::vector{near}), near);
    EXPECT_EQ(nearestName(longest + "x", std::vector{longest}), std::nullopt) << "nobody mistyped that";
    EXPECT_EQ(nearestName("seqlen", keys), "seq_len");
}

TEST(NearestName, TakesTheBeginningOfALongerName)
{
    const std::vector<std::string> names{"megatron", "pytorch-eager", "pytorch-compile"};
    EXPECT_EQ(nearestName("pytorch", names), "pytorch-eager");
    EXPECT_EQ(nearestName("py", names), std::nullopt) << "too little to tell";
    const std::vector<std::string> more{"llama2.c", "llama-factory", "gpus_per_node", "gpus"};
    EXPECT_EQ(nearestName("llama-fac", more), "llama-factory") << "not the one that differs in a few letters";
    EXPECT_EQ(nearestName("gpu", more), "gpus") << "of several, the nearest";
}

TEST(NearestNames, AreInOrderAndAtMostAsManyAsWanted)
{
    const std::vector<std::string> names{"h200-sxm", "h100-pcie", "h100-sxm", "a100-sxm", "cpu"};
    EXPECT_EQ(nearestNames("h100sxm", names, 2), (std::vector<std::string>{"h100-sxm", "h200-sxm"}));
    EXPECT_EQ(nearestNames("h100-", names), (std::vector<std::string>{"h100-pcie", "h100-sxm"}));
    EXPECT_TRUE(nearestNames("laptop", names).empty());
}

TEST(UnknownName, NamesTheNearestAndAllThatIsKnown)
{
    const std::vector<std::string> names{"flash", "vanilla"};
    EXPECT_EQ(unknownName("attention", "flsh", names, "--attention").message(),
        "--attention: unknown attention 'flsh'; did you mean flash? (accepted: flash, vanilla)");
    EXPECT_EQ(unknownName("attention", "linear", names, "").message(),
        "unknown attention 'linear' (accepted: flash, vanilla)");
    EXPECT_LT(unknownName("flag", std::string(1000, 'x'), names, "").message().size(), 200u);
}

TEST(NearestName, IsEmptyForGarbageOfAnyLength)
{
    const std::vector<std::string> keys{"micro_batch"};
    EXPECT_EQ(nearestName(std::string(10'000'000, 'm'), keys), std::nullopt);
    EXPECT_EQ(nearestName("", keys), std::nullopt);
}

TEST(SafeName, HasOnlyCharactersThatTheRulesKeep)
{
    EXPECT_EQ(safeName("a b/c.d", {.kept = "-_.", .longest = 100}), "a-b-c.d");
    EXPECT_EQ(safeName("a.b_c", {.kept = "-", .longest = 100}), "a-b-c");
    EXPECT_EQ(safeName("..-hidden", {.kept = "-_.", .longest = 100}), "hidden");
    EXPECT_EQ(safeName("../", {.kept = "-_.", .longest = 100}), "run");
    EXPECT_EQ(safeName("\u00e4\u00e4", {.kept = "-", .longest = 3, .utf8 = true}), "\u00e4");
    EXPECT_EQ(safeName("\u00e4\u00e4", {.kept = "-", .longest = 3}), "run");
}

TEST(Text, AnAxisOfBytesHasAUnitInWhichItsEndIsNoFraction)
{
    EXPECT_EQ(byteUnit(0).name, "B");
    EXPECT_EQ(byteUnit(1023).name, "B");
    EXPECT_EQ(byteUnit(3.5 * 1024 * 1024).name, "MiB");
    EXPECT_EQ(byteUnit(80.0 * kGiB).name, "GiB");
    EXPECT_EQ(byteUnit(80.0 * kGiB).bytes, double(kGiB));
    EXPECT_EQ(byteUnit(1e300).name, "PiB");
}

} // namespace
} // namespace slipway
