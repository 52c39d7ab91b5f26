// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/measured_experts.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "measure/note_numbers.h"
#include "measure/note_text.h"

namespace slipway {

namespace {

constexpr int kUsualPerToken = 2; // as in Mixtral, and before it in GShard

template<std::size_t N>
std::optional<int> firstOf(const std::array<std::string_view, N> &words, std::string_view text,
    std::optional<int> (*find)(std::string_view, std::string_view))
{
    for (const std::string_view word : words) {
        if (const auto number = find(text, word))
            return number;
    }
    return std::nullopt;
}

// Reads the number of experts from a name with "8x7b": a number, x, billions of parameters.
std::optional<int> expertsOfName(std::string_view name)
{
    for (std::size_t at = name.find('x', 1); at != std::string_view::npos; at = name.find('x', at + 1)) {
        const std::size_t size = at + 1, end = std::min(name.find_first_not_of("0123456789.", size), name.size());
        if (end > size && end < name.size() && name[end] == 'b' && kDigits.find(name[at - 1]) != std::string_view::npos)
            return numberBefore(name.substr(0, size), "x");
    }
    return std::nullopt;
}

// Multi-head latent attention: queries, keys and values are computed from narrow vectors (DeepSeek 2024, arXiv
// 2405.04434). DeepSeek's first models and distilled models do not have it.
bool hasLatentAttention(std::string_view name, std::string_view note)
{
    constexpr std::array<std::string_view, 5> kVersions{"v2", "v3", "r1", "236b", "671b"};
    if (has(note, "latent attention") || findPhrase(note, "mla") != std::string_view::npos)
        return true;
    const std::size_t at = name.find("deepseek");
    return at != std::string_view::npos && !has(name, "distill") &&
           std::any_of(kVersions.begin(), kVersions.end(),
               [&](std::string_view version) { return has(name.substr(at), version); });
}

// Reads "ep=8", "EP8" or "expert parallel size 4" if the cell of parallelism names no expert parallelism.
std::optional<int> expertRanks(std::string_view note)
{
    constexpr std::array<std::string_view, 5> kWords{"expert_model_parallel_size", "expert parallel size",
        "expert parallelism", "expert-parallel", "expert parallel"};
    if (const auto ranks = firstOf(kWords, note, numberAfter))
        return ranks;
    constexpr std::size_t kName = 2; // the length of "ep"
    for (std::size_t at = findPhrase(note, "ep"); at != std::string_view::npos;
        at = findPhrase(note, "ep", at + kName)) {
        const std::size_t digits = note.find_first_not_of(" =:", at + kName);
        if (digits != std::string_view::npos && kDigits.find(note[digits]) != std::string_view::npos)
            return numberAfter(note.substr(at), "ep");
    }
    return std::nullopt;
}

} // namespace

MeasuredExperts readExperts(std::string_view mlpType, std::string_view notes, RunConfig &config, ModelSpec &model)
{
    constexpr std::array<std::string_view, 5> kPerToken{
        "experts_per_token", "experts per token", "experts_per_tok", "top_k", "topk"};
    constexpr std::array<std::string_view, 2> kTop{"top-", "top"}, kActive{"active per", "active experts"};
    constexpr std::array<std::string_view, 5> kCounts{
        "num_experts", "num_local_experts", "n_experts", "experts=", "experts:"};
    constexpr std::array<std::string_view, 4> kCounted{"experts", "routed experts", "routed", "expert"};
    const std::string type = toLower(mlpType), note = toLower(notes), name = toLower(model.name),
                      all = type + "; " + note;
    const bool mixture = has(all, "moe") || has(all, "mixture of experts") || has(all, "mixture-of-experts") ||
                         has(name, "mixtral") || expertsOfName(name) || numberBefore(note, "experts") ||
                         numberBefore(note, "routed") || numberAfter(all, "num_experts") ||
                         numberAfter(all, "experts=");
    MeasuredExperts read;
    if (hasLatentAttention(name, note)) {
        read.fault = "multi-head latent attention cannot be planned";
        return read;
    }
    if (!mixture)
        return read;
    // "2 shared experts", or DeepSeek's "64 routed + 2 shared".
    if (all.find("shared expert") != std::string::npos ||
        (all.find("routed") != std::string::npos && numberBefore(all, "shared"))) {
        read.fault = "shared experts cannot be planned";
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
        read.fault = "the number of experts is missing in mlp_type, notes and model_name";
        return read;
    }
    auto perToken = firstOf(kPerToken, all, numberAfter);
    if (!perToken)
        perToken = firstOf(kTop, all, numberAfter);
    if (!perToken)
        perToken = firstOf(kActive, all, numberBefore); // as in "64 experts, 8 active per token"
    model.experts.count = *experts;
    model.experts.perToken = perToken.value_or(std::min(kUsualPerToken, *experts));
    read.taken.push_back(
        "experts " + std::to_string(model.experts.count) + (expertsOfName(name) == experts ? " (name)" : " (note)"));
    read.taken.push_back("experts_per_token " + std::to_string(model.experts.perToken) + (perToken ? " (note)" : ""));
    if (model.experts.perToken > model.experts.count)
        read.fault = std::to_string(model.experts.perToken) + " experts per token exceed the number of experts, " +
                     std::to_string(model.experts.count);
    if (const auto ranks = expertRanks(note); ranks && config.parallel.ep == 1 && *ranks > 1) {
        config.parallel.ep = *ranks;
        read.taken.push_back("ep " + std::to_string(*ranks) + " (note)");
    }
    const auto says = [&](std::string_view words) { return has(note, words); };
    if (says("loop over experts") || says("sequential experts") || says("sequentialmlp"))
        config.simulated.expertGemm = ExpertGemm::Loop;
    else if (says("grouped gemm") || says("grouped_mm") || says("grouped mm") || says("groupedmlp"))
        config.simulated.expertGemm = ExpertGemm::Grouped;
    return read;
}

} // namespace slipway
