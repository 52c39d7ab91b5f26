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

constexpr std::string_view kAdded = "trains adapter weights",
                           kHost = "offloads weights or optimizer states to host memory";
constexpr std::array kBeyond{Beyond{"lora", kAdded}, Beyond{"qlora", kAdded}, Beyond{"dora", kAdded},
    Beyond{"zero offload", kHost}, Beyond{"zero infinity", kHost}, Beyond{"cpu offload", kHost},
    Beyond{"cpu offloading", kHost}, Beyond{"offload optimizer", kHost}, Beyond{"optimizer offload", kHost},
    Beyond{"offload param", kHost}};
// The word before says that it was not so, or that only activations waited there, which a plan has.
constexpr std::array<std::string_view, 8> kNotSo{
    "no", "not", "without", "non", "act", "activation", "activations", "vs"};
constexpr std::array<std::string_view, 4> kOff{"false", "no", "off", "0"};

// "=False", ": off".
bool isOff(std::string_view rest)
{
    if (rest.empty() || (rest.front() != '=' && rest.front() != ':'))
        return false;
    const std::size_t begin = rest.find_first_not_of("=: ");
    return begin != std::string_view::npos && std::any_of(kOff.begin(), kOff.end(), [&](std::string_view off) {
        return rest.substr(begin).starts_with(off);
    });
}

} // namespace

std::string unsupportedFeature(std::string_view note)
{
    std::string text = toLower(note);
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '_' || c == '-'; }, ' ');
    const std::string_view view = text;
    for (const Beyond &beyond : kBeyond) {
        for (std::size_t at = findPhrase(view, beyond.words); at != std::string_view::npos;
            at = findPhrase(view, beyond.words, at + 1)) {
            if (!isOff(view.substr(at + beyond.words.size())) &&
                std::find(kNotSo.begin(), kNotSo.end(), wordBefore(view, at)) == kNotSo.end())
                return "'" + std::string(note.substr(at, beyond.words.size())) + "' " + std::string(beyond.why);
        }
    }
    return {};
}

} // namespace slipway
