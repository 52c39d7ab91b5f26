// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "docs/markdown.h"

#include <fstream>
#include <regex>

#include "base/text.h"

namespace slipway::docs {

namespace {

bool isFence(const std::string &line) { return trimmed(line).starts_with("```"); }

// Lines outside of fenced blocks; those inside are empty.
std::vector<std::string> proseLines(const Page &page)
{
    std::vector<std::string> lines;
    bool inside = false;
    for (const std::string &line : page.lines) {
        const bool fence = isFence(line);
        lines.push_back(inside || fence ? std::string() : line);
        inside = inside != fence;
    }
    return lines;
}

} // namespace

Page readPage(const std::filesystem::path &top, const std::string &name)
{
    Page page{.file = top / name, .name = name, .lines = {}, .blocks = {}};
    std::ifstream in(page.file);
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        page.lines.push_back(line);
        if (isFence(line) && !inside) {
            const std::string opening(trimmed(line).substr(3));
            const std::size_t space = std::min(opening.find(' '), opening.size());
            page.blocks.push_back({.line = static_cast<int>(page.lines.size()),
                .language = opening.substr(0, space),
                .info = std::string(trimmed(opening.substr(space))),
                .lines = {}});
        } else if (inside && !isFence(line)) {
            page.blocks.back().lines.push_back(line);
        }
        inside = inside != isFence(line);
    }
    return page;
}

std::vector<Command> commandsOf(const Block &block)
{
    static const std::regex exits(R"(\s+# exits (\d+).*$)");
    std::vector<Command> commands;
    bool continues = false;
    for (std::size_t i = 0; i < block.lines.size(); ++i) {
        std::string line = block.lines[i];
        if (!continues && (trimmed(line).empty() || trimmed(line).starts_with('#')))
            continue;
        if (!continues)
            commands.push_back({.line = block.line + 1 + static_cast<int>(i), .text = {}});
        std::smatch said;
        if (std::regex_search(line, said, exits)) {
            commands.back().exitStatus = std::stoi(said[1]);
            line = said.prefix();
        }
        continues = line.ends_with('\\');
        commands.back().text += continues ? line + "\n" : line;
    }
    return commands;
}

std::vector<std::string> linksOf(const Page &page)
{
    static const std::regex link(R"(\]\(([^)\s]+)\))");
    std::vector<std::string> targets;
    for (const std::string &line : proseLines(page)) {
        for (std::sregex_iterator match(line.begin(), line.end(), link), last; match != last; ++match)
            targets.push_back((*match)[1]);
    }
    return targets;
}

} // namespace slipway::docs
