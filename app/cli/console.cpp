// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/console.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/visible_text.h"

namespace slipway::cli {

namespace {

// Counts the columns of a text on a terminal. The continuation bytes of UTF-8 occupy no column.
std::size_t columnsOf(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Exits silently if the reader of the output has ended, as in `slipway runs | head`. The exit status is the one that a
// shell expects of a program in a pipe.
void endWithReader()
{
    if (errno != EPIPE)
        return;
    std::_Exit(128 + SIGPIPE);
}

} // namespace

std::vector<std::string> keysOfList(const std::string &list)
{
    std::vector<std::string> keys;
    for (const std::string_view key : split(list, ',')) {
        keys.emplace_back(trimmed(key));
        std::replace(keys.back().begin(), keys.back().end(), '-', '_');
    }
    return keys;
}

int fail(const Error &error)
{
    note("slipway: " + error.message());
    return error.fault == Fault::Input ? BadInput : OutsideFault;
}

void note(std::string_view text)
{
    const std::string shown = visibleText(text, "\n\t") + "\n";
    std::fwrite(shown.data(), 1, shown.size(), stderr);
}

void print(std::string_view text) { printRaw(visibleText(text, "\n\t")); }

void printRaw(std::string_view text)
{
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
        endWithReader();
}

std::string dumped(const nlohmann::ordered_json &json)
{
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int finish(int status)
{
    if (std::fflush(stdout) != 0)
        endWithReader();
    if (std::ferror(stdout))
        return fail({.what = "cannot write to standard output", .fault = Fault::Outside});
    return status;
}

std::string alignedTable(std::vector<std::vector<std::string>> rows, const std::vector<bool> &right)
{
    for (auto &row : rows) {
        for (std::string &cell : row)
            cell = visibleText(cell, {}); // line breaks within a cell would break the table
    }
    std::vector<std::size_t> widths(right.size());
    for (const auto &row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columnsOf(row[i]));
    }
    std::string text;
    for (const auto &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - columnsOf(row[i]), ' ');
            line += (i > 0 ? "  " : "") + (right[i] ? padding + row[i] : row[i] + padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

} // namespace slipway::cli
