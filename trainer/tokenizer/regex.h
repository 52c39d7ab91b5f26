// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A pattern of a tokenizer.json file, compiled by PCRE2.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace slipway {

class Regex {
public:
    // Compiles a pattern in Oniguruma's syntax.
    static Result<Regex> compile(std::string_view pattern);
    // Matches the text literally.
    static Result<Regex> literal(std::string_view text);

private:
    friend class RegexSearch;
    explicit Regex(std::shared_ptr<void> code, bool compiledToMachineCode)
        : m_code(std::move(code)),
          m_jit(compiledToMachineCode)
    {
    }
    static Result<Regex> fromPcre2(std::string_view pattern);

    std::shared_ptr<void> m_code; // pcre2_code, shared by all threads
    bool m_jit;
};

// Finds the matches of a pattern. Each thread needs its own object.
class RegexSearch {
public:
    explicit RegexSearch(const Regex &regex);
    RegexSearch(RegexSearch &&) noexcept = default;

    struct Match {
        std::size_t begin = 0, end = 0;
    };
    void start(std::string_view text); // must be valid UTF-8 and outlive the search
    // The next match; empty if there is no other one, or if the pattern exceeds the match limit; then failed() is true.
    std::optional<Match> next();
    [[nodiscard]] bool failed() const { return m_failed; }

private:
    struct State;
    struct Free {
        void operator()(State *state) const;
    };
    Regex m_regex;
    std::unique_ptr<State, Free> m_state;
    std::string_view m_text;
    std::size_t m_from = 0;
    std::optional<std::size_t> m_lastEnd;
    bool m_failed = false;
};

// The error for a text on which a search failed.
Error tooManySteps();

} // namespace slipway
