// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a framework or a version of PyTorch does is data, in resources/frameworks. The planner knows its own engines and
// the sharders that a setting names; a comment may say where a behaviour was read.
#include "architecture/source_tree.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace slipway::architecture {
namespace {

using ::testing::IsEmpty;

std::string plain(const std::string &name)
{
    std::string letters;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            letters += char(std::tolower(static_cast<unsigned char>(c)));
    }
    return letters;
}

// Ids and aliases of the profiles, but for words of the trade: PyTorch is the library that all of them are made of,
// ZeRO a way to shard, and "overlap" contains the name of verl.
std::set<std::string> frameworkNames()
{
    const std::set<std::string> general{"torch", "pytorch", "pytorcheager", "pytorchcompile", "torchcompile",
        "compiledpytorch", "unknown", "zero", "fabric", "flashattention", "flashattn", "verl"};
    constexpr std::size_t kShortest = 4; // "hf" is part of other words
    std::set<std::string> names;
    for (const auto &entry :
        std::filesystem::directory_iterator(std::filesystem::path(SLIPWAY_SOURCE_DIR) / "resources/frameworks")) {
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            std::smatch match;
            if (!std::regex_match(line, match, std::regex(R"((?:id|aliases):\s*\[?([^\]]*)\]?)")))
                continue;
            const std::string list = match[1];
            const std::regex word(R"([^,\s]+)");
            for (std::sregex_iterator at(list.begin(), list.end(), word), end; at != end; ++at) {
                const std::string name = plain(at->str());
                if (name.size() >= kShortest && !general.contains(name))
                    names.insert(name);
            }
        }
    }
    return names;
}

// Without comments, and without the enumerators and the name of the engine that settings have.
std::string withoutAllowed(std::string text)
{
    for (const char *allowed : {R"(//[^\n]*)", R"(\bFramework::Megatron\b)", R"(\bSharder::DeepSpeed\b)",
             R"(or megatron\b|"megatron, pytorch-eager)"})
        text = std::regex_replace(text, std::regex(allowed), "");
    return text;
}

// "FILE: WORD" of what matches in the code of the planner, its speed and its memory, and is not allowed by `accepts`.
template<typename Accepts>
std::set<std::string> foundInThePlanner(const std::regex &pattern, const Accepts &accepts)
{
    std::set<std::string> found;
    const std::vector<SourceFile> sources = readSources();
    for (const char *folder : {"core/plan/", "core/speed/", "core/memory/"}) {
        for (const SourceFile &file : cppBelow(sources, folder)) {
            const std::string code = withoutAllowed(file.text);
            for (std::sregex_iterator at(code.begin(), code.end(), pattern), end; at != end; ++at) {
                if (!accepts(at->str()))
                    found.insert(file.path + ": " + at->str());
            }
        }
    }
    return found;
}

// What a version of PyTorch changed is data as well: the planner reads RunConfig::torchChanges.
TEST(FrameworkNames, NoVersionOfPyTorchStandsInThePlannerItsSpeedAndItsMemory)
{
    const std::regex version(R"(\btorchVersion\w*\b|\bkTorch[A-Z]\w*|\.torch\b)");
    EXPECT_THAT(foundInThePlanner(version, [](const std::string &) { return false; }), IsEmpty());
}

TEST(FrameworkNames, StandInNoCodeOfThePlannerItsSpeedAndItsMemory)
{
    const std::set<std::string> names = frameworkNames();
    ASSERT_GT(names.size(), 30U);
    ASSERT_TRUE(names.contains("torchtitan") && names.contains("megatroncore") && names.contains("titan"));
    const std::regex word(R"([A-Za-z_][A-Za-z0-9_]*)");
    const auto namesNone = [&](const std::string &found) {
        const std::string letters = plain(found);
        return std::none_of(names.begin(), names.end(),
            [&](const std::string &name) { return letters.find(name) != std::string::npos; });
    };
    EXPECT_THAT(foundInThePlanner(word, namesNone), IsEmpty());
}

} // namespace
} // namespace slipway::architecture
