// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "cli/console.h"

#include <algorithm>
#include <cstdio>

namespace slipway::cli {

namespace {

// Characters as a terminal counts them: UTF-8's continuation bytes take no column.
std::size_t columnsOf(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

} // namespace

int fail(const Error &error)
{
    note("slipway: " + error.message());
    return error.fault == Fault::Input ? BadInput : OutsideFault;
}

void note(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fputc('\n', stderr);
}

void print(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
}

int finish(int status)
{
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
        return fail({.what = "standard output cannot be written", .fault = Fault::Outside});
    return status;
}

std::string alignedTable(const std::vector<std::vector<std::string>> &rows, const std::vector<bool> &right)
{
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
