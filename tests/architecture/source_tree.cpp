// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "architecture/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace slipway::architecture {

namespace fs = std::filesystem;

namespace {

const std::set<std::string> kFolders{"app", "core", "trainer", "ui", "tests", "packaging", "cmake", ".ci"};
const std::set<std::string> kCpp{".h", ".cpp", ".cu", ".cuh"};

bool isSource(const fs::path &path, const std::string &text)
{
    const auto extension = path.extension().string();
    return kCpp.contains(extension) || extension == ".cmake" || extension == ".sh" ||
           path.filename() == "CMakeLists.txt" || startsWith(text, "#!");
}

} // namespace

std::string readText(const fs::path &path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

bool startsWith(const std::string &text, const std::string &prefix)
{
    return text.compare(0, prefix.size(), prefix) == 0;
}

std::vector<SourceFile> readSources()
{
    const fs::path root = SLIPWAY_SOURCE_DIR;
    std::vector<SourceFile> sources{{"CMakeLists.txt", readText(root / "CMakeLists.txt")}};
    for (const auto &folder : kFolders) {
        if (!fs::exists(root / folder)) {
            continue;
        }
        for (const auto &entry : fs::recursive_directory_iterator(root / folder)) {
            if (!entry.is_regular_file() || entry.path().generic_string().find("/fuzz/corpus/") != std::string::npos) {
                continue;
            }
            SourceFile file{fs::relative(entry.path(), root).generic_string(), readText(entry.path())};
            if (isSource(entry.path(), file.text)) {
                sources.push_back(std::move(file));
            }
        }
    }
    std::sort(sources.begin(), sources.end(), [](const auto &a, const auto &b) { return a.path < b.path; });
    return sources;
}

std::vector<std::string> includesOf(const std::string &text)
{
    static const std::regex line(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"])re");
    std::vector<std::string> names;
    for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it) {
        names.push_back((*it)[1]);
    }
    return names;
}

std::vector<SourceFile> cppBelow(const std::vector<SourceFile> &sources, const std::string &folder)
{
    std::vector<SourceFile> found;
    for (const auto &source : sources) {
        if (startsWith(source.path, folder) && kCpp.contains(fs::path(source.path).extension().string())) {
            found.push_back(source);
        }
    }
    return found;
}

} // namespace slipway::architecture
