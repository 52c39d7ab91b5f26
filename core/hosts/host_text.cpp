// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/host_text.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/visible_text.h"

namespace slipway {

namespace {

bool isPlain(char c) { return isLetterOrDigit(c) || c == '-' || c == '_' || c == '.'; }

} // namespace

std::string shownText(std::string_view text, std::size_t longest) { return visibleText(text, "\n\t", longest); }

std::string shownLine(std::string_view text, std::size_t longest) { return visibleText(text, "\t", longest); }

bool isRemotePath(std::string_view path)
{
    constexpr std::size_t kLongest = 4095;
    return path.starts_with('/') && path.size() <= kLongest && std::none_of(path.begin(), path.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
}

bool isJobId(std::string_view text)
{
    constexpr std::size_t kLongest = 20;
    const std::string_view job = text.substr(0, text.find('_'));
    const bool task = job.size() != text.size();
    const std::string_view index = task ? text.substr(job.size() + 1) : "0";
    const auto isNumber = [](std::string_view number) {
        return !number.empty() && number.size() <= kLongest && std::all_of(number.begin(), number.end(), isDigit);
    };
    return isNumber(job) && isNumber(index);
}

bool isPlainFileName(std::string_view name)
{
    constexpr std::size_t kLongest = 200;
    return !name.empty() && name.size() <= kLongest && name.front() != '.' && name.front() != '-' &&
           std::all_of(name.begin(), name.end(), isPlain);
}

} // namespace slipway
