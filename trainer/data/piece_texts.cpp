// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/piece_texts.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/visible_text.h"
#include "tokenizer/utf8.h"

namespace slipway {

namespace {

constexpr JsonLimits kLimits{
    .bytes = DocumentReader::kLongestJsonLine, .depth = 64, .values = 1'000'000, .keys = 100'000};
constexpr std::size_t kShownFields = 8, kLongestShown = 40;

// The fields of the object that contain text, for error messages.
std::string fieldsOf(const nlohmann::json &object)
{
    std::string names;
    std::size_t shown = 0;
    for (const auto &[name, value] : object.items()) {
        if (!value.is_string() || name.size() > kLongestShown)
            continue;
        if (shown++ == kShownFields)
            return names + ", ...";
        names += (names.empty() ? "--field " : ", ") + visibleText(name, "");
    }
    return names;
}

Error notUtf8(std::size_t at)
{
    return {.what = "byte " + std::to_string(at + 1) + " of the line is not UTF-8",
        .accepted = "UTF-8, or --skip-bad, which skips such lines"};
}

// Records a bad line. Returns whether the rest of the piece is still needed.
bool leaveOut(const TextPiece &piece, std::int64_t line, Error error, const std::vector<TextInput> &inputs,
    const TextRules &rules, BadLines &bad)
{
    error.where = inputs[piece.input].name + ":" + std::to_string(line);
    if (!rules.skipBad) {
        bad.error = std::move(error);
        return false;
    }
    ++bad.count;
    if (bad.reasons.size() < BadLines::kMostReasons)
        bad.reasons.push_back(std::move(error));
    return true;
}

// Removes the first line from the text and returns it with its newline.
std::string_view takeLine(std::string_view &text)
{
    const std::size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline == std::string_view::npos ? newline : newline + 1);
    text.remove_prefix(line.size());
    return line;
}

} // namespace

Result<std::string> textOfJsonLine(std::string_view line, const std::string &field)
{
    if (line.ends_with('\n')) // which would be the place of an error at the end of the line
        line.remove_suffix(1);
    if (const std::size_t at = invalidUtf8At(line); at != std::string_view::npos)
        return notUtf8(at);
    Result<nlohmann::json> json = parseJson(line, kLimits);
    if (!json) {
        std::string what = json.error().what;
        if (const std::size_t at = what.find("line 1, "); at != std::string::npos)
            what.erase(at, 8); // `where` contains the line number
        return Error{.what = what, .accepted = "a JSON object in each line"};
    }
    if (!json->is_object())
        return Error{.what = "is not a JSON object", .accepted = "a JSON object in each line"};
    const auto found = json->find(field);
    if (found == json->end())
        return Error{.what = "has no field \"" + field + "\"", .accepted = fieldsOf(*json)};
    if (!found->is_string())
        return Error{.what = "the field \"" + field + "\" is not a text", .accepted = fieldsOf(*json)};
    return std::move(found->get_ref<std::string &>());
}

void forTexts(const TextPiece &piece, const std::vector<TextInput> &inputs, const TextRules &rules, BadLines &bad,
    const TakeText &take)
{
    const auto refuse = [&](std::int64_t line, Error error) {
        return leaveOut(piece, line, std::move(error), inputs, rules, bad);
    };
    if (piece.tooLong) {
        refuse(
            piece.firstLine, {.what = "is longer than " + std::to_string(DocumentReader::kLongestJsonLine) + " bytes",
                                 .accepted = "shorter lines, or --skip-bad, which skips such lines"});
        return;
    }
    if (!piece.jsonLines && invalidUtf8At(piece.text) == std::string_view::npos)
        return take(piece.text, 0);
    std::string kept; // text of the text document
    std::int64_t index = 0;
    for (std::string_view rest = piece.text; !rest.empty(); ++index) {
        const std::string_view line = takeLine(rest);
        if (!piece.jsonLines) {
            const std::size_t at = invalidUtf8At(line);
            if (at == std::string_view::npos)
                kept += line;
            else if (!refuse(piece.firstLine + index, notUtf8(at)))
                return;
        } else if (line.find_first_not_of(" \t\r\n") != std::string_view::npos) {
            const Result<std::string> text = textOfJsonLine(line, rules.field);
            if (text)
                take(*text, piece.firstJsonLine + index);
            else if (!refuse(piece.firstLine + index, text.error()))
                return;
        }
    }
    if (!piece.jsonLines)
        take(kept, 0);
}

} // namespace slipway
