// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <array>
#include <fmt/format.h>
#include <pcre2.h>
#include <string>

#include "tokenizer/regex_syntax.h"
#include "tokenizer/utf8.h"

namespace slipway {

namespace {

// A malicious pattern fails with an error instead of running for years.
constexpr std::uint32_t kMatchLimit = 50'000'000;
constexpr std::uint32_t kMostHeap = 64 * 1024; // KiB
constexpr std::size_t kSmallestStack = 64 << 10, kLargestStack = 16 << 20;
constexpr std::size_t kLongestPattern = 64 << 10;

pcre2_code *codeOf(const std::shared_ptr<void> &code) { return static_cast<pcre2_code *>(code.get()); }

} // namespace

struct RegexSearch::State {
    pcre2_match_context *context = pcre2_match_context_create(nullptr);
    pcre2_jit_stack *stack = pcre2_jit_stack_create(kSmallestStack, kLargestStack, nullptr);
    pcre2_match_data *match = pcre2_match_data_create(1, nullptr);
};

void RegexSearch::Free::operator()(State *state) const
{
    pcre2_match_data_free(state->match);
    pcre2_jit_stack_free(state->stack);
    pcre2_match_context_free(state->context);
    delete state;
}

Result<Regex> Regex::compile(std::string_view pattern)
{
    if (pattern.size() > kLongestPattern)
        return Error{.what = fmt::format("has {} bytes", pattern.size()),
            .accepted = fmt::format("at most {}", kLongestPattern)};
    const Result<std::string> rewritten = pcre2FromOniguruma(pattern);
    return rewritten ? fromPcre2(*rewritten) : Result<Regex>(rewritten.error());
}

Result<Regex> Regex::literal(std::string_view text)
{
    std::string pattern;
    for (std::size_t at = 0; at < text.size(); at += utf8Length(text[at]))
        pattern += fmt::format("\\x{{{:X}}}", static_cast<unsigned>(utf8At(text, at)));
    return fromPcre2(pattern);
}

Result<Regex> Regex::fromPcre2(std::string_view pattern)
{
    int error = 0;
    PCRE2_SIZE offset = 0;
    // A pattern may contain NUL characters, because its length is passed.
    pcre2_code *const code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
        PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NO_AUTO_CAPTURE | PCRE2_NEVER_BACKSLASH_C, &error, &offset,
        nullptr);
    if (!code) {
        std::array<PCRE2_UCHAR, 256> words{};
        pcre2_get_error_message(error, words.data(), words.size());
        return Error{.what = fmt::format("is not understood: {}", reinterpret_cast<const char *>(words.data()))};
    }
    const bool jit = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
    return Regex(std::shared_ptr<void>(code, [](void *c) { pcre2_code_free(static_cast<pcre2_code *>(c)); }), jit);
}

RegexSearch::RegexSearch(const Regex &regex) : m_regex(regex), m_state(new State)
{
    pcre2_set_match_limit(m_state->context, kMatchLimit);
    pcre2_set_heap_limit(m_state->context, kMostHeap);
    pcre2_jit_stack_assign(m_state->context, nullptr, m_state->stack);
}

void RegexSearch::start(std::string_view text)
{
    m_text = text;
    m_from = 0;
    m_lastEnd.reset();
    m_failed = false;
}

std::optional<RegexSearch::Match> RegexSearch::next()
{
    const auto *const subject = reinterpret_cast<PCRE2_SPTR>(m_text.data());
    while (m_from <= m_text.size()) {
        const int count = m_regex.m_jit ? pcre2_jit_match(codeOf(m_regex.m_code), subject, m_text.size(), m_from, 0,
                                              m_state->match, m_state->context)
                                        : pcre2_match(codeOf(m_regex.m_code), subject, m_text.size(), m_from,
                                              PCRE2_NO_UTF_CHECK, m_state->match, m_state->context);
        if (count < 0) {
            m_failed = count != PCRE2_ERROR_NOMATCH;
            m_from = m_text.size() + 1;
            return std::nullopt;
        }
        const PCRE2_SIZE *const bounds = pcre2_get_ovector_pointer(m_state->match);
        const Match match{.begin = bounds[0], .end = bounds[1]};
        // An empty match directly after another match is skipped, as in Oniguruma's find_iter.
        if (match.begin == match.end && m_lastEnd == match.end) {
            m_from += m_from < m_text.size() ? utf8Length(m_text[m_from]) : 1;
            continue;
        }
        m_from = match.end;
        m_lastEnd = match.end;
        return match;
    }
    return std::nullopt;
}

Error tooManySteps() { return {.what = "takes too many steps on this text", .where = "a pattern of the tokenizer"}; }

} // namespace slipway
