// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// SentencePiece models behind the TokenizerModel interface.
#include "base/control_group.h"
#include "data/tokenizer.h"

#include <algorithm>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <unordered_map>
#include <utility>

#include "base/file.h"

namespace slipway {

namespace {

constexpr std::size_t kLearnedFrom = 4 << 20;  // bytes of text; more text hardly changes a vocabulary
constexpr std::size_t kLongestSentence = 4000; // bytes; SentencePiece drops longer ones
constexpr int kSmallestVocab = 300;            // 256 bytes, three marks and a few letters

// Lines that are evenly distributed over all texts, none longer than SentencePiece accepts.
std::vector<std::string> linesToLearnFrom(std::span<const std::string> texts)
{
    std::size_t total = 0;
    for (const std::string &text : texts)
        total += text.size();
    std::vector<std::string> lines;
    const double share =
        std::min(1.0, static_cast<double>(kLearnedFrom) / static_cast<double>(std::max<std::size_t>(total, 1)));
    double wanted = 0;
    for (const std::string &text : texts) {
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t newline = text.find('\n', start);
            std::size_t end = std::min(newline, text.size());
            const bool cut = end - start > kLongestSentence;
            if (cut) {
                const std::size_t blank = text.rfind(' ', start + kLongestSentence);
                end = blank != std::string::npos && blank > start ? blank : start + kLongestSentence;
            }
            wanted += share * static_cast<double>(end - start);
            if (end > start && wanted >= 0) {
                wanted -= static_cast<double>(end - start);
                lines.push_back(text.substr(start, end - start));
                std::replace(lines.back().begin(), lines.back().end(), '\0', ' ');
            }
            start = cut ? end : end + 1;
        }
    }
    return lines;
}

class Lines final : public sentencepiece::SentenceIterator {
public:
    explicit Lines(const std::vector<std::string> &lines) : m_lines(lines) {}
    bool done() const override { return m_next == m_lines.size(); }
    void Next() override { ++m_next; }
    const std::string &value() const override { return m_lines[m_next]; }
    sentencepiece::util::Status status() const override { return {}; }

private:
    const std::vector<std::string> &m_lines;
    std::size_t m_next = 0;
};

// Removes the source location with which SentencePiece's messages begin: "INTERNAL: src/x.cc(12) [condition] Vocabulary
// ...".
std::string reasonOf(const sentencepiece::util::Status &status)
{
    const std::string text = status.error_message();
    const std::size_t end = text.rfind("] ");
    return end == std::string::npos ? text : text.substr(end + 2);
}

// Thread-safe, because the processor is only read.
class SentencePieceEncoder final : public TextEncoder {
public:
    explicit SentencePieceEncoder(const sentencepiece::SentencePieceProcessor &processor) : m_processor(processor) {}

    Result<void> encode(std::string_view text, bool, std::vector<TokenId> &ids) override
    {
        const auto status = m_processor.Encode(absl::string_view(text.data(), text.size()), &m_ids);
        if (!status.ok())
            return Error{.what = "cannot be encoded: " + reasonOf(status), .where = "the text"};
        ids.insert(ids.end(), m_ids.begin(), m_ids.end());
        return {};
    }

private:
    const sentencepiece::SentencePieceProcessor &m_processor;
    std::vector<int> m_ids;
};

class SentencePiece final : public TokenizerModel {
public:
    // Returns false if the bytes are not a model.
    bool read(const std::string &content)
    {
        if (content.empty() || !m_processor.LoadFromSerializedProto(content).ok())
            return false;
        if (m_processor.bos_id() >= 0)
            m_before.push_back(m_processor.bos_id());
        if (m_processor.eos_id() >= 0)
            m_after.push_back(m_processor.eos_id());
        return true;
    }

    [[nodiscard]] int vocabSize() const override { return m_processor.GetPieceSize(); }
    [[nodiscard]] std::unique_ptr<TextEncoder> encoder() const override
    {
        return std::make_unique<SentencePieceEncoder>(m_processor);
    }
    [[nodiscard]] Result<std::string> decode(std::span<const std::int32_t> ids) const override
    {
        std::string text;
        const auto status = m_processor.Decode(std::vector<int>(ids.begin(), ids.end()), &text);
        if (!status.ok())
            return Error{.what = "cannot decode: " + reasonOf(status), .where = "the tokenizer"};
        return text;
    }

private:
    sentencepiece::SentencePieceProcessor m_processor;
};

} // namespace

Result<void> Tokenizer::train(std::span<const std::string> texts, int vocabSize, const std::filesystem::path &model)
{
    if (vocabSize < kSmallestVocab)
        return Error{.what = "is " + std::to_string(vocabSize),
            .where = "--vocab-size",
            .accepted = "at least " + std::to_string(kSmallestVocab)};
    const std::vector<std::string> lines = linesToLearnFrom(texts);
    if (lines.empty())
        return Error{.what = "contain no text to train a tokenizer on", .where = "the text files"};
    Lines iterator(lines);
    std::string content;
    const std::unordered_map<std::string, std::string> settings{{"model_type", "bpe"},
        {"vocab_size", std::to_string(vocabSize)}, {"byte_fallback", "true"}, {"character_coverage", "0.9995"},
        {"split_digits", "true"}, {"normalization_rule_name", "identity"}, {"remove_extra_whitespaces", "false"},
        {"allow_whitespace_only_pieces", "true"}, {"num_threads", std::to_string(usableThreads())},
        {"minloglevel", "2"}};
    const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &iterator, &content);
    if (!status.ok())
        return Error{
            .what = "cannot learn " + std::to_string(vocabSize) + " pieces from this text: " + reasonOf(status),
            .where = "--vocab-size"};
    return writeNamedFile(model, content);
}

Result<std::unique_ptr<TokenizerModel>> readSentencePiece(const std::string &content, const std::filesystem::path &path)
{
    auto model = std::make_unique<SentencePiece>();
    if (!model->read(content))
        return Error{.what = "is not a SentencePiece model, or is damaged",
            .where = path.string(),
            .accepted = "the tokenizer.model that slipway-train tokenize writes, or a tokenizer.json of Hugging Face",
            .fault = Fault::Damaged};
    return std::unique_ptr<TokenizerModel>(std::move(model));
}

} // namespace slipway
