// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// tests/mutate.py knows every folder of sources, and the test programs that it runs exist.
#include "architecture/source_tree.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace slipway::architecture {
namespace {

using ::testing::IsEmpty;
namespace fs = std::filesystem;

std::string mutateScript()
{
    std::ifstream in(fs::path(SLIPWAY_SOURCE_DIR) / "tests/mutate.py");
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(MutationTable, HasEveryFolderOfSources)
{
    const std::string script = mutateScript();
    std::set<std::string> missing;
    for (const SourceFile &source : readSources()) {
        const fs::path folder = fs::path(source.path).parent_path(), top = *folder.begin();
        const bool isCode = top == "core" || top == "trainer" || top == "app" || top == "ui";
        if (!isCode || fs::path(source.path).extension() != ".cpp")
            continue;
        const std::string row = "\"" + (top == "ui" ? top : folder).generic_string() + "\": [";
        if (script.find(row) == std::string::npos)
            missing.insert(folder.generic_string());
    }
    EXPECT_THAT(missing, IsEmpty());
}

TEST(MutationTable, NamesTestProgramsThatAreBuilt)
{
    std::string built;
    for (const SourceFile &source : readSources()) {
        if (fs::path(source.path).filename() == "CMakeLists.txt")
            built += source.text;
    }
    const std::string script = mutateScript();
    const std::regex name("\"(test_\\w+)\"");
    for (std::sregex_iterator it(script.begin(), script.end(), name), end; it != end; ++it)
        EXPECT_TRUE(std::regex_search(built, std::regex("slipway_test\\(\\s*" + (*it)[1].str() + "\\s"))) << (*it)[1];
}

} // namespace
} // namespace slipway::architecture
