// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/hf_tokenizer.h"

#include <algorithm>

#include "tokenizer/hf_reader.h"
#include "tokenizer/piece_cache.h"

namespace slipway {

// Applies the parts of a tokenizer one after another.
class HfEncoder final : public TextEncoder {
public:
    explicit HfEncoder(const HfTokenizer &tokenizer)
        : m_tokenizer(tokenizer),
          m_normalizing(tokenizer.m_normalizer),
          m_preTokenizing(tokenizer.m_preTokenizer, [this](std::string_view piece) { return encodePiece(piece); })
    {
    }

    Result<void> encode(std::string_view text, bool continues, std::vector<TokenId> &ids) override
    {
        m_out = &ids;
        return m_tokenizer.m_added.split(text, false, [&](const AddedTokens::Section &section) {
            if (section.id >= 0) {
                ids.push_back(section.id);
                return Result<void>();
            }
            return encodeSection(section, continues);
        });
    }

private:
    Result<void> encodeSection(const AddedTokens::Section &section, bool continues)
    {
        const bool continued = continues && section.begin == 0;
        const bool atStart = !continues && section.begin == 0;
        const Result<Normalizing::Section> normal = m_normalizing.run(section.text, continued);
        if (!normal)
            return normal.error();
        return m_tokenizer.m_added.split(normal->text, true, [&](const AddedTokens::Section &part) {
            if (part.id >= 0) {
                m_out->push_back(part.id);
                return Result<void>();
            }
            const bool first = part.begin == 0;
            return m_preTokenizing.run(part.text, atStart && first && normal->atStart, continued && first);
        });
    }

    Result<void> encodePiece(std::string_view piece)
    {
        if (const auto *const bpe = std::get_if<Bpe>(&m_tokenizer.m_model)) {
            while (!piece.empty()) {
                const std::string_view part = piece.substr(0, bpe->independentPart(piece));
                if (!takeCached(part)) {
                    const std::size_t before = m_out->size();
                    bpe->encode(part, m_bpe, *m_out);
                    remember(part, before);
                }
                piece.remove_prefix(part.size());
            }
            return {};
        }
        if (takeCached(piece))
            return {};
        const std::size_t before = m_out->size();
        Result<void> encoded = std::get<Unigram>(m_tokenizer.m_model).encode(piece, m_unigram, *m_out);
        if (encoded)
            remember(piece, before);
        return encoded;
    }

    bool takeCached(std::string_view piece)
    {
        const std::optional<std::span<const TokenId>> known = m_cache.find(piece);
        if (known)
            m_out->insert(m_out->end(), known->begin(), known->end());
        return known.has_value();
    }
    void remember(std::string_view piece, std::size_t before)
    {
        m_cache.insert(piece, std::span<const TokenId>(*m_out).subspan(before));
    }

    const HfTokenizer &m_tokenizer;
    Normalizing m_normalizing;
    PreTokenizing m_preTokenizing;
    PieceCache m_cache;
    Bpe::Scratch m_bpe;
    Unigram::Scratch m_unigram;
    std::vector<TokenId> *m_out = nullptr;
};

Result<HfTokenizer> HfTokenizer::parse(std::string_view json, const std::string &file)
{
    return TokenizerJsonReader::read(json, file);
}

std::unique_ptr<TextEncoder> HfTokenizer::encoder() const { return std::make_unique<HfEncoder>(*this); }

const Vocabulary &HfTokenizer::vocabulary() const
{
    return std::visit([](const auto &model) -> const Vocabulary & { return model.vocabulary(); }, m_model);
}

TokenId HfTokenizer::idLimit() const
{
    TokenId limit = vocabulary().idLimit();
    for (const AddedToken &token : m_added.all())
        limit = std::max(limit, token.id + 1);
    return limit;
}

std::optional<TokenId> HfTokenizer::idOf(std::string_view token) const
{
    const AddedToken *const added = m_added.find(token);
    return added ? std::optional(added->id) : vocabulary().idOf(token);
}

std::string HfTokenizer::decode(std::span<const TokenId> ids, bool skipSpecial) const
{
    std::vector<std::string> tokens;
    for (const TokenId id : ids) {
        const AddedToken *const added = m_added.ofId(id);
        const std::string_view token = added ? std::string_view(added->normalized) : vocabulary().tokenOf(id);
        const AddedToken *const same = m_added.find(token); // by text, because a vocabulary may contain it twice
        if (!token.empty() && !(skipSpecial && same && same->special))
            tokens.emplace_back(token);
    }
    return decodeTokens(m_decoder, std::move(tokens));
}

} // namespace slipway
