// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Each program was built as cmake/Flags.cmake asks: what is seen of that in its ELF file.
#include "architecture/source_tree.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace slipway::architecture {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string readelf(const std::string &options, const fs::path &program)
{
    const std::unique_ptr<FILE, int (*)(FILE *)> pipe(
        ::popen(("readelf -W " + options + " '" + program.string() + "'").c_str(), "r"), &::pclose);
    std::string text;
    std::array<char, 4096> line{};
    while (pipe && std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()))
        text += line.data();
    return text;
}

std::vector<fs::path> builtPrograms()
{
    std::vector<fs::path> programs;
    for (const auto &entry : fs::directory_iterator(fs::path(SLIPWAY_BUILD_DIR) / "bin")) {
        if (entry.is_regular_file())
            programs.push_back(entry.path());
    }
    return programs;
}

class Hardening : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (!std::string_view(SLIPWAY_SANITIZERS).empty())
            GTEST_SKIP() << "sanitizers replace what the programs are hardened with";
        ASSERT_FALSE(builtPrograms().empty());
    }
};

TEST_F(Hardening, ProgramsAreLoadedAtARandomAddress)
{
    for (const fs::path &program : builtPrograms()) {
        EXPECT_THAT(readelf("-h", program), HasSubstr("DYN (Position-Independent Executable")) << program;
        EXPECT_THAT(readelf("-d", program), ContainsRegex("FLAGS_1.*PIE")) << program;
    }
}

TEST_F(Hardening, WhatTheLoaderResolvedCanNotBeWrittenTo)
{
    for (const fs::path &program : builtPrograms()) {
        EXPECT_THAT(readelf("-l", program), HasSubstr("GNU_RELRO")) << program;
        EXPECT_THAT(readelf("-d", program), ContainsRegex("BIND_NOW")) << program;
    }
}

TEST_F(Hardening, NoStackCanBeExecuted)
{
    for (const fs::path &program : builtPrograms())
        EXPECT_THAT(readelf("-l", program), ContainsRegex("GNU_STACK.* RW ")) << program;
}

TEST_F(Hardening, StackFramesAreGuardedAndCallsOfLibcChecked)
{
    for (const fs::path &program : builtPrograms()) {
        const std::string symbols = readelf("--dyn-syms", program);
        EXPECT_THAT(symbols, HasSubstr("__stack_chk_fail")) << program;
        if (std::string_view(SLIPWAY_BUILD_TYPE) != "Debug") {
            EXPECT_THAT(symbols, ContainsRegex("__(read|memcpy|memmove|fread|snprintf|readlink)_chk")) << program;
        }
    }
}

} // namespace
} // namespace slipway::architecture
