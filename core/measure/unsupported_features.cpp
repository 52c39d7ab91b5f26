// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/unsupported_features.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "measure/note_text.h"

namespace slipway {

namespace {

struct Beyond {
    std::string_view words, why;
};

constexpr std::array kBeyond{Beyond{"dora", "uses adapters other than LoRA"},
    Beyond{"zero infinity", "may keep weights or optimizer states on a disk"}};

enum class Offloaded { Optimizer, Weights, ByStrategy };
struct OffloadWords {
    std::string_view words;
    Offloaded what;
};
constexpr std::array kOffload{OffloadWords{"offload param", Offloaded::Weights},
    OffloadWords{"zero offload", Offloaded::Optimizer}, OffloadWords{"offload optimizer", Offloaded::Optimizer},
    OffloadWords{"optimizer offload", Offloaded::Optimizer}, OffloadWords{"cpu offload", Offloaded::ByStrategy},
    OffloadWords{"cpu offloading", Offloaded::ByStrategy}};
// If one of these words comes before, the feature was not used, or only activations were offloaded, which can be
// planned.
constexpr std::array<std::string_view, 8> kNotSo{
    "no", "not", "without", "non", "act", "activation", "activations", "vs"};
constexpr std::int64_t kMostRank = 65536; // the limit of --lora-rank
constexpr std::array<std::string_view, 4> kOff{"false", "no", "off", "0"};

// Recognizes "=False" or ": off".
bool isOff(std::string_view rest)
{
    if (rest.empty() || (rest.front() != '=' && rest.front() != ':'))
        return false;
    const std::size_t begin = rest.find_first_not_of("=: ");
    return begin != std::string_view::npos && std::any_of(kOff.begin(), kOff.end(), [&](std::string_view off) {
        return rest.substr(begin).starts_with(off);
    });
}

// Converts to lower case, with blanks in place of hyphens and underscores.
std::string plainWords(std::string_view note)
{
    std::string text = toLower(note);
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '_' || c == '-'; }, ' ');
    return text;
}

// The position of words that are not negated, or npos.
std::size_t findSo(std::string_view text, std::string_view words)
{
    for (std::size_t at = findPhrase(text, words); at != std::string_view::npos; at = findPhrase(text, words, at + 1)) {
        if (!isOff(text.substr(at + words.size())) &&
            std::find(kNotSo.begin(), kNotSo.end(), wordBefore(text, at)) == kNotSo.end())
            return at;
    }
    return std::string_view::npos;
}

// The number at the beginning of the text after a word for the rank. It follows directly ("lora16", "r16"). After a
// word that means only the rank, a sign or a blank may come before it ("rank 16", "r = 16"). 0 if there is none.
int rankIn(std::string_view rest, std::string_view words)
{
    const std::size_t begin = words == "lora" ? 0 : rest.find_first_not_of("=: ");
    if (begin == std::string_view::npos)
        return 0;
    const std::size_t end = std::min(rest.find_first_not_of(kDigits, begin), rest.size());
    if (end == begin || (end < rest.size() && rest[end] >= 'a' && rest[end] <= 'z'))
        return 0;
    const auto number = parseInteger(rest.substr(begin, end - begin));
    return number && *number <= kMostRank ? static_cast<int>(*number) : 0;
}

} // namespace

std::string unsupportedFeature(std::string_view note)
{
    const std::string text = plainWords(note);
    for (const Beyond &beyond : kBeyond) {
        const std::size_t at = findSo(text, beyond.words);
        if (at != std::string_view::npos)
            return "'" + std::string(note.substr(at, beyond.words.size())) + "' " + std::string(beyond.why);
    }
    return {};
}

std::optional<NotedAdapters> notedAdapters(std::string_view note)
{
    const std::string text = plainWords(note);
    const bool packed = findSo(text, "qlora") != std::string_view::npos;
    if (findSo(text, "dora") != std::string_view::npos || (!packed && findSo(text, "lora") == std::string_view::npos))
        return std::nullopt;
    for (const std::string_view words : {"lora rank", "lora r", "lora", "r=", "r ="}) {
        for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
            const bool begins = words.starts_with("lora") || at == 0 || wordBefore(text, at + 1) == "r";
            if (const int rank = begins ? rankIn(std::string_view(text).substr(at + words.size()), words) : 0; rank > 0)
                return NotedAdapters{.rank = rank, .packed = packed};
        }
    }
    return NotedAdapters{.packed = packed};
}

HostOffload notedHostOffload(std::string_view note, bool fsdp)
{
    const std::string text = plainWords(note);
    for (const OffloadWords &each : kOffload) {
        if (findSo(text, each.words) != std::string_view::npos)
            return each.what == Offloaded::Weights || (each.what == Offloaded::ByStrategy && fsdp)
                       ? HostOffload::Weights
                       : HostOffload::Optimizer;
    }
    return HostOffload::None;
}

} // namespace slipway
