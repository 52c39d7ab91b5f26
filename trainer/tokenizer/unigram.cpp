// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/unigram.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <ranges>

#include "tokenizer/fibonacci_hash.h"
#include "tokenizer/utf8.h"

namespace slipway {

namespace {

constexpr double kUnknownPenalty = 10.0; // below the lowest score, as in SentencePiece

std::uint64_t edgeOf(std::int32_t node, char byte)
{
    return (std::uint64_t{static_cast<std::uint32_t>(node)} << 8U) | static_cast<unsigned char>(byte);
}

Error noUnknown()
{
    return {.what = "a character is not in the vocabulary, and model.unk_id names no token for unknown ones",
        .where = "the text"};
}

} // namespace

Result<Unigram> Unigram::create(UnigramSettings settings)
{
    Unigram unigram;
    const auto count = static_cast<TokenId>(settings.pieces.size());
    if (settings.unknown && (*settings.unknown < 0 || *settings.unknown >= count))
        return Error{
            .what = "is outside the vocabulary", .where = "model.unk_id", .accepted = "the id of a token, or null"};
    unigram.m_unknown = settings.unknown;
    unigram.m_byteFallback = settings.byteFallback;
    double least = std::numeric_limits<double>::infinity();
    for (TokenId id = 0; id < count; ++id) {
        auto &[token, score] = settings.pieces[static_cast<std::size_t>(id)];
        least = std::min(least, score);
        unigram.m_scores.push_back(score);
        unigram.m_vocabulary.add(std::move(token), id);
    }
    unigram.m_unknownScore = least - kUnknownPenalty;
    for (unsigned byte = 0; byte < 256; ++byte)
        unigram.m_fallbackIds[byte] = unigram.m_vocabulary.idOfByte(static_cast<unsigned char>(byte)).value_or(-1);
    unigram.buildTrie();
    return unigram;
}

void Unigram::buildTrie()
{
    std::size_t bytes = 0;
    for (TokenId id = 0; id < m_vocabulary.idLimit(); ++id)
        bytes += m_vocabulary.tokenOf(id).size();
    m_edges.resize(std::bit_ceil(std::max<std::size_t>(bytes * 2, 2)));
    m_tokenAt.assign(1, -1);
    const std::size_t mask = m_edges.size() - 1;
    for (TokenId id = 0; id < m_vocabulary.idLimit(); ++id) {
        const std::string_view token = m_vocabulary.tokenOf(id);
        if (token.empty() || m_vocabulary.idOf(token) != id)
            continue;
        std::int32_t node = 0;
        for (const char byte : token) {
            const std::uint64_t key = edgeOf(node, byte);
            std::size_t at = fibonacciHash(key) & mask;
            while (m_edges[at].key != kNoEdge && m_edges[at].key != key)
                at = (at + 1) & mask;
            if (m_edges[at].key == kNoEdge) {
                m_edges[at] = {.key = key, .node = static_cast<std::int32_t>(m_tokenAt.size())};
                m_tokenAt.push_back(-1);
            }
            node = m_edges[at].node;
        }
        m_tokenAt[static_cast<std::size_t>(node)] = id;
    }
}

std::int32_t Unigram::follow(std::int32_t node, char byte) const
{
    const std::uint64_t key = edgeOf(node, byte);
    const std::size_t mask = m_edges.size() - 1;
    for (std::size_t at = fibonacciHash(key) & mask; m_edges[at].key != kNoEdge; at = (at + 1) & mask) {
        if (m_edges[at].key == key)
            return m_edges[at].node;
    }
    return -1;
}

// For each token that begins at `begin`, updates the best path to its end.
void Unigram::extend(std::string_view piece, std::size_t begin, std::vector<Node> &nodes) const
{
    const double here = nodes[begin].score;
    const auto offer = [&](std::size_t end, double score, TokenId id) {
        Node &target = nodes[end];
        if (target.begin < 0 || score + here > target.score)
            target = {.score = score + here, .begin = static_cast<std::int32_t>(begin), .id = id};
    };
    const std::size_t character = begin + utf8Length(piece[begin]);
    bool single = false;
    std::int32_t node = 0;
    for (std::size_t at = begin; at < piece.size(); ++at) {
        node = follow(node, piece[at]);
        if (node < 0)
            break;
        const TokenId id = m_tokenAt[static_cast<std::size_t>(node)];
        if (id < 0)
            continue;
        offer(at + 1, m_scores[static_cast<std::size_t>(id)], id);
        single = single || at + 1 == character;
    }
    if (!single && m_unknown)
        offer(character, m_unknownScore, *m_unknown);
}

Result<void> Unigram::encode(std::string_view piece, Scratch &scratch, std::vector<TokenId> &out) const
{
    std::vector<Node> &nodes = scratch.nodes;
    nodes.assign(piece.size() + 1, Node{});
    for (std::size_t at = 0; at < piece.size(); at += utf8Length(piece[at])) {
        if (at == 0 || nodes[at].begin >= 0)
            extend(piece, at, nodes);
    }
    if (!piece.empty() && nodes[piece.size()].begin < 0)
        return noUnknown(); // no path leads to the end
    scratch.parts.clear();
    bool lastUnknown = false;
    for (std::size_t end = piece.size(); end > 0;) {
        const Node &node = nodes[end];
        const auto begin = static_cast<std::size_t>(node.begin);
        const bool unknown = m_unknown && node.id == *m_unknown;
        if (unknown && lastUnknown)
            scratch.parts.back().first = begin; // adjacent unknown characters are merged
        else
            scratch.parts.emplace_back(begin, end);
        lastUnknown = unknown;
        end = begin;
    }
    for (const auto &[begin, end] : std::views::reverse(scratch.parts)) {
        if (Result<void> added = append(piece.substr(begin, end - begin), out); !added)
            return added;
    }
    return {};
}

Result<void> Unigram::append(std::string_view token, std::vector<TokenId> &out) const
{
    if (const std::optional<TokenId> id = m_vocabulary.idOf(token)) {
        out.push_back(*id);
        return {};
    }
    const auto idOf = [this](char byte) { return m_fallbackIds[static_cast<unsigned char>(byte)]; };
    if (m_byteFallback && std::all_of(token.begin(), token.end(), [&](char byte) { return idOf(byte) >= 0; })) {
        for (const char byte : token)
            out.push_back(idOf(byte));
        return {};
    }
    if (!m_unknown)
        return noUnknown();
    out.push_back(*m_unknown);
    return {};
}

} // namespace slipway
