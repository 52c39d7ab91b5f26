// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/bpe_trainer.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>

#include <nlohmann/json.hpp>

#include "tokenizer/byte_level.h"
#include "tokenizer/json_fields.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/utf8.h"

namespace slipway {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kLongestWord = 256; // bytes; longer words are not useful
constexpr std::int64_t kLeastCount = 2;   // pairs that occur only once are not merged
constexpr TokenId kFirstByte = 1;         // after kLearnedEnd

OrderedJson preTokenizer()
{
    return {{"type", "Sequence"}, {"pretokenizers", {{{"type", "Digits"}, {"individual_digits", true}},
                                                        {{"type", "ByteLevel"}, {"add_prefix_space", false},
                                                            {"trim_offsets", true}, {"use_regex", true}}}}};
}

// Repeatedly merges the most frequent adjacent pair.
class Merging {
public:
    explicit Merging(const std::unordered_map<std::string, std::int64_t> &words)
    {
        // Sorts the words, so that the result does not depend on a hash.
        std::vector<const std::pair<const std::string, std::int64_t> *> sorted;
        for (const auto &word : words)
            sorted.push_back(&word);
        std::sort(sorted.begin(), sorted.end(), [](const auto *a, const auto *b) { return a->first < b->first; });
        for (const auto *const word : sorted) {
            Word made{.ids = {}, .count = word->second};
            for (const char byte : word->first)
                made.ids.push_back(kFirstByte + static_cast<unsigned char>(byte));
            m_words.push_back(std::move(made));
        }
        for (std::uint32_t i = 0; i < m_words.size(); ++i) {
            const Word &word = m_words[i];
            for (std::size_t at = 1; at < word.ids.size(); ++at)
                add(pairOf(word.ids[at - 1], word.ids[at]), word.count, i);
        }
        for (const auto &[pair, found] : m_pairs)
            m_queue.push({.count = found.count, .pair = pair});
    }

    using Pair = std::pair<TokenId, TokenId>;

    // The next pair to merge; empty if no pair is frequent enough.
    std::optional<Pair> next()
    {
        while (!m_queue.empty()) {
            const Candidate top = m_queue.top();
            m_queue.pop();
            const auto found = m_pairs.find(top.pair);
            const std::int64_t count = found == m_pairs.end() ? 0 : found->second.count;
            if (count < kLeastCount)
                continue;
            if (count == top.count)
                return Pair{static_cast<TokenId>(top.pair >> 32U), static_cast<TokenId>(top.pair)};
            m_queue.push({.count = count, .pair = top.pair}); // its count has decreased since it was queued
        }
        return std::nullopt;
    }

    // Replaces the pair by the token `id` in all words.
    void merge(const Pair &parts, TokenId id)
    {
        const std::uint64_t pair = pairOf(parts.first, parts.second);
        const std::vector<std::uint32_t> words = std::move(m_pairs[pair].words);
        m_touched.clear();
        for (const std::uint32_t index : words)
            mergeIn(index, parts, id);
        m_pairs.erase(pair);
        std::sort(m_touched.begin(), m_touched.end());
        m_touched.erase(std::unique(m_touched.begin(), m_touched.end()), m_touched.end());
        for (const std::uint64_t touched : m_touched)
            m_queue.push({.count = m_pairs[touched].count, .pair = touched});
    }

private:
    struct Word {
        std::vector<TokenId> ids;
        std::int64_t count = 0;
    };
    struct Found {
        std::int64_t count = 0;
        std::vector<std::uint32_t> words; // may contain duplicates, and words that no longer have the pair
    };
    // Ordered by count; of equally frequent pairs, the one with the lower ids comes first.
    struct Candidate {
        std::int64_t count = 0;
        std::uint64_t pair = 0;
        bool operator<(const Candidate &other) const
        {
            return std::tuple(count, other.pair) < std::tuple(other.count, pair);
        }
    };

    static std::uint64_t pairOf(TokenId left, TokenId right)
    {
        return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32U) | static_cast<std::uint32_t>(right);
    }

    void add(std::uint64_t pair, std::int64_t count, std::uint32_t word)
    {
        Found &found = m_pairs[pair];
        found.count += count;
        if (found.words.empty() || found.words.back() != word)
            found.words.push_back(word);
    }

    // Subtracts the old pairs of the word from the counts and adds its new ones, if it contains the pair.
    void mergeIn(std::uint32_t index, const Pair &parts, TokenId id)
    {
        Word &word = m_words[index];
        m_ids.clear();
        for (std::size_t at = 0; at < word.ids.size(); ++at) {
            const bool here =
                at + 1 < word.ids.size() && word.ids[at] == parts.first && word.ids[at + 1] == parts.second;
            m_ids.push_back(here ? id : word.ids[at]);
            at += here ? 1 : 0;
        }
        if (m_ids.size() == word.ids.size())
            return;
        for (std::size_t at = 1; at < word.ids.size(); ++at)
            m_pairs[pairOf(word.ids[at - 1], word.ids[at])].count -= word.count;
        for (std::size_t at = 1; at < m_ids.size(); ++at) {
            const std::uint64_t pair = pairOf(m_ids[at - 1], m_ids[at]);
            if (m_ids[at - 1] == id || m_ids[at] == id) {
                add(pair, word.count, index);
                m_touched.push_back(pair);
            } else {
                m_pairs[pair].count += word.count;
            }
        }
        word.ids = m_ids;
    }

    std::vector<Word> m_words;
    std::unordered_map<std::uint64_t, Found> m_pairs;
    std::priority_queue<Candidate> m_queue;
    std::vector<TokenId> m_ids;
    std::vector<std::uint64_t> m_touched;
};

OrderedJson documentOf(const std::vector<std::string> &tokens, const OrderedJson &merges)
{
    OrderedJson vocab = OrderedJson::object();
    for (std::size_t id = 0; id < tokens.size(); ++id)
        vocab[tokens[id]] = id;
    const OrderedJson byteLevel{
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
    return {{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr},
        {"added_tokens", OrderedJson::array({{{"id", 0}, {"content", kLearnedEnd}, {"single_word", false},
                             {"lstrip", false}, {"rstrip", false}, {"normalized", false}, {"special", true}}})},
        {"normalizer", nullptr}, {"pre_tokenizer", preTokenizer()}, {"post_processor", byteLevel},
        {"decoder", byteLevel},
        {"model",
            {{"type", "BPE"}, {"dropout", nullptr}, {"unk_token", nullptr}, {"continuing_subword_prefix", nullptr},
                {"end_of_word_suffix", nullptr}, {"fuse_unk", false}, {"byte_fallback", false},
                {"ignore_merges", false}, {"vocab", std::move(vocab)}, {"merges", merges}}}};
}

} // namespace

Result<void> BpeTrainer::add(std::string_view text)
{
    JsonDocument document("the pre-tokenizer");
    std::vector<PreTokenizerStep> steps = readPreTokenizer(nlohmann::json(preTokenizer()), "pre_tokenizer", document);
    if (document.error())
        return *document.error();
    std::get<ByteLevelStep>(steps.back()).leaveBytes = true;
    PreTokenizing words(steps, [this](std::string_view word) {
        if (word.size() <= kLongestWord)
            ++m_words[std::string(word)];
        return Result<void>();
    });
    return words.run(text, true, false);
}

Result<std::string> BpeTrainer::train(int vocabSize) const
{
    if (vocabSize < kSmallestVocab)
        return Error{.what = "is " + std::to_string(vocabSize),
            .where = "--vocab-size",
            .accepted = "at least " + std::to_string(kSmallestVocab)};
    std::vector<std::string> tokens{std::string(kLearnedEnd)};
    for (int byte = 0; byte < 256; ++byte) {
        tokens.emplace_back();
        appendUtf8(tokens.back(), byteLevelCharacter(static_cast<unsigned char>(byte)));
    }
    OrderedJson merges = OrderedJson::array();
    Merging merging(m_words);
    std::unordered_map<std::string, TokenId> known;
    while (std::ssize(tokens) < vocabSize) {
        const std::optional<Merging::Pair> parts = merging.next();
        if (!parts)
            return Error{.what = "cannot learn " + std::to_string(vocabSize) +
                                 " tokens from this text: it gives no more than " + std::to_string(tokens.size()),
                .where = "--vocab-size",
                .accepted = "fewer tokens, or more text"};
        const std::string &left = tokens[static_cast<std::size_t>(parts->first)];
        const std::string &right = tokens[static_cast<std::size_t>(parts->second)];
        merges.push_back(left + " " + right);
        // Several merges may produce the same text, which is a single token.
        const auto [found, isNew] = known.try_emplace(left + right, static_cast<TokenId>(tokens.size()));
        if (isNew)
            tokens.push_back(found->first);
        merging.merge(*parts, found->second);
    }
    return documentOf(tokens, merges).dump(1, '\t') + "\n";
}

std::string learnedTokenizerConfig()
{
    return OrderedJson{{"tokenizer_class", "PreTrainedTokenizerFast"}, {"eos_token", kLearnedEnd}}.dump(2) + "\n";
}

} // namespace slipway
