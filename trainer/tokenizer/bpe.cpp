// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/bpe.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <unordered_set>

#include "tokenizer/byte_level.h"
#include "tokenizer/fibonacci_hash.h"
#include "tokenizer/utf8.h"

namespace slipway {

namespace {

constexpr std::size_t kShort = 48; // number of symbols; longer pieces are merged with a queue
constexpr std::size_t kJunctionBits = 20;
constexpr std::size_t kNothingPending = 0;

} // namespace

bool Bpe::canTakeBytes(const BpeSettings &settings)
{
    if (!settings.prefix.empty() || !settings.suffix.empty())
        return false;
    for (unsigned byte = 0; byte < 256; ++byte) {
        std::string character;
        appendUtf8(character, byteLevelCharacter(static_cast<unsigned char>(byte)));
        if (!settings.vocabulary.idOf(character))
            return false;
    }
    return true;
}

Result<Bpe> Bpe::create(BpeSettings settings, bool bytes)
{
    Bpe bpe;
    bpe.m_bytes = bytes;
    bpe.m_fuseUnknown = settings.fuseUnknown;
    bpe.m_byteFallback = settings.byteFallback;
    bpe.m_ignoreMerges = settings.ignoreMerges;
    bpe.m_prefix = settings.prefix;
    bpe.m_suffix = settings.suffix;
    if (settings.unknown) {
        bpe.m_unknown = settings.vocabulary.idOf(*settings.unknown);
        if (!bpe.m_unknown)
            return Error{
                .what = "is not in the vocabulary", .where = "model.unk_token", .accepted = "a token, or null"};
    }
    for (unsigned byte = 0; byte < 256; ++byte)
        bpe.m_fallbackIds[byte] = settings.vocabulary.idOfByte(static_cast<unsigned char>(byte)).value_or(-1);
    if (const Result<void> merges = bpe.readMerges(settings); !merges)
        return merges.error();
    bpe.m_vocabulary = std::move(settings.vocabulary);
    if (bytes) {
        for (TokenId id = 0; id < bpe.m_vocabulary.idLimit(); ++id) {
            if (std::optional<std::string> plain = bytesOfByteLevel(bpe.m_vocabulary.tokenOf(id));
                plain && !plain->empty())
                bpe.m_ofBytes.add(std::move(*plain), id);
        }
        for (unsigned byte = 0; byte < 256; ++byte) {
            const char character = static_cast<char>(static_cast<unsigned char>(byte));
            bpe.m_byteIds[byte] = *bpe.m_ofBytes.idOf(std::string_view(&character, 1));
        }
    }
    return bpe;
}

Result<void> Bpe::readMerges(const BpeSettings &settings)
{
    m_merges.resize(std::bit_ceil(std::max<std::size_t>(settings.merges.size() * 2, 2)));
    m_mask = m_merges.size() - 1;
    std::vector<TokenId> merged;
    bool ofFallback = false; // then tokens do not consist of whole characters
    for (std::size_t i = 0; i < settings.merges.size(); ++i) {
        const auto &[left, right] = settings.merges[i];
        const auto refused = [i](std::string_view what) {
            return Error{.what = std::string(what), .where = fmt::format("model.merges[{}]", i)};
        };
        const std::optional<TokenId> leftId = settings.vocabulary.idOf(left), rightId = settings.vocabulary.idOf(right);
        if (!leftId || !rightId)
            return refused("names a token that is not in the vocabulary");
        if (right.size() < m_prefix.size())
            return refused("has a second part shorter than continuing_subword_prefix");
        const std::optional<TokenId> id = settings.vocabulary.idOf(left + right.substr(m_prefix.size()));
        if (!id)
            return refused("makes a token that is not in the vocabulary");
        insertMerge(pairOf(*leftId, *rightId), {.rank = static_cast<std::uint32_t>(i), .id = *id});
        merged.push_back(*id);
        ofFallback =
            ofFallback || byteOfToken(left) || byteOfToken(right) || leftId == m_unknown || rightId == m_unknown;
    }
    const bool allBytes = std::find(m_fallbackIds.begin(), m_fallbackIds.end(), -1) == m_fallbackIds.end();
    if (m_byteFallback && allBytes && !ofFallback && !m_ignoreMerges && m_prefix.empty() && m_suffix.empty()) {
        m_junctions.assign((std::size_t{1} << kJunctionBits) / 64, 0);
        for (const TokenId id : merged) {
            const std::string_view token = settings.vocabulary.tokenOf(id);
            for (std::size_t at = token.empty() ? 0 : utf8Length(token[0]); at < token.size();
                at += utf8Length(token[at])) {
                const std::size_t bit = junctionOf(utf8At(token, utf8Before(token, at)), utf8At(token, at));
                m_junctions[bit / 64] |= std::uint64_t{1} << (bit % 64);
            }
        }
    }
    return {};
}

std::size_t Bpe::junctionOf(char32_t left, char32_t right)
{
    return fibonacciHash((std::uint64_t{left} << 32U) | right) & ((std::size_t{1} << kJunctionBits) - 1);
}

void Bpe::insertMerge(std::uint64_t pair, Merge merge)
{
    std::size_t at = fibonacciHash(pair) & m_mask;
    while (m_merges[at].pair != kNoPair && m_merges[at].pair != pair)
        at = (at + 1) & m_mask;
    m_merges[at] = {.pair = pair, .merge = merge}; // if a merge is listed twice, the later rank is used
}

const Bpe::Merge *Bpe::mergeOf(TokenId left, TokenId right) const
{
    const std::uint64_t pair = pairOf(left, right);
    for (std::size_t at = fibonacciHash(pair) & m_mask; m_merges[at].pair != kNoPair; at = (at + 1) & m_mask) {
        if (m_merges[at].pair == pair)
            return &m_merges[at].merge;
    }
    return nullptr;
}

std::size_t Bpe::independentPart(std::string_view text) const
{
    if (m_junctions.empty() || text.empty())
        return text.size();
    char32_t left = utf8At(text, 0);
    for (std::size_t at = utf8Length(text[0]); at < text.size(); at += utf8Length(text[at])) {
        const char32_t right = utf8At(text, at);
        const std::size_t bit = junctionOf(left, right);
        if ((m_junctions[bit / 64] >> (bit % 64) & 1U) == 0)
            return at;
        left = right;
    }
    return text.size();
}

void Bpe::encode(std::string_view piece, Scratch &scratch, std::vector<TokenId> &out) const
{
    if (piece.empty())
        return;
    if (m_ignoreMerges) {
        if (const std::optional<TokenId> whole = (m_bytes ? m_ofBytes : m_vocabulary).idOf(piece)) {
            out.push_back(*whole);
            return;
        }
    }
    scratch.ids.clear();
    begin(piece, scratch.ids);
    if (scratch.ids.size() <= kShort && m_prefix.empty())
        mergeShort(scratch);
    else
        mergeLong(scratch);
    out.insert(out.end(), scratch.ids.begin(), scratch.ids.end());
}

// The ids of single characters, or of their substitutes.
void Bpe::begin(std::string_view piece, std::vector<TokenId> &ids) const
{
    if (m_bytes) {
        for (const char byte : piece)
            ids.push_back(m_byteIds[static_cast<unsigned char>(byte)]);
        return;
    }
    std::size_t pending = kNothingPending; // number of unknown characters whose token has not been written yet
    std::string affixed;
    for (std::size_t at = 0; at < piece.size();) {
        const std::size_t length = utf8Length(piece[at]);
        std::string_view character = piece.substr(at, length);
        const bool first = at == 0;
        at += length;
        if ((!first && !m_prefix.empty()) || (at == piece.size() && !m_suffix.empty())) {
            affixed = first ? std::string() : m_prefix;
            affixed.append(character);
            affixed += at == piece.size() ? m_suffix : std::string();
            character = affixed;
        }
        if (const std::optional<TokenId> id = m_vocabulary.idOf(character)) {
            ids.insert(ids.end(), pending, m_unknown.value_or(0));
            pending = kNothingPending;
            ids.push_back(*id);
        } else {
            addUnknown(character, pending, ids);
        }
    }
    ids.insert(ids.end(), pending, m_unknown.value_or(0));
}

void Bpe::addUnknown(std::string_view character, std::size_t &pending, std::vector<TokenId> &ids) const
{
    const auto idOf = [this](char byte) { return m_fallbackIds[static_cast<unsigned char>(byte)]; };
    if (m_byteFallback && std::all_of(character.begin(), character.end(), [&](char byte) { return idOf(byte) >= 0; })) {
        for (const char byte : character)
            ids.push_back(idOf(byte));
        return;
    }
    if (!m_unknown)
        return; // a character without a token is dropped
    if (pending > 0 && !m_fuseUnknown)
        ids.push_back(*m_unknown);
    pending = 1;
}

// Searches all adjacent pairs for the lowest rank, which is fast for few symbols.
void Bpe::mergeShort(Scratch &scratch) const
{
    std::vector<TokenId> &ids = scratch.ids;
    std::vector<std::uint32_t> &ranks = scratch.ranks; // rank of each symbol's merge with the next one
    const auto rankAt = [&](std::size_t at) {
        const Merge *const merge = at + 1 < ids.size() ? mergeOf(ids[at], ids[at + 1]) : nullptr;
        return merge ? merge->rank : kNoRank;
    };
    ranks.resize(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
        ranks[i] = rankAt(i);
    while (ids.size() > 1) {
        const auto least = static_cast<std::size_t>(std::min_element(ranks.begin(), ranks.end()) - ranks.begin());
        if (ranks[least] == kNoRank)
            return;
        ids[least] = mergeOf(ids[least], ids[least + 1])->id;
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(least) + 1);
        ranks.erase(ranks.begin() + static_cast<std::ptrdiff_t>(least) + 1);
        ranks[least] = rankAt(least);
        if (least > 0)
            ranks[least - 1] = rankAt(least - 1);
    }
}

void Bpe::mergeLong(Scratch &scratch) const
{
    using Candidate = Scratch::Candidate;
    std::vector<Symbol> &symbols = scratch.symbols;
    std::vector<Candidate> &queue = scratch.queue;
    const auto later = [](const Candidate &a, const Candidate &b) {
        return a.rank != b.rank ? a.rank > b.rank : a.at > b.at;
    };
    const auto count = static_cast<std::int32_t>(scratch.ids.size());
    symbols.clear();
    queue.clear();
    for (std::int32_t i = 0; i < count; ++i)
        symbols.push_back(
            {.id = scratch.ids[static_cast<std::size_t>(i)], .previous = i - 1, .next = i + 1 < count ? i + 1 : -1});
    const auto symbol = [&symbols](std::int32_t at) -> Symbol & { return symbols[static_cast<std::size_t>(at)]; };
    const auto consider = [&](std::int32_t at) {
        if (at < 0 || symbol(at).next < 0)
            return;
        if (const Merge *const merge = mergeOf(symbol(at).id, symbol(symbol(at).next).id)) {
            queue.push_back({.rank = merge->rank, .at = at, .id = merge->id});
            std::push_heap(queue.begin(), queue.end(), later);
        }
    };
    for (std::int32_t i = 0; i < count; ++i)
        consider(i);
    while (!queue.empty()) {
        std::pop_heap(queue.begin(), queue.end(), later);
        const Candidate top = queue.back();
        queue.pop_back();
        Symbol &left = symbol(top.at);
        if (left.merged || left.next < 0)
            continue;
        Symbol &right = symbol(left.next);
        const Merge *const merge = mergeOf(left.id, right.id);
        if (!merge || merge->id != top.id)
            continue; // one of the two has been merged since
        left.id = top.id;
        left.next = right.next;
        right.merged = true;
        if (left.next >= 0)
            symbol(left.next).previous = top.at;
        consider(left.previous);
        consider(top.at);
    }
    scratch.ids.clear();
    for (std::int32_t at = count > 0 ? 0 : -1; at >= 0; at = symbol(at).next)
        scratch.ids.push_back(symbol(at).id);
}

} // namespace slipway
