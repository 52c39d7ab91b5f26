// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/pre_tokenizer.h"

#include <fmt/format.h>

#include "tokenizer/byte_level.h"
#include "tokenizer/characters.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/sequences.h"
#include "tokenizer/utf8.h"

namespace slipway {

namespace {

// https://github.com/openai/gpt-2/blob/master/src/encoder.py
constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

ByteLevelStep readByteLevel(JsonFields &fields)
{
    ByteLevelStep step{.prefixSpace = fields.flag("add_prefix_space")};
    fields.ignore({"trim_offsets"}); // offsets in the text are not computed
    if (fields.flag("use_regex", true)) {
        if (Result<Regex> regex = Regex::compile(kGpt2Pattern))
            step.regex = std::move(*regex);
    }
    return step;
}

void readStep(const nlohmann::json &value, const std::string &key, JsonDocument &document,
    std::vector<PreTokenizerStep> &steps, int depth)
{
    JsonFields fields(value, key, document);
    const std::string type = fields.choice("type", {"ByteLevel", "Split", "Digits", "Metaspace", "Sequence"});
    if (type == "Sequence") {
        readSequence(
            fields, "pretokenizers", depth, [&](const nlohmann::json &step, const std::string &stepKey, int stepDepth) {
                readStep(step, stepKey, document, steps, stepDepth);
            });
    } else if (type == "Split") {
        TextPattern pattern = readPattern(fields);
        const std::string behavior =
            fields.choice("behavior", {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"});
        steps.emplace_back(SplitStep{.text = std::move(pattern.text),
            .regex = std::move(pattern.regex),
            .behavior = enumFromName<SplitBehavior>(behavior).value_or(SplitBehavior::Isolated),
            .inverted = fields.flag("invert", false)});
    } else if (type == "Digits") {
        steps.emplace_back(DigitsStep{.individual = fields.flag("individual_digits")});
    } else if (type == "ByteLevel") {
        steps.emplace_back(readByteLevel(fields));
    } else if (type == "Metaspace") {
        steps.emplace_back(readMetaspace(fields));
    }
    if (steps.size() > kMostSteps)
        document.refuse(key, fmt::format("is one of more than {} steps", kMostSteps));
    fields.finish();
}

// Calls `found(begin, end, match)` for matches and for the text between them.
template<typename NextMatch, typename Found>
void coverText(std::string_view text, const NextMatch &nextMatch, const Found &found)
{
    std::size_t from = 0;
    while (const std::optional<RegexSearch::Match> match = nextMatch(from)) {
        if (match->begin != from)
            found(SplitPart{.begin = from, .end = match->begin, .match = false});
        found(SplitPart{.begin = match->begin, .end = match->end, .match = true});
        from = match->end;
    }
    if (from != text.size())
        found(SplitPart{.begin = from, .end = text.size(), .match = false});
}

std::optional<RegexSearch::Match> findText(std::string_view text, std::string_view wanted, std::size_t from)
{
    const std::size_t at = text.find(wanted, from);
    if (at == std::string_view::npos)
        return std::nullopt;
    return RegexSearch::Match{.begin = at, .end = at + wanted.size()};
}

} // namespace

std::vector<PreTokenizerStep> readPreTokenizer(
    const nlohmann::json &value, const std::string &key, JsonDocument &document)
{
    std::vector<PreTokenizerStep> steps;
    readStep(value, key, document, steps, 0);
    return steps;
}

MetaspaceStep readMetaspace(JsonFields &fields)
{
    MetaspaceStep step;
    appendUtf8(step.replacement, fields.character("replacement"));
    const std::string scheme = fields.choice("prepend_scheme", {"first", "never", "always"}, "always");
    step.scheme = scheme == "first"   ? PrependScheme::First
                  : scheme == "never" ? PrependScheme::Never
                                      : PrependScheme::Always;
    if (!fields.flag("add_prefix_space", true)) { // older files use this field
        if (step.scheme != PrependScheme::Never && fields.find("prepend_scheme"))
            fields.refuse("add_prefix_space", "contradicts prepend_scheme", "true, or prepend_scheme: never");
        step.scheme = PrependScheme::Never;
    }
    step.split = fields.flag("split", true);
    fields.ignore({"str_rep"}); // repeats `replacement`
    return step;
}

PreTokenizing::PreTokenizing(const std::vector<PreTokenizerStep> &steps, Take take)
    : m_steps(steps),
      m_take(std::move(take)),
      m_spaces(steps.size())
{
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto *const split = std::get_if<SplitStep>(&steps[i]);
        const auto *const byteLevel = std::get_if<ByteLevelStep>(&steps[i]);
        if (split && split->regex)
            m_spaces[i].search.emplace(*split->regex);
        if (byteLevel && byteLevel->regex)
            m_spaces[i].search.emplace(*byteLevel->regex);
    }
}

Result<void> PreTokenizing::run(std::string_view section, bool atStart, bool continues)
{
    return apply(0, {.text = section, .atStart = atStart, .continues = continues});
}

Result<void> PreTokenizing::apply(std::size_t step, Piece piece)
{
    if (piece.text.empty())
        return {};
    if (step == m_steps.size())
        return m_take(piece.text);
    const PreTokenizerStep &what = m_steps[step];
    if (const auto *const pattern = std::get_if<SplitStep>(&what))
        return split(step, *pattern, piece);
    if (const auto *const digits = std::get_if<DigitsStep>(&what))
        return splitDigits(step, *digits, piece);
    if (const auto *const bytes = std::get_if<ByteLevelStep>(&what))
        return byteLevel(step, *bytes, piece);
    return metaspace(step, std::get<MetaspaceStep>(what), piece);
}

Result<void> PreTokenizing::parts(std::size_t step, const Piece &piece, const std::vector<SplitPart> &found)
{
    for (const SplitPart &part : found) {
        const bool first = part.begin == 0;
        if (Result<void> taken = apply(step + 1, {.text = piece.text.substr(part.begin, part.end - part.begin),
                                                     .atStart = piece.atStart && first,
                                                     .continues = piece.continues && first});
            !taken)
            return taken;
    }
    return {};
}

Result<void> PreTokenizing::isolated(std::size_t step, RegexSearch &search, const Piece &piece)
{
    const bool last = step + 1 == m_steps.size();
    search.start(piece.text);
    Result<void> taken;
    const auto take = [&](const SplitPart &part) {
        const std::string_view text = piece.text.substr(part.begin, part.end - part.begin);
        if (!taken || text.empty())
            return;
        taken = last ? m_take(text)
                     : apply(step + 1, {.text = text,
                                           .atStart = piece.atStart && part.begin == 0,
                                           .continues = piece.continues && part.begin == 0});
    };
    coverText(piece.text, [&](std::size_t) { return taken ? search.next() : std::nullopt; }, take);
    return taken && search.failed() ? tooManySteps() : taken;
}

Result<void> PreTokenizing::split(std::size_t step, const SplitStep &what, const Piece &piece)
{
    Workspace &space = m_spaces[step];
    if (space.search && what.behavior == SplitBehavior::Isolated)
        return isolated(step, *space.search, piece);
    space.parts.clear();
    const auto add = [&](SplitPart part) {
        part.match = part.match != what.inverted;
        space.parts.push_back(part);
    };
    if (space.search) {
        space.search->start(piece.text);
        coverText(piece.text, [&](std::size_t) { return space.search->next(); }, add);
        if (space.search->failed())
            return tooManySteps();
    } else {
        coverText(piece.text, [&](std::size_t from) { return findText(piece.text, what.text, from); }, add);
    }
    applyBehavior(what.behavior, space.parts);
    return parts(step, piece, space.parts);
}

Result<void> PreTokenizing::splitDigits(std::size_t step, const DigitsStep &what, const Piece &piece)
{
    const auto next = [&](std::size_t from) -> std::optional<RegexSearch::Match> {
        for (std::size_t at = from; at < piece.text.size();) {
            const std::size_t length = utf8Length(piece.text[at]);
            if (length == 1 ? piece.text[at] >= '0' && piece.text[at] <= '9' : isNumeric(utf8At(piece.text, at)))
                return RegexSearch::Match{.begin = at, .end = at + length};
            at += length;
        }
        return std::nullopt;
    };
    std::vector<SplitPart> &found = m_spaces[step].parts;
    found.clear();
    coverText(piece.text, next, [&found](const SplitPart &part) { found.push_back(part); });
    applyBehavior(what.individual ? SplitBehavior::Isolated : SplitBehavior::Contiguous, found);
    return parts(step, piece, found);
}

Result<void> PreTokenizing::byteLevel(std::size_t step, const ByteLevelStep &what, Piece piece)
{
    Workspace &space = m_spaces[step];
    if (what.prefixSpace && !piece.continues && piece.text[0] != ' ') {
        space.prefixed.assign(" ").append(piece.text);
        piece.text = space.prefixed;
    }
    if (what.leaveBytes)
        return space.search ? isolated(step, *space.search, piece) : apply(step + 1, piece);
    if (!space.search)
        return mapped(step, piece);
    space.search->start(piece.text);
    Result<void> taken;
    coverText(
        piece.text, [&](std::size_t) { return taken ? space.search->next() : std::nullopt; },
        [&](const SplitPart &part) {
            if (taken)
                taken = mapped(step, {.text = piece.text.substr(part.begin, part.end - part.begin),
                                         .atStart = piece.atStart && part.begin == 0,
                                         .continues = piece.continues && part.begin == 0});
        });
    return taken && space.search->failed() ? tooManySteps() : taken;
}

Result<void> PreTokenizing::mapped(std::size_t step, const Piece &piece)
{
    std::string &text = m_spaces[step].mapped;
    text.clear();
    appendByteLevel(text, piece.text);
    return apply(step + 1, {.text = text, .atStart = piece.atStart, .continues = piece.continues});
}

Result<void> PreTokenizing::metaspace(std::size_t step, const MetaspaceStep &what, Piece piece)
{
    std::string &text = m_spaces[step].mapped;
    text.clear();
    const bool prepends =
        !piece.continues && piece.text[0] != ' ' && !piece.text.starts_with(what.replacement) &&
        (what.scheme == PrependScheme::Always || (what.scheme == PrependScheme::First && piece.atStart));
    if (prepends)
        text += what.replacement;
    for (std::size_t from = 0; from < piece.text.size();) {
        const std::size_t blank = std::min(piece.text.find(' ', from), piece.text.size());
        text.append(piece.text, from, blank - from);
        if (blank < piece.text.size())
            text += what.replacement;
        from = blank + 1;
    }
    piece.text = text;
    if (!what.split)
        return apply(step + 1, piece);
    // Each replacement character begins a piece.
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find(what.replacement, from + 1), text.size());
        const bool first = from == 0;
        if (Result<void> taken = apply(step + 1, {.text = piece.text.substr(from, end - from),
                                                     .atStart = piece.atStart && first,
                                                     .continues = piece.continues && first});
            !taken)
            return taken;
        from = end;
    }
    return {};
}

} // namespace slipway
