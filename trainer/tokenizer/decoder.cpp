// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/decoder.h"

#include <fmt/format.h>

#include "tokenizer/byte_level.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/sequences.h"
#include "tokenizer/utf8.h"
#include "tokenizer/vocabulary.h"

namespace slipway {

namespace {

using Tokens = std::vector<std::string>;

constexpr std::int64_t kMostStripped = 1000;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void readStep(const nlohmann::json &value, const std::string &key, JsonDocument &document,
    std::vector<DecoderStep> &steps, int depth)
{
    JsonFields fields(value, key, document);
    const std::string type =
        fields.choice("type", {"ByteLevel", "ByteFallback", "Fuse", "Strip", "Replace", "Metaspace", "Sequence"});
    if (type == "Sequence") {
        readSequence(
            fields, "decoders", depth, [&](const nlohmann::json &step, const std::string &stepKey, int stepDepth) {
                readStep(step, stepKey, document, steps, stepDepth);
            });
    } else if (type == "ByteLevel") {
        fields.ignore({"add_prefix_space", "trim_offsets", "use_regex"}); // they affect only encoding
        steps.emplace_back(ByteLevelDecoder{});
    } else if (type == "ByteFallback") {
        steps.emplace_back(ByteFallbackDecoder{});
    } else if (type == "Fuse") {
        steps.emplace_back(FuseDecoder{});
    } else if (type == "Strip") {
        steps.emplace_back(StripDecoder{.character = fields.character("content"),
            .start = static_cast<std::size_t>(fields.whole("start", 0, kMostStripped)),
            .stop = static_cast<std::size_t>(fields.whole("stop", 0, kMostStripped))});
    } else if (type == "Replace") {
        TextPattern pattern = readPattern(fields);
        Result<Regex> regex = pattern.regex ? Result<Regex>(*pattern.regex) : Regex::literal(pattern.text);
        std::string content = fields.text("content");
        if (regex)
            steps.emplace_back(ReplaceDecoder{.regex = std::move(*regex), .content = std::move(content)});
    } else if (type == "Metaspace") {
        MetaspaceStep step = readMetaspace(fields);
        steps.emplace_back(MetaspaceDecoder{
            .replacement = std::move(step.replacement), .dropsFirst = step.scheme != PrependScheme::Never});
    }
    if (steps.size() > kMostSteps)
        document.refuse(key, fmt::format("is one of more than {} steps", kMostSteps));
    fields.finish();
}

struct Decode {
    Tokens tokens;

    void operator()(const ByteLevelDecoder &)
    {
        std::string bytes;
        for (const std::string &token : tokens)
            bytes += bytesOfByteLevel(token).value_or(token);
        replaceInvalidUtf8(bytes);
        tokens = {std::move(bytes)};
    }
    void operator()(const ByteFallbackDecoder &)
    {
        Tokens out;
        std::string bytes;
        const auto flush = [&] {
            if (!bytes.empty() && invalidUtf8At(bytes) == std::string::npos)
                out.push_back(bytes);
            else
                out.insert(out.end(), bytes.size(), std::string(kReplacement));
            bytes.clear();
        };
        for (std::string &token : tokens) {
            if (const std::optional<unsigned char> byte = byteOfToken(token)) {
                bytes.push_back(static_cast<char>(*byte));
                continue;
            }
            flush();
            out.push_back(std::move(token));
        }
        flush();
        tokens = std::move(out);
    }
    void operator()(const FuseDecoder &)
    {
        std::string text;
        for (const std::string &token : tokens)
            text += token;
        tokens = {std::move(text)};
    }
    void operator()(const StripDecoder &strip)
    {
        std::string character;
        appendUtf8(character, strip.character);
        for (std::string &token : tokens) {
            std::string_view kept = token;
            for (std::size_t i = 0; i < strip.start && kept.starts_with(character); ++i)
                kept.remove_prefix(character.size());
            for (std::size_t i = 0; i < strip.stop && kept.ends_with(character); ++i)
                kept.remove_suffix(character.size());
            token = std::string(kept);
        }
    }
    void operator()(const ReplaceDecoder &replace)
    {
        RegexSearch search(replace.regex);
        for (std::string &token : tokens) {
            std::string text;
            std::size_t from = 0;
            search.start(token);
            while (const std::optional<RegexSearch::Match> match = search.next()) {
                text.append(token, from, match->begin - from).append(replace.content);
                from = match->end;
            }
            text.append(token, from);
            token = std::move(text);
        }
    }
    void operator()(const MetaspaceDecoder &metaspace)
    {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            std::string text;
            for (std::size_t at = 0; at < tokens[i].size(); at += utf8Length(tokens[i][at])) {
                const std::string_view character(tokens[i].data() + at, utf8Length(tokens[i][at]));
                if (character != metaspace.replacement)
                    text += character;
                else if (i > 0 || !metaspace.dropsFirst)
                    text += ' ';
            }
            tokens[i] = std::move(text);
        }
    }
};

} // namespace

std::vector<DecoderStep> readDecoder(const nlohmann::json &value, const std::string &key, JsonDocument &document)
{
    std::vector<DecoderStep> steps;
    readStep(value, key, document, steps, 0);
    return steps;
}

std::string decodeTokens(const std::optional<std::vector<DecoderStep>> &steps, std::vector<std::string> tokens)
{
    if (!steps)
        return fmt::format("{}", fmt::join(tokens, " "));
    Decode decode{.tokens = std::move(tokens)};
    for (const DecoderStep &step : *steps)
        std::visit(decode, step);
    return fmt::format("{}", fmt::join(decode.tokens, ""));
}

} // namespace slipway
