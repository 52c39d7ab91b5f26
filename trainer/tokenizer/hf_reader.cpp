// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/hf_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/json.h"
#include "tokenizer/sequences.h"

namespace slipway {

namespace {

constexpr JsonLimits kTokenizerLimits{
    .bytes = HfTokenizer::kLargestFile, .depth = 24, .values = 16'000'000, .keys = 4'000'000};
constexpr TokenId kMostTokens = 1 << 24;

} // namespace

Result<HfTokenizer> TokenizerJsonReader::read(std::string_view json, const std::string &file)
{
    const Result<nlohmann::json> root = parseJsonFile(json, file, kTokenizerLimits);
    if (!root)
        return Error{
            .what = root.error().what, .where = root.error().where, .accepted = "a tokenizer.json of Hugging Face"};
    TokenizerJsonReader reader(file, json);
    reader.readDocument(*root);
    if (reader.m_document.error())
        return *reader.m_document.error();
    return std::move(reader.m_tokenizer);
}

void TokenizerJsonReader::readDocument(const nlohmann::json &root)
{
    JsonFields fields(root, "", m_document);
    fields.choice("version", {"1.0"});
    fields.ignore({"truncation", "padding"}); // for batches in inference; here texts are encoded completely
    if (const nlohmann::json *const value = fields.find("normalizer"))
        m_tokenizer.m_normalizer = readNormalizer(*value, "normalizer", m_document);
    if (const nlohmann::json *const value = fields.find("pre_tokenizer"))
        m_tokenizer.m_preTokenizer = readPreTokenizer(*value, "pre_tokenizer", m_document);
    if (const nlohmann::json *const value = fields.find("decoder"))
        m_tokenizer.m_decoder = readDecoder(*value, "decoder", m_document);
    if (const nlohmann::json *const value = fields.object("model"); value && !m_document.error())
        readModel(*value);
    if (const nlohmann::json *const value = fields.find("added_tokens"); value && !m_document.error())
        readAddedTokens(*value);
    if (const nlohmann::json *const value = fields.find("post_processor"); value && !m_document.error())
        readPostProcessor(*value, "post_processor", 0);
    fields.finish();
}

void TokenizerJsonReader::readModel(const nlohmann::json &value)
{
    JsonFields fields(value, "model", m_document);
    // Files from before 2020 do not contain the type; only BPE has merges.
    const std::string type = fields.choice("type", {"BPE", "Unigram"}, value.contains("merges") ? "BPE" : "");
    if (type == "BPE")
        readBpe(fields);
    else if (type == "Unigram")
        readUnigram(fields);
    if (!m_document.error())
        fields.finish();
}

Vocabulary TokenizerJsonReader::readVocabulary(JsonFields &fields)
{
    Vocabulary vocabulary;
    const nlohmann::json *const value = fields.object("vocab");
    if (!value)
        return vocabulary;
    for (const auto &[token, id] : value->items()) {
        if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= static_cast<std::uint64_t>(kMostTokens)) {
            fields.refuse("vocab", "has a token with an invalid id", fmt::format("0 to {}", kMostTokens - 1));
            return vocabulary;
        }
        const auto number = id.get<TokenId>();
        if (!vocabulary.tokenOf(number).empty()) {
            fields.refuse("vocab", fmt::format("has two tokens with the id {}", number));
            return vocabulary;
        }
        vocabulary.add(token, number);
    }
    return vocabulary;
}

std::vector<std::pair<std::string, std::string>> TokenizerJsonReader::readMerges(JsonFields &fields)
{
    std::vector<std::pair<std::string, std::string>> merges;
    const nlohmann::json *const list = fields.array("merges");
    for (std::size_t i = 0; list && i < list->size(); ++i) {
        const nlohmann::json &merge = (*list)[i];
        if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
            merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
            continue;
        }
        const std::string text = merge.is_string() ? merge.get<std::string>() : std::string();
        if (text.starts_with("#version"))
            continue;
        const std::size_t blank = text.find(' ');
        if (blank == std::string::npos || text.find(' ', blank + 1) != std::string::npos) {
            fields.refuse(fmt::format("merges[{}]", i), "is not understood", R"("a b", or ["a", "b"])");
            break;
        }
        merges.emplace_back(text.substr(0, blank), text.substr(blank + 1));
    }
    return merges;
}

void TokenizerJsonReader::readBpe(JsonFields &fields)
{
    BpeSettings settings{.vocabulary = readVocabulary(fields),
        .merges = readMerges(fields),
        .unknown = fields.textOrNull("unk_token"),
        .prefix = fields.textOrNull("continuing_subword_prefix").value_or(""),
        .suffix = fields.textOrNull("end_of_word_suffix").value_or(""),
        .fuseUnknown = fields.flag("fuse_unk", false),
        .byteFallback = fields.flag("byte_fallback", false),
        .ignoreMerges = fields.flag("ignore_merges", false)};
    if (const nlohmann::json *const dropout = fields.find("dropout"); dropout && *dropout != 0.0)
        fields.refuse("dropout", "makes tokenization random", "null, or 0");
    if (m_document.error())
        return;
    // If the last step converts bytes to characters, the model gets the bytes directly instead.
    std::vector<PreTokenizerStep> &steps = m_tokenizer.m_preTokenizer;
    auto *const last = steps.empty() ? nullptr : std::get_if<ByteLevelStep>(&steps.back());
    const bool bytes = last && Bpe::canTakeBytes(settings);
    if (bytes)
        last->leaveBytes = true;
    Result<Bpe> bpe = Bpe::create(std::move(settings), bytes);
    if (bpe)
        m_tokenizer.m_model = std::move(*bpe);
    else
        m_document.refuse(bpe.error(), "model");
}

void TokenizerJsonReader::readUnigram(JsonFields &fields)
{
    UnigramSettings settings{.byteFallback = fields.flag("byte_fallback", false)};
    const nlohmann::json *const list = fields.array("vocab");
    if (list && list->size() > static_cast<std::size_t>(kMostTokens))
        fields.refuse("vocab", fmt::format("has more than {} tokens", kMostTokens));
    for (std::size_t i = 0; list && i < list->size() && !m_document.error(); ++i) {
        const nlohmann::json &piece = (*list)[i];
        if (piece.is_array() && piece.size() == 2 && piece[0].is_string() && piece[1].is_number() &&
            std::isfinite(piece[1].get<double>()))
            settings.pieces.emplace_back(piece[0].get<std::string>(), piece[1].get<double>());
        else
            fields.refuse(fmt::format("vocab[{}]", i), "is not understood", R"(["token", score])");
    }
    if (const nlohmann::json *const unknown = fields.find("unk_id"))
        settings.unknown =
            static_cast<TokenId>(fields.whole("unk_id", 0, std::max<std::int64_t>(0, std::ssize(settings.pieces) - 1)));
    if (m_document.error())
        return;
    Result<Unigram> unigram = Unigram::create(std::move(settings));
    if (unigram)
        m_tokenizer.m_model = std::move(*unigram);
    else
        m_document.refuse(unigram.error(), "model");
}

void TokenizerJsonReader::readAddedTokens(const nlohmann::json &list)
{
    if (!list.is_array())
        return m_document.refuse("added_tokens", "is not understood", "an array");
    // A token that is not in the model gets the next free id, with which the file must agree.
    auto next = static_cast<TokenId>(m_tokenizer.vocabulary().size());
    for (std::size_t i = 0; i < list.size() && !m_document.error(); ++i)
        readAddedToken(list[i], fmt::format("added_tokens[{}]", i), next);
}

void TokenizerJsonReader::readAddedToken(const nlohmann::json &value, const std::string &key, TokenId &next)
{
    JsonFields fields(value, key, m_document);
    AddedToken token{.id = static_cast<TokenId>(fields.whole("id", 0, kMostTokens - 1)),
        .content = fields.text("content"),
        .normalized = {},
        .singleWord = fields.flag("single_word"),
        .leftStrip = fields.flag("lstrip"),
        .rightStrip = fields.flag("rstrip"),
        .inNormalized = fields.flag("normalized"),
        .special = fields.flag("special")};
    fields.finish();
    if (m_document.error())
        return;
    const std::optional<TokenId> known = m_tokenizer.idOf(token.content);
    const TokenId expected = known ? *known : next++;
    if (token.id != expected)
        return fields.refuse("id", fmt::format("is {}, where the package tokenizers would give {}", token.id, expected),
            fmt::format("{}", expected));
    token.normalized = token.inNormalized ? normalized(token.content) : token.content;
    if (const Result<void> added = m_tokenizer.m_added.add(std::move(token)); !added)
        fields.refuse("content", added.error().what);
}

std::string TokenizerJsonReader::normalized(const std::string &text)
{
    Normalizing normalizing(m_tokenizer.m_normalizer);
    const Result<Normalizing::Section> section = normalizing.run(text, false);
    if (!section)
        m_document.refuse(section.error(), "normalizer");
    return section ? std::string(section->text) : text;
}

void TokenizerJsonReader::readPostProcessor(const nlohmann::json &value, const std::string &key, int depth)
{
    JsonFields fields(value, key, m_document);
    const std::string type = fields.choice("type", {"TemplateProcessing", "ByteLevel", "Sequence"});
    if (type == "Sequence") {
        readSequence(
            fields, "processors", depth, [&](const nlohmann::json &step, const std::string &stepKey, int stepDepth) {
                readPostProcessor(step, stepKey, stepDepth);
            });
    } else if (type == "ByteLevel") {
        fields.ignore({"add_prefix_space", "trim_offsets", "use_regex"}); // they affect only offsets in the text
    } else if (type == "TemplateProcessing") {
        readTemplate(fields);
    }
    fields.finish();
}

void TokenizerJsonReader::readTemplate(JsonFields &fields)
{
    fields.ignore({"pair"}); // for two texts at once
    const nlohmann::json *const specials = fields.object("special_tokens");
    const nlohmann::json *const single = fields.array("single");
    std::vector<TokenId> before, after;
    int texts = 0;
    for (std::size_t i = 0; specials && single && i < single->size() && !m_document.error(); ++i) {
        JsonFields piece((*single)[i], fmt::format("{}[{}]", fields.keyOf("single"), i), m_document);
        if (const nlohmann::json *const sequence = piece.find("Sequence")) {
            JsonFields inner(*sequence, piece.keyOf("Sequence"), m_document);
            inner.choice("id", {"A"});
            inner.ignore({"type_id"});
            inner.finish();
            ++texts;
        } else if (const nlohmann::json *const special = piece.object("SpecialToken")) {
            JsonFields inner(*special, piece.keyOf("SpecialToken"), m_document);
            const std::string name = inner.text("id");
            inner.ignore({"type_id"});
            inner.finish();
            if (!specials->contains(name) || !(*specials)[name].is_object() || !(*specials)[name].contains("ids"))
                inner.refuse("id", "is not among special_tokens");
            else if (const nlohmann::json &ids = (*specials)[name]["ids"]; !ids.is_array() || ids.size() > 64)
                inner.refuse("id", "has no list of ids");
            else
                for (const nlohmann::json &id : ids) {
                    if (!id.is_number_unsigned() ||
                        id.get<std::uint64_t>() >= static_cast<std::uint64_t>(m_tokenizer.idLimit()))
                        return inner.refuse("id", "has an id that is not in the vocabulary");
                    (texts == 0 ? before : after).push_back(id.get<TokenId>());
                }
        }
        piece.finish();
    }
    if (texts != 1 && !m_document.error())
        fields.refuse("single", fmt::format("has the text {} times", texts), "$A once");
    // Several templates in a sequence enclose one another.
    m_tokenizer.m_before.insert(m_tokenizer.m_before.begin(), before.begin(), before.end());
    m_tokenizer.m_after.insert(m_tokenizer.m_after.end(), after.begin(), after.end());
}

} // namespace slipway
