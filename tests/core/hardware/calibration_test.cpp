// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/calibration.h"

#include <gtest/gtest.h>

#include <fstream>

#include "hardware/catalogue.h"

namespace slipway {
namespace {

namespace fs = std::filesystem;

class CalibrationFile : public ::testing::Test {
protected:
    CalibrationFile() : m_folder(fs::temp_directory_path() / ("slipway_calibrations_" + std::to_string(::getpid()))) {}
    ~CalibrationFile() override { fs::remove_all(m_folder); }

    Result<Calibration> readText(const std::string &text)
    {
        fs::create_directories(m_folder);
        std::ofstream(m_folder / "x.yaml") << text;
        return readCalibration(m_folder / "x.yaml");
    }
    fs::path m_folder;
};

Calibration example()
{
    DeviceCalibration device{.gpu = "h100-sxm-80gb",
        .framework = "pytorch-eager",
        .stepP10 = 0.95,
        .stepP90 = 1.05,
        .rows = {"a", "b: c", "2"}};
    device.set(Constant::Gemm, 0.8125, 0.01);
    device.set(Constant::Outside, 3e9, 1e8);
    const GemmTable gemms{.gpu = "h100-sxm-80gb",
        .gemms = {{.type = GemmType::Fp8, .m = 8192, .n = 4096, .k = 4096, .batch = 2, .seconds = 2.5e-4}}};
    return {.id = "mine",
        .asOf = "2026-01-02",
        .devices = {device},
        .gemms = {gemms},
        .software = {{"h100-sxm-80gb", "hf-trainer", "hf-trainer@4.30", "limit_gathers=false"},
            {"a100-sxm-80gb", "litgpt", "litgpt@0.4", ""}}};
}

TEST_F(CalibrationFile, readsBackWhatItWrote)
{
    const Result<fs::path> written = writeCalibration(m_folder, example());
    ASSERT_TRUE(written) << written.error().message();
    EXPECT_EQ(written->filename(), "mine.yaml");
    const Result<Calibration> read = readCalibration(*written);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, example());
}

TEST_F(CalibrationFile, ReadsBackValuesAtTheEndsOfTheirRanges)
{
    Calibration edge = example();
    edge.devices.front().set(Constant::Outside, 0, 1e8);
    edge.devices.front().stepP10 = edge.devices.front().stepP90 = 1;
    const Result<fs::path> written = writeCalibration(m_folder, edge);
    ASSERT_TRUE(written) << written.error().message();
    const Result<Calibration> read = readCalibration(*written);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, edge);
}

TEST_F(CalibrationFile, KnowsTheSoftwareOfRunsOnThatGpuAlone)
{
    const Calibration mine = example();
    EXPECT_EQ(mine.softwareOf("h100-sxm-80gb", "hf-trainer")->framework, "hf-trainer@4.30");
    EXPECT_EQ(mine.softwareOf("a100-sxm-80gb", "hf-trainer"), nullptr);
    EXPECT_EQ(mine.softwareOf("h100-sxm-80gb", "hf-trainer@4.46"), nullptr);
    const Result<Calibration> cut =
        readText("id: x\nas_of: d\ndevices: []\nsoftware:\n- gpu: a\n  given: hf-trainer\n");
    ASSERT_FALSE(cut);
    EXPECT_NE(cut.error().message().find("framework"), std::string::npos) << cut.error().message();
    EXPECT_FALSE(readText("id: x\nas_of: d\ndevices: []\nsoftware: hf-trainer\n"));
}

TEST_F(CalibrationFile, joinsTheCatalogueByItsName)
{
    ASSERT_TRUE(writeCalibration(m_folder, example()));
    Catalogue catalogue;
    ASSERT_TRUE(addCalibrations(catalogue, m_folder));
    EXPECT_EQ(catalogue.calibration("mine")->of("h100-sxm-80gb", "pytorch-eager").factor(Constant::Gemm), 0.8125);
    EXPECT_EQ(catalogue.calibration("mine")->of("h100-sxm-80gb", "megatron").factor(Constant::Gemm), 1);
    EXPECT_EQ(catalogue.calibration("mine")->of("h100-sxm-80gb", "megatron").gemms.size(), 1U)
        << "products of a card count under every framework";
    EXPECT_TRUE(catalogue.calibration("mine")->of("a100-sxm-80gb", "megatron").gemms.empty());
    const Result<Calibration> unknown = catalogue.calibration("mein");
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().message().find("mine"), std::string::npos);
    EXPECT_NE(
        Catalogue{}.calibration("any").error().message().find("there are no calibrations yet"), std::string::npos);
}

TEST_F(CalibrationFile, isRefusedWithItsLineWhereItIsDamaged)
{
    EXPECT_NE(readText("id: x\nas_of: d\ndevices:\n- gpu: a\n  framework: f\n  gemm: fast\n")
                  .error()
                  .message()
                  .find("x.yaml:6"),
        std::string::npos);
    EXPECT_NE(readText("id: x\nas_of: d\ndevices:\n- gpu: a\n  framework: f\n  gemm: -1\n")
                  .error()
                  .message()
                  .find("'gemm' is -1"),
        std::string::npos);
    EXPECT_NE(readText("id: x\nas_of: d\ndevices:\n- gpu: a\n  framework: f\n  gem: 1\n").error().message().find("gem"),
        std::string::npos);
    EXPECT_NE(
        readText("id: x\nas_of: d\ndevices: 3\n").error().message().find("no list of devices"), std::string::npos);
    EXPECT_NE(readText("id: x\nas_of: d\ndevices: []\nproducts:\n- gpu: a\n  measured:\n  - {type: bf16, m: 0, n: 1, "
                       "k: 1, batch: 1, seconds: 1}\n")
                  .error()
                  .message()
                  .find("x.yaml:7"),
        std::string::npos);
    EXPECT_NE(readText("id: x\nas_of: d\ndevices: []\nproducts:\n- gpu: a\n  measured: 1\n")
                  .error()
                  .message()
                  .find("measured GEMMs"),
        std::string::npos);
    EXPECT_FALSE(readText("id: x\nas_of: d\ndevices: []\nproducts: 7\n"));
    EXPECT_FALSE(readText("[[[["));
    EXPECT_FALSE(readText(""));
}

TEST_F(CalibrationFile, isNeverWrittenOutsideItsFolder)
{
    Calibration calibration = example();
    for (const char *id : {"../mine", "", ".hidden", "a/b", "Name"}) {
        calibration.id = id;
        EXPECT_FALSE(writeCalibration(m_folder, calibration)) << id;
    }
}

} // namespace
} // namespace slipway
