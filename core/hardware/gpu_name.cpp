// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/gpu_name.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace slipway {

namespace {

constexpr std::string_view kDigits = "0123456789";

bool isNumber(std::string_view text)
{
    return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool saysNothing(std::string_view word)
{
    constexpr std::array<std::string_view, 18> kWords{"nvidia", "amd", "instinct", "tesla", "geforce", "quadro", "gpu",
        "gpus", "tensor", "core", "generation", "dgx", "hgx", "oam", "hbm2", "hbm2e", "hbm3", "hbm3e"};
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

// Reads "80gb" or "80gib".
std::optional<int> gigabytes(std::string_view word)
{
    const std::size_t unit = word.find_first_not_of(kDigits);
    if (unit == 0 || unit == std::string_view::npos || unit > 4)
        return std::nullopt;
    const std::string_view said = word.substr(unit);
    const auto number = parseInteger(word.substr(0, unit));
    return number && (said == "gb" || said == "gib") ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

} // namespace

GpuName readGpuName(std::string_view name)
{
    std::string text = toLower(name.substr(0, 100));
    std::replace_if(
        text.begin(), text.end(), [](char c) { return std::string_view("-_()/,[]").find(c) != std::string_view::npos; },
        ' ');
    GpuName parsed;
    std::string number; // may be the 80 in "80 GB"
    for (const std::string_view each : split(text, ' ')) {
        const std::string_view word = withoutCount(each);
        if (word.empty() || saysNothing(word))
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

bool namesForm(std::string_view text)
{
    constexpr std::array<std::string_view, 7> kForms{"sxm", "hbm", "pci", "nvl", "nvswitch", "hgx", "dgx"};
    const std::string lower = toLower(text);
    return std::any_of(
        kForms.begin(), kForms.end(), [&](std::string_view form) { return lower.find(form) != std::string::npos; });
}

} // namespace slipway
