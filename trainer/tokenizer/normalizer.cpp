// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/normalizer.h"

#include <algorithm>
#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uniset.h>

#include "tokenizer/characters.h"
#include "tokenizer/sequences.h"
#include "tokenizer/utf8.h"

namespace slipway {

namespace {

void readStep(const nlohmann::json &value, const std::string &key, JsonDocument &document,
    std::vector<NormalizerStep> &steps, int depth)
{
    JsonFields fields(value, key, document);
    const std::string type =
        fields.choice("type", {"NFC", "NFD", "NFKC", "NFKD", "Replace", "Prepend", "Lowercase", "Strip", "Sequence"});
    if (type == "Sequence") {
        readSequence(
            fields, "normalizers", depth, [&](const nlohmann::json &step, const std::string &stepKey, int stepDepth) {
                readStep(step, stepKey, document, steps, stepDepth);
            });
    } else if (type == "Replace") {
        TextPattern pattern = readPattern(fields);
        steps.emplace_back(Replace{
            .pattern = std::move(pattern.text), .regex = std::move(pattern.regex), .content = fields.text("content")});
    } else if (type == "Prepend") {
        steps.emplace_back(Prepend{.text = fields.text("prepend")});
    } else if (type == "Strip") {
        steps.emplace_back(Strip{.left = fields.flag("strip_left"), .right = fields.flag("strip_right")});
    } else if (type == "Lowercase") {
        steps.emplace_back(Lowercase{});
    } else if (!type.empty()) {
        steps.emplace_back(UnicodeForm{.compatibility = type[2] == 'K', .composed = type.back() == 'C'});
    }
    if (steps.size() > kMostSteps)
        document.refuse(key, fmt::format("is one of more than {} steps", kMostSteps));
    fields.finish();
}

const icu::Normalizer2 *icuNormalizer(const UnicodeForm &form)
{
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2 *const normalizer =
        form.compatibility
            ? (form.composed ? icu::Normalizer2::getNFKCInstance(status) : icu::Normalizer2::getNFKDInstance(status))
            : (form.composed ? icu::Normalizer2::getNFCInstance(status) : icu::Normalizer2::getNFDInstance(status));
    return U_SUCCESS(status) ? normalizer : nullptr;
}

// The characters that the package `tokenizers` normalizes: its tables (crate unicode-normalization-alignments 0.1) are
// those of Unicode 9.
const icu::UnicodeSet *charactersOfUnicode9()
{
    static const icu::UnicodeSet *const set = [] {
        UErrorCode status = U_ZERO_ERROR;
        auto *const made = new icu::UnicodeSet(icu::UnicodeString::fromUTF8("[:age=9.0:]"), status);
        made->freeze();
        return U_SUCCESS(status) ? made : nullptr;
    }();
    return set;
}

// Whether the form changes no character, because all are below the first character that it changes.
bool plainlyNormal(const UnicodeForm &form, std::string_view text)
{
    const unsigned char least = !form.compatibility && form.composed ? 0xCC : 0x80; // U+0300 begins with the byte 0xCC
    return std::all_of(
        text.begin(), text.end(), [least](char byte) { return static_cast<unsigned char>(byte) < least; });
}

Result<bool> toForm(const UnicodeForm &form, std::string_view text, std::string &out)
{
    if (plainlyNormal(form, text))
        return false;
    const icu::Normalizer2 *const normalizer = icuNormalizer(form);
    UErrorCode status = U_ZERO_ERROR;
    const icu::StringPiece source(text.data(), static_cast<std::int32_t>(text.size()));
    if (!normalizer || !charactersOfUnicode9())
        return Error{
            .what = "ICU's data for normalization cannot be loaded", .where = "the tokenizer", .fault = Fault::Outside};
    if (normalizer->isNormalizedUTF8(source, status) != 0)
        return false;
    icu::StringByteSink<std::string> sink(&out, source.length());
    icu::FilteredNormalizer2(*normalizer, *charactersOfUnicode9()).normalizeUTF8(0, source, sink, nullptr, status);
    if (U_FAILURE(status))
        return Error{.what = std::string("cannot be normalized: ") + u_errorName(status), .where = "the text"};
    return true;
}

bool replaceText(const Replace &replace, Normalizing::Section &section, std::string &out)
{
    std::size_t from = 0;
    for (std::size_t at = section.text.find(replace.pattern); at != std::string_view::npos;
        at = section.text.find(replace.pattern, from)) {
        if (at == 0) // a replacement of several characters counts as the last of them
            section.atStart = section.atStart && utf8Length(section.text[0]) == replace.pattern.size();
        out.append(section.text, from, at - from).append(replace.content);
        from = at + replace.pattern.size();
    }
    if (from == 0)
        return false;
    out.append(section.text, from);
    return true;
}

Result<bool> replaceMatches(
    const Replace &replace, RegexSearch &search, Normalizing::Section &section, std::string &out)
{
    search.start(section.text);
    std::size_t from = 0;
    bool changed = false;
    while (const std::optional<RegexSearch::Match> match = search.next()) {
        if (match->begin == 0 && match->end > 0)
            section.atStart = section.atStart && utf8Length(section.text[0]) == match->end && !replace.content.empty();
        out.append(section.text, from, match->begin - from).append(replace.content);
        from = match->end;
        changed = true;
    }
    if (search.failed())
        return tooManySteps();
    if (changed)
        out.append(section.text, from);
    return changed;
}

void strip(const Strip &strip, Normalizing::Section &section)
{
    std::string_view &text = section.text;
    while (strip.left && !text.empty() && isWhitespace(utf8At(text, 0))) {
        text.remove_prefix(utf8Length(text[0]));
        section.atStart = false;
    }
    while (strip.right && !text.empty()) {
        const std::size_t last = utf8Before(text, text.size());
        if (!isWhitespace(utf8At(text, last)))
            break;
        text = text.substr(0, last);
    }
}

} // namespace

std::vector<NormalizerStep> readNormalizer(const nlohmann::json &value, const std::string &key, JsonDocument &document)
{
    std::vector<NormalizerStep> steps;
    readStep(value, key, document, steps, 0);
    return steps;
}

TextPattern readPattern(JsonFields &fields)
{
    TextPattern pattern;
    const nlohmann::json *const value = fields.object("pattern");
    if (!value)
        return pattern;
    JsonFields inner(*value, fields.keyOf("pattern"), fields.document());
    const bool literal = value->contains("String");
    pattern.text = inner.text(literal ? "String" : "Regex");
    inner.finish();
    // An empty literal pattern matches between all characters.
    if (!literal || pattern.text.empty()) {
        Result<Regex> regex = Regex::compile(pattern.text);
        if (regex)
            pattern.regex = std::move(*regex);
        else
            inner.refuse(literal ? "String" : "Regex", regex.error().what, regex.error().accepted);
    }
    return pattern;
}

Normalizing::Normalizing(const std::vector<NormalizerStep> &steps) : m_steps(steps)
{
    for (const NormalizerStep &step : steps) {
        const auto *const replace = std::get_if<Replace>(&step);
        if (replace && replace->regex)
            m_searches.emplace_back(RegexSearch(*replace->regex));
        else
            m_searches.emplace_back(std::nullopt);
    }
}

Result<Normalizing::Section> Normalizing::run(std::string_view text, bool continues)
{
    Section section{.text = text, .atStart = true};
    std::size_t next = 0;
    for (std::size_t step = 0; step < m_steps.size(); ++step) {
        std::string &out = m_buffers[next];
        out.clear();
        const Result<bool> changed = apply(step, section, continues, out);
        if (!changed)
            return changed.error();
        if (*changed) {
            section.text = out;
            next = 1 - next;
        }
    }
    return section;
}

Result<bool> Normalizing::apply(std::size_t step, Section &section, bool continues, std::string &out)
{
    const NormalizerStep &what = m_steps[step];
    if (section.text.empty())
        return false;
    if (const auto *const form = std::get_if<UnicodeForm>(&what))
        return toForm(*form, section.text, out);
    if (const auto *const replace = std::get_if<Replace>(&what))
        return m_searches[step] ? replaceMatches(*replace, *m_searches[step], section, out)
                                : replaceText(*replace, section, out);
    if (const auto *const prepend = std::get_if<Prepend>(&what)) {
        if (continues)
            return false;
        out.append(prepend->text).append(section.text);
        return true;
    }
    if (const auto *const both = std::get_if<Strip>(&what)) {
        strip(*both, section);
        return false;
    }
    appendLowercase(out, section.text);
    return true;
}

} // namespace slipway
