// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/added_tokens.h"

#include <algorithm>

#include "tokenizer/characters.h"
#include "tokenizer/utf8.h"

namespace slipway {

namespace {

bool endsWithWord(std::string_view text)
{
    return !text.empty() && isWordCharacter(utf8At(text, utf8Before(text, text.size())));
}
bool beginsWithWord(std::string_view text) { return !text.empty() && isWordCharacter(utf8At(text, 0)); }

// The position at which the blanks at the end of the text begin.
std::size_t blanksAtEnd(std::string_view text)
{
    std::size_t at = text.size();
    while (at > 0) {
        const std::size_t before = utf8Before(text, at);
        if (!isWhitespace(utf8At(text, before)))
            break;
        at = before;
    }
    return at;
}

// The position at which the blanks at the start of the text end.
std::size_t blanksAtStart(std::string_view text)
{
    std::size_t at = 0;
    while (at < text.size() && isWhitespace(utf8At(text, at)))
        at += utf8Length(text[at]);
    return at;
}

} // namespace

void TokenFinder::add(std::string_view text, std::size_t token)
{
    std::size_t node = 0;
    for (const char byte : text) {
        const auto [next, added] = m_nodes[node].next.try_emplace(byte, m_nodes.size());
        const std::size_t child = next->second;
        if (added)
            m_nodes.emplace_back(); // this moves the nodes
        node = child;
    }
    if (m_nodes[node].token == kNone)
        m_nodes[node].token = token;
    m_begins[static_cast<unsigned char>(text[0])] = true;
}

bool TokenFinder::find(std::string_view text, std::size_t from, Match &match) const
{
    for (std::size_t begin = from; begin < text.size(); ++begin) {
        if (!m_begins[static_cast<unsigned char>(text[begin])])
            continue;
        std::size_t node = 0, longest = kNone, end = 0;
        for (std::size_t at = begin; at < text.size(); ++at) {
            const auto next = m_nodes[node].next.find(text[at]);
            if (next == m_nodes[node].next.end())
                break;
            node = next->second;
            if (m_nodes[node].token != kNone) {
                longest = m_nodes[node].token;
                end = at + 1;
            }
        }
        if (longest != kNone) {
            match = {.begin = begin, .end = end, .token = longest};
            return true;
        }
    }
    return false;
}

Result<void> AddedTokens::add(AddedToken token)
{
    if (token.content.empty() || token.normalized.empty())
        return Error{.what = token.content.empty() ? "is empty" : "is normalized to nothing"};
    const std::size_t index = m_tokens.size();
    m_finders[token.inNormalized ? 1 : 0].add(token.normalized, index);
    m_byContent.insert_or_assign(token.content, index);
    m_byId.insert_or_assign(token.id, index);
    m_tokens.push_back(std::move(token));
    return {};
}

const AddedToken *AddedTokens::find(std::string_view content) const
{
    const auto found = m_byContent.find(std::string(content));
    return found == m_byContent.end() ? nullptr : &m_tokens[found->second];
}

const AddedToken *AddedTokens::ofId(TokenId id) const
{
    const auto found = m_byId.find(id);
    return found == m_byId.end() ? nullptr : &m_tokens[found->second];
}

Result<void> AddedTokens::split(std::string_view text, bool normalized, const Take &take) const
{
    const TokenFinder &finder = m_finders[normalized ? 1 : 0];
    std::size_t done = 0;
    TokenFinder::Match match;
    for (std::size_t from = 0; !finder.empty() && finder.find(text, from, match); from = match.end) {
        const AddedToken &token = m_tokens[match.token];
        std::size_t begin = match.begin, end = match.end;
        if (token.singleWord && (endsWithWord(text.substr(0, begin)) || beginsWithWord(text.substr(end))))
            continue;
        if (token.leftStrip)
            begin = std::max(blanksAtEnd(text.substr(0, begin)), done);
        if (token.rightStrip)
            end += blanksAtStart(text.substr(end));
        if (done < begin) {
            if (Result<void> taken = take({.text = text.substr(done, begin - done), .begin = done}); !taken)
                return taken;
        }
        if (Result<void> taken = take({.text = {}, .begin = begin, .id = token.id}); !taken)
            return taken;
        done = end;
    }
    return done < text.size() ? take({.text = text.substr(done), .begin = done}) : Result<void>();
}

} // namespace slipway
