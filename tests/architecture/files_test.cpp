// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What every source file carries, and what none may name.
#include "architecture/source_tree.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <regex>
#include <set>

namespace slipway::architecture {
namespace {

using ::testing::IsEmpty;

TEST(Files, CarryCopyrightAndLicence)
{
    std::vector<std::string> without;
    for (const auto &file : readSources()) {
        const auto head = file.text.substr(0, 400);
        if (head.find("SPDX-FileCopyright"
                      "Text: ") == std::string::npos ||
            head.find("SPDX-License-"
                      "Identifier: GPL-3.0-only") == std::string::npos) {
            without.push_back(file.path);
        }
    }
    EXPECT_THAT(without, IsEmpty());
}

TEST(Files, NameNoPathOfOneMachineAndNoPackageRegistry)
{
    // Packages come through their ordinary clients with the user's own settings; a host in a file would override them.
    const std::regex private_(
        R"(/home/(?!u(ser)?\b)[a-z]|/root/|/work/|/mnt/[a-z]|pypi\.org|pythonhosted|deb\.debian\.org|)"
        R"(download\.pytorch)");
    std::vector<std::string> found;
    for (const auto &file : readSources()) {
        std::smatch match;
        if (file.path != "tests/architecture/files_test.cpp" && std::regex_search(file.text, match, private_)) {
            found.push_back(file.path + " names " + match.str());
        }
    }
    EXPECT_THAT(found, IsEmpty());
}

TEST(Files, CiteOnlySourceFilesThatExist)
{
    std::set<std::string> names;
    const auto sources = readSources();
    for (const auto &file : sources) {
        names.insert(file.path.substr(file.path.rfind('/') + 1));
    }
    // Files of PyTorch and Qt, which comments name as sources.
    const std::regex outside(R"(^(c10|aten|autograd)/|^qglobal\.h$)");
    const std::regex comment(R"(//[^\n]*)"), citation(R"([\w/.-]+\.(h|cpp|cu|cuh)\b)");
    std::vector<std::string> missing;
    const auto find = [](const std::string &text, const std::regex &what) {
        return std::ranges::subrange(std::sregex_iterator(text.begin(), text.end(), what), std::sregex_iterator());
    };
    for (const auto &file : cppBelow(sources, "")) {
        for (const auto &line : find(file.text, comment)) {
            const auto remark = line.str();
            for (const auto &cited : find(remark, citation)) {
                const auto path = cited.str();
                if (!std::regex_search(path, outside) && !names.contains(path.substr(path.rfind('/') + 1))) {
                    missing.push_back(file.path + " cites " + path);
                }
            }
        }
    }
    EXPECT_THAT(missing, IsEmpty());
}

// Of two classes with one name, the linker keeps the functions of one for both.
TEST(Files, DefineEachClassOfANamespaceInOneHeader)
{
    const std::regex opened(R"((?:^|\n)namespace ([\w:]+))"), defined(R"(\n(?:class|struct) (\w+)[^;\n]*(?=\n|\{))");
    std::map<std::string, std::string> headers;
    std::vector<std::string> twice;
    for (const auto &file : cppBelow(readSources(), "")) {
        std::smatch space;
        if (!file.path.ends_with(".h") || file.path.starts_with("tests/") ||
            !std::regex_search(file.text, space, opened))
            continue;
        for (std::sregex_iterator found(file.text.begin(), file.text.end(), defined), end; found != end; ++found) {
            if (found->str().find("<") != std::string::npos) // a specialization
                continue;
            const std::string name = space.str(1) + "::" + found->str(1);
            const auto [known, isNew] = headers.emplace(name, file.path);
            if (!isNew && known->second != file.path)
                twice.push_back(name + " in " + known->second + " and " + file.path);
        }
    }
    EXPECT_GT(headers.size(), 500u);
    EXPECT_THAT(twice, IsEmpty());
}

TEST(Files, ParseJsonByOneFunctionThatHasLimits)
{
    // Without limits a line of brackets ends the program.
    const std::vector<std::string> exempt{"core/base/json.cpp", "tests/"};
    const std::regex parser(
        R"(\w*[jJ]son\w*::(parse|accept|sax_parse|from_cbor|from_bson|from_msgpack|from_ubjson)\b)");
    std::vector<std::string> found;
    for (const auto &file : readSources()) {
        std::smatch match;
        if (std::none_of(
                exempt.begin(), exempt.end(), [&](const std::string &area) { return startsWith(file.path, area); }) &&
            std::regex_search(file.text, match, parser)) {
            found.push_back(file.path + " calls " + match.str() + ": call parseJson (core/base/json.h)");
        }
    }
    EXPECT_THAT(found, IsEmpty());
}

// Otherwise the compiler may give a kernel more registers than its block has, which shows only on a GPU.
// A check of Qt Test that fails ends the function and is told to Qt Test alone, so that GoogleTest passes the test.
TEST(Files, CheckByGoogleTestAndNotByQtTest)
{
    const std::regex check(R"(\bQ(TRY_\w+|VERIFY2?|COMPARE|FAIL)\()");
    std::vector<std::string> found;
    for (const auto &file : cppBelow(readSources(), "tests/")) {
        std::smatch match;
        if (std::regex_search(file.text, match, check)) {
            found.push_back(file.path + " has " + match.str());
        }
    }
    EXPECT_THAT(found, IsEmpty()) << "wait with EXPECT_TRUE(QTest::qWaitFor(...))";
}

TEST(Files, NameTheLargestBlockOfEachCudaKernel)
{
    const std::regex kernel(R"(__global__\s+void\s+(?!__launch_bounds__)(\w+))");
    for (const auto &file : readSources()) {
        std::smatch match;
        EXPECT_FALSE(startsWith(file.path, "trainer/") && std::regex_search(file.text, match, kernel))
            << file.path << ": " << match[1];
    }
}

// 750 lines of at most 120 columns hold what 500 lines held before the tree was formatted.
TEST(Files, StayShortEnoughToReadInOneSitting)
{
    for (const auto &file : readSources()) {
        const auto lines = std::count(file.text.begin(), file.text.end(), '\n');
        EXPECT_LE(lines, 750) << file.path << ": split it by concern";
    }
}

} // namespace
} // namespace slipway::architecture
