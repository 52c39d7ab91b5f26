// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The "pre_tokenizer" of a tokenizer.json: splits the text into the pieces that the model encodes one by one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tokenizer/json_fields.h"
#include "tokenizer/regex.h"
#include "tokenizer/splitting.h"

namespace slipway {

struct SplitStep {
    std::string text; // if the pattern is a plain text
    std::optional<Regex> regex;
    SplitBehavior behavior = SplitBehavior::Isolated;
    bool inverted = false; // treats the text between matches as the matches
};
struct DigitsStep {
    bool individual = false;
};
struct ByteLevelStep {
    bool prefixSpace = false;
    std::optional<Regex> regex; // GPT-2's pattern
    bool leaveBytes = false;    // the model takes plain bytes, which need not be converted to characters
};
enum class PrependScheme { First, Never, Always };
struct MetaspaceStep {
    std::string replacement;
    PrependScheme scheme = PrependScheme::Always;
    bool split = true;
};
using PreTokenizerStep = std::variant<SplitStep, DigitsStep, ByteLevelStep, MetaspaceStep>;

// Sequences are flattened.
std::vector<PreTokenizerStep> readPreTokenizer(
    const nlohmann::json &value, const std::string &key, JsonDocument &document);
MetaspaceStep readMetaspace(JsonFields &fields); // also used for decoders

// Runs the steps. Each thread needs its own object.
class PreTokenizing {
public:
    using Take = std::function<Result<void>(std::string_view piece)>;
    PreTokenizing(const std::vector<PreTokenizerStep> &steps, Take take);

    // `atStart`: the section begins at the start of the document. `continues`: an earlier part of the section was
    // encoded, so nothing is prepended to its first piece.
    Result<void> run(std::string_view section, bool atStart, bool continues);

private:
    struct Piece {
        std::string_view text;
        bool atStart = false, continues = false;
    };
    Result<void> apply(std::size_t step, Piece piece);
    Result<void> split(std::size_t step, const SplitStep &what, const Piece &piece);
    Result<void> splitDigits(std::size_t step, const DigitsStep &what, const Piece &piece);
    Result<void> byteLevel(std::size_t step, const ByteLevelStep &what, Piece piece);
    Result<void> metaspace(std::size_t step, const MetaspaceStep &what, Piece piece);
    // Passes on each match of a pattern, and the text between matches.
    Result<void> isolated(std::size_t step, RegexSearch &search, const Piece &piece);
    Result<void> parts(std::size_t step, const Piece &piece, const std::vector<SplitPart> &found);
    Result<void> mapped(std::size_t step, const Piece &piece);

    const std::vector<PreTokenizerStep> &m_steps;
    Take m_take;
    struct Workspace {
        std::optional<RegexSearch> search;
        std::string prefixed, mapped;
        std::vector<SplitPart> parts;
    };
    std::vector<Workspace> m_spaces; // one per step
};

} // namespace slipway
