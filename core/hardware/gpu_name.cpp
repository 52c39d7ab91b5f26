// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/gpu_name.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace slipway {

namespace {

bool isNumber(std::string_view text)
{
    return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool saysNothing(std::string_view word)
{
    constexpr std::array<std::string_view, 32> kWords{"nvidia", "amd", "instinct", "tesla", "geforce", "quadro", "gpu",
        "gpus", "card", "cards", "tensor", "core", "generation", "edition", "workstation", "server", "superchip",
        "volta", "turing", "ampere", "hopper", "dgx", "hgx", "oam", "vf", "ac", "nvlink", "nvswitch", "hbm2", "hbm2e",
        "hbm3", "hbm3e"};
    const bool counts = word.size() > 1 && ((word.back() == 'x' && isNumber(word.substr(0, word.size() - 1))) ||
                                               (word.front() == 'x' && isNumber(word.substr(1))));
    return counts || std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Removes the count from a word such as "8xa100".
std::string_view withoutCount(std::string_view word)
{
    const std::size_t x = word.find('x');
    return x != std::string_view::npos && x > 0 && x + 1 < word.size() && isNumber(word.substr(0, x))
               ? word.substr(x + 1)
               : word;
}

// Reads "80gb", "80gib" or "80g".
std::optional<int> gigabytes(std::string_view word)
{
    const std::size_t unit = word.find_first_not_of(kDigits);
    if (unit == 0 || unit == std::string_view::npos || unit > 4)
        return std::nullopt;
    const std::string_view said = word.substr(unit);
    const auto number = parseInteger(word.substr(0, unit));
    return number && (said == "gb" || said == "gib" || said == "g") ? std::optional<int>(static_cast<int>(*number))
                                                                    : std::nullopt;
}

// Replaces every occurrence.
void replaceAll(std::string &text, std::string_view old, std::string_view by)
{
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size()))
        text.replace(at, old.size(), by);
}

// The words in lower case, without what separates them. Signs of multiplication become an x.
std::vector<std::string> wordsOf(std::string_view name)
{
    std::string text = toLower(name.substr(0, 100));
    replaceAll(text, "pci-e", "pcie");
    replaceAll(text, "\xc3\x97", "x"); // the sign of multiplication in UTF-8
    replaceAll(text, "*", "x");
    std::replace_if(
        text.begin(), text.end(), [](char c) { return std::string_view("-_()/,[]").find(c) != std::string_view::npos; },
        ' ');
    std::vector<std::string> words;
    for (const std::string_view word : split(text, ' ')) {
        if (!word.empty())
            words.emplace_back(word);
    }
    return words;
}

// Whether a word at this place is a number of GPUs: the 8 and the x in "8 x H100", "A100 x 8" and "8 H100". The models
// of consumer GPUs have four digits.
bool countsGpus(const std::vector<std::string> &words, std::size_t at)
{
    const auto numberAt = [&](std::size_t i) { return i < words.size() && isNumber(words[i]); };
    const bool before = at > 0 && words[at - 1] == "x", after = at + 1 < words.size() && words[at + 1] == "x";
    if (words[at] == "x")
        return (at > 0 && numberAt(at - 1)) || numberAt(at + 1);
    if (!numberAt(at))
        return false;
    const bool leads = at == 0 && words[at].size() <= 3 && words.size() > 1 && !numberAt(1) && words[1] != "gb" &&
                       words[1] != "gib" && words[1] != "g";
    return before || (after && at == 0) || leads;
}

} // namespace

GpuName readGpuName(std::string_view name)
{
    const std::vector<std::string> words = wordsOf(name);
    GpuName parsed;
    std::string number; // may be the 80 in "80 GB"
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string_view word = withoutCount(words[at]);
        if (saysNothing(word) || countsGpus(words, at))
            continue;
        if (const auto gb = gigabytes(number + std::string(word)); gb && !number.empty()) {
            parsed.gb = gb;
            number.clear();
            continue;
        }
        parsed.chip += number;
        number.clear();
        if (const auto gb = gigabytes(word))
            parsed.gb = gb;
        else if (word.starts_with("sxm") && word.size() <= 4)
            parsed.form = "sxm";
        else if (word == "pcie" || word == "nvl")
            parsed.form = word;
        else if (isNumber(word))
            number = word;
        else
            parsed.chip += word;
    }
    parsed.chip += number;
    return parsed;
}

bool mentionsFormFactor(std::string_view text)
{
    constexpr std::array<std::string_view, 7> kForms{"sxm", "hbm", "pci", "nvl", "nvswitch", "hgx", "dgx"};
    const std::string lower = toLower(text);
    return std::any_of(
        kForms.begin(), kForms.end(), [&](std::string_view form) { return lower.find(form) != std::string::npos; });
}

} // namespace slipway
