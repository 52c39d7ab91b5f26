// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/measured_experts.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "measure/note_numbers.h"

namespace slipway {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr int kUsualPerToken = 2; // Mixtral's; GShard's before it

template<std::size_t N>
std::optional<int> firstOf(const std::array<std::string_view, N> &words, std::string_view text, std::optional<int> (*find)(std::string_view, std::string_view))
{
    for (const std::string_view word : words) {
        if (const auto number = find(text, word))
            return number;
    }
    return std::nullopt;
}

// "8x7b" in a name: a number, x, a digit.
std::optional<int> expertsOfName(std::string_view name)
{
    for (std::size_t at = name.find('x', 1); at != std::string_view::npos; at = name.find('x', at + 1)) {
        if (at + 1 < name.size() && kDigits.find(name[at + 1]) != std::string_view::npos && kDigits.find(name[at - 1]) != std::string_view::npos)
            return numberBefore(name.substr(0, at + 1), "x");
    }
    return std::nullopt;
}

} // namespace

MeasuredExperts readExperts(std::string_view mlpType, std::string_view notes, RunConfig &config, ModelSpec &model)
{
    constexpr std::array<std::string_view, 5> kPerToken{"experts_per_token", "experts per token", "experts_per_tok", "top_k", "topk"};
    constexpr std::array<std::string_view, 2> kTop{"top-", "top"}, kActive{"active per", "active experts"};
    constexpr std::array<std::string_view, 5> kCounts{"num_experts", "num_local_experts", "n_experts", "experts=", "experts:"};
    constexpr std::array<std::string_view, 4> kCounted{"experts", "routed experts", "routed", "expert"};
    const std::string type = toLower(mlpType), note = toLower(notes), name = toLower(model.name), all = type + "; " + note;
    const bool mixture = all.find("moe") != std::string::npos || all.find("mixture of experts") != std::string::npos || all.find("mixture-of-experts") != std::string::npos || numberBefore(note, "experts") || numberBefore(note, "routed")
        || numberAfter(all, "num_experts") || numberAfter(all, "experts=");
    MeasuredExperts read;
    if (!mixture)
        return read;
    // "2 shared experts", and DeepSeek's "64 routed + 2 shared".
    if (all.find("shared expert") != std::string::npos || (all.find("routed") != std::string::npos && numberBefore(all, "shared"))) {
        read.fault = "experts that all tokens share cannot be planned";
        return read;
    }
    auto experts = firstOf(kCounts, all, numberAfter);
    if (!experts)
        experts = firstOf(kCounted, all, numberBefore);
    if (!experts)
        experts = numberAfter(type, "moe");
    if (!experts)
        experts = expertsOfName(name);
    if (!experts) {
        read.fault = "a mixture of experts without their number in mlp_type, notes or model_name";
        return read;
    }
    auto perToken = firstOf(kPerToken, all, numberAfter);
    if (!perToken)
        perToken = firstOf(kTop, all, numberAfter);
    if (!perToken)
        perToken = firstOf(kActive, all, numberBefore); // "64 experts, 8 active per token"
    model.experts = *experts;
    model.expertsPerToken = perToken.value_or(std::min(kUsualPerToken, *experts));
    read.taken.push_back("experts " + std::to_string(model.experts) + (expertsOfName(name) == experts ? " (name)" : " (note)"));
    read.taken.push_back("experts_per_token " + std::to_string(model.expertsPerToken) + (perToken ? " (note)" : ""));
    if (model.expertsPerToken > model.experts)
        read.fault = std::to_string(model.expertsPerToken) + " experts a token of " + std::to_string(model.experts);
    const auto says = [&](std::string_view words) { return note.find(words) != std::string::npos; };
    if (says("loop over experts") || says("sequential experts") || says("sequentialmlp"))
        config.expertGemm = ExpertGemm::Loop;
    else if (says("grouped gemm") || says("grouped_mm") || says("grouped mm") || says("groupedmlp"))
        config.expertGemm = ExpertGemm::Grouped;
    return read;
}

} // namespace slipway
