// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/processor_rates.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

#include "hardware/catalogue.h"
#include "support/temporary_directory.h"

namespace slipway {
namespace {

const ProcessorFacts kFacts{.model = "Test 9000", .cores = 4, .hertz = 3e9, .fp32PerCycle = 32, .memory = 8 * kGiB};
const ProcessorRates kRates{.fp32Flops = 4e11, .copyBandwidth = 6e10, .asOf = "2026-11-23"};

class ProcessorRatesTest : public ::testing::Test {
protected:
    TemporaryDirectory m_folder;
    const std::filesystem::path m_file = m_folder.path() / "slipway/processor.yaml";
};

TEST_F(ProcessorRatesTest, AreReadAsTheyWereWritten)
{
    ASSERT_TRUE(writeProcessorRates(m_file, kFacts, kRates));
    EXPECT_EQ(readProcessorRates(m_file, kFacts), kRates);
}

TEST_F(ProcessorRatesTest, OfAnotherProcessorDoNotCount)
{
    ASSERT_TRUE(writeProcessorRates(m_file, kFacts, kRates));
    ProcessorFacts other = kFacts;
    other.model = "Test 9001";
    EXPECT_FALSE(readProcessorRates(m_file, other));
    other = kFacts;
    other.cores = 2;
    EXPECT_FALSE(readProcessorRates(m_file, other));
}

TEST_F(ProcessorRatesTest, OfADamagedFileDoNotCount)
{
    EXPECT_FALSE(readProcessorRates(m_file, kFacts)) << "no file";
    std::filesystem::create_directories(m_file.parent_path());
    for (const char *text : {"", "model: [", "model: Test 9000\ncores: 4\n", "\x01\x02",
             "model: Test 9000\ncores: 4\nfp32_per_cycle: 32\nfp32_flops: -1\ncopy_bandwidth_bytes_per_s: 1e10\n"
             "as_of: 2026-11-23\n"}) {
        std::ofstream(m_file) << text;
        EXPECT_FALSE(readProcessorRates(m_file, kFacts)) << text;
    }
}

TEST_F(ProcessorRatesTest, ReplaceTheEstimateAndSayTheirDate)
{
    const SpeedRates constants = loadCatalogue().value().rates;
    const Gpu estimated = processorDevice(kFacts, constants), measured = measuredProcessor(kFacts, kRates, constants);
    EXPECT_DOUBLE_EQ(estimated.fp32Flops, 4 * 3e9 * 32) << "cores x nominal clock x FLOP per cycle";
    EXPECT_DOUBLE_EQ(measured.fp32Flops, kRates.fp32Flops);
    EXPECT_DOUBLE_EQ(measured.memoryBandwidth, kRates.copyBandwidth);
    EXPECT_NE(measured.notes.find("measured on 2026-11-23: a peak of 400 GFLOP/s"), std::string::npos)
        << measured.notes;
    EXPECT_LT(*measured.matmulAchievedFlops, measured.fp32Flops) << "MFU stays below 100 %";
    EXPECT_EQ(measured.memoryBytes, estimated.memoryBytes);
}

TEST_F(ProcessorRatesTest, AMeasurementThatIsAskedForGivesBothRates)
{
    ProcessorFacts facts = processorFacts();
    facts.cores = std::min(facts.cores, 2);
    const ProcessorRates rates = measureProcessor(facts, 0.02, "2026-11-23");
    EXPECT_GT(rates.fp32Flops, 1e8);
    EXPECT_GT(rates.copyBandwidth, 1e7);
    EXPECT_EQ(rates.asOf, "2026-11-23");
}

TEST_F(ProcessorRatesTest, AreMeasuredOnceAndThenKept)
{
    // Rates kept for this machine are used as they are: nothing is measured, nothing is said.
    ::setenv("XDG_CACHE_HOME", m_folder.path().c_str(), 1);
    ::unsetenv("SLIPWAY_PROCESSOR");
    ASSERT_EQ(processorRatesFile(), m_file);
    ASSERT_TRUE(writeProcessorRates(m_file, processorFacts(), kRates));
    int notes = 0;
    measureProcessorOnce([&](std::string_view) { ++notes; });
    EXPECT_EQ(notes, 0);
    Catalogue catalogue = loadCatalogue().value();
    useStoredProcessorRates(catalogue);
    EXPECT_DOUBLE_EQ(catalogue.gpu("cpu")->fp32Flops, kRates.fp32Flops);

    ::setenv("SLIPWAY_PROCESSOR", "estimate", 1);
    std::filesystem::remove(m_file);
    measureProcessorOnce([&](std::string_view) { ++notes; });
    EXPECT_EQ(notes, 0);
    EXPECT_FALSE(std::filesystem::exists(m_file));
    ::unsetenv("XDG_CACHE_HOME");
}

} // namespace
} // namespace slipway
