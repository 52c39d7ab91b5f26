// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The parts of Markdown that the tests of the documents look at.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::docs {

// A fenced block: ```LANGUAGE INFO.
struct Block {
    int line = 0; // of the opening fence, from 1
    std::string language, info;
    std::vector<std::string> lines;
};

// A command of an `sh` block. A line that ends with a backslash goes on in the next one.
struct Command {
    int line = 0; // in the page, from 1
    std::string text;
    int exitStatus = 0; // what `# exits N` behind it says
};

struct Page {
    std::filesystem::path file;
    std::string name; // relative to the top folder
    std::vector<std::string> lines;
    std::vector<Block> blocks;
};

Page readPage(const std::filesystem::path &top, const std::string &name);
std::vector<Command> commandsOf(const Block &block);
// The targets of [text](target), in order, those in fenced blocks left out.
std::vector<std::string> linksOf(const Page &page);

} // namespace slipway::docs
