// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "tokenizer/regex_syntax.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "tokenizer/utf8.h"

namespace slipway {

namespace {

constexpr int kDeepestGroup = 64;

// White_Space. PCRE2's \s also includes U+180E, which Unicode no longer counts as white space.
constexpr std::string_view kSpace =
    R"(\x{9}-\x{D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
constexpr std::string_view kNoSpace =
    R"(\x{0}-\x{8}\x{E}-\x{1F}\x{21}-\x{84}\x{86}-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027})"
    R"(\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{10FFFF})";
constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";

constexpr std::array<std::string_view, 38> kCategories{"L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N",
    "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp",
    "C", "Cc", "Cf", "Cs", "Co", "Cn", "Any"};

// Pairs of letters to which a single character folds, as U+FB06 does to "st". Oniguruma then also matches that
// character; PCRE2 does not.
constexpr std::array<std::string_view, 5> kFoldedPairs{"ff", "fi", "fl", "ss", "st"};

class Rewriter {
public:
    explicit Rewriter(std::string_view pattern) : m_pattern(pattern) {}

    Result<std::string> run()
    {
        std::string out = alternatives(0);
        if (!m_error && !atEnd())
            refuse("a group that ends without a beginning");
        if (m_error)
            return *m_error;
        return out;
    }

private:
    [[nodiscard]] bool atEnd() const { return m_error || m_at >= m_pattern.size(); }
    [[nodiscard]] bool sees(std::string_view text) const { return m_pattern.substr(m_at).starts_with(text); }
    bool take(std::string_view text)
    {
        if (!sees(text))
            return false;
        m_at += text.size();
        return true;
    }
    char32_t takeCharacter()
    {
        const char32_t character = utf8At(m_pattern, m_at);
        m_at += utf8Length(m_pattern[m_at]);
        return character;
    }
    std::string refuse(std::string_view what)
    {
        if (!m_error)
            m_error = Error{.what = fmt::format("has {} at byte {}", what, m_at)};
        return {};
    }

    std::string alternatives(int depth)
    {
        if (depth > kDeepestGroup)
            return refuse(fmt::format("groups more than {} deep", kDeepestGroup));
        std::string out = sequence(depth);
        while (!atEnd() && take("|"))
            out += '|' + sequence(depth);
        return out;
    }

    std::string sequence(int depth)
    {
        std::string out;
        m_lastLetter = 0;
        while (!atEnd() && !sees("|") && !sees(")")) {
            bool quantifiable = true;
            const std::string what = atom(depth, quantifiable);
            out += quantifiable ? quantified(what) : what;
        }
        return out;
    }

    std::string atom(int depth, bool &quantifiable)
    {
        if (sees("("))
            return group(depth, quantifiable);
        if (take("["))
            return m_lastLetter = 0, characterClass();
        if (take("."))
            return m_lastLetter = 0, ".";
        if (sees("^") || sees("$")) {
            quantifiable = false;
            return std::string(1, m_pattern[m_at++]);
        }
        if (take("\\"))
            return escape(quantifiable);
        if (sees("*") || sees("+") || sees("?") || sees("{"))
            return refuse("a repetition of nothing");
        return literal(takeCharacter());
    }

    std::string group(int depth, bool &quantifiable)
    {
        static constexpr std::array<std::string_view, 7> kKinds{"(?:", "(?i:", "(?>", "(?=", "(?!", "(?<=", "(?<!"};
        const bool folded = m_folded;
        std::string_view kind = "(?:"; // not capturing, because captures are not used
        const auto known = std::find_if(kKinds.begin(), kKinds.end(), [&](std::string_view one) { return sees(one); });
        if (known != kKinds.end()) {
            kind = *known;
            m_at += kind.size();
        } else if (sees("(?") || sees("(*")) {
            return refuse("a group that is not understood");
        } else {
            ++m_at;
        }
        m_folded = m_folded || kind == "(?i:";
        quantifiable = kind == "(?:" || kind == "(?i:" || kind == "(?>";
        std::string out(kind);
        out += alternatives(depth + 1) + ")";
        if (!take(")"))
            return refuse("a group without an end");
        m_folded = folded;
        m_lastLetter = 0;
        return out;
    }

    static std::string escaped(char32_t character)
    {
        return fmt::format("\\x{{{:X}}}", static_cast<unsigned>(character));
    }

    std::string literal(char32_t character)
    {
        if (m_folded) {
            if (character >= 0x80)
                return refuse("a letter beyond ASCII that is compared without regard to case");
            const char letter = static_cast<char>(character >= 'A' && character <= 'Z' ? character + 32 : character);
            const std::array<char, 2> pair{m_lastLetter, letter};
            if (std::find(kFoldedPairs.begin(), kFoldedPairs.end(), std::string_view(pair.data(), 2)) !=
                kFoldedPairs.end())
                return refuse("a character that equals two letters without regard to case");
            m_lastLetter = letter;
        }
        return escaped(character);
    }

    // Parses the characters after a backslash, inside or outside a class, as a single character; empty if they are
    // something else.
    std::optional<char32_t> escapedCharacter()
    {
        static constexpr std::array<std::pair<char, char>, 7> kControls{
            {{'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'f', '\f'}, {'v', '\v'}, {'a', '\a'}, {'e', '\x1B'}}};
        for (const auto &[letter, control] : kControls) {
            if (take(std::string_view(&letter, 1)))
                return static_cast<unsigned char>(control);
        }
        if (take("x{"))
            return hexadecimal(8, "}");
        if (take("u"))
            return hexadecimal(4, "");
        if (take("x"))
            return hexadecimal(2, "");
        const char next = m_pattern[m_at];
        const bool alphanumeric =
            (next >= '0' && next <= '9') || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
        if (alphanumeric)
            return std::nullopt;
        return takeCharacter();
    }

    char32_t hexadecimal(std::size_t digits, std::string_view end)
    {
        const std::size_t start = m_at;
        char32_t value = 0;
        while (m_at < m_pattern.size() && m_at - start < digits) {
            const auto digit = std::string_view("0123456789abcdef").find(static_cast<char>(m_pattern[m_at] | 0x20));
            if (digit == std::string_view::npos)
                break;
            value = value * 16 + static_cast<char32_t>(digit);
            ++m_at;
        }
        const bool whole = m_at > start && (end.empty() ? m_at - start == digits : take(end));
        const bool character = value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
        if (!whole || !character || (digits == 2 && value > 0x7F)) // \xE4 is a byte in Oniguruma, not a character
            refuse("a number of a character that is not understood");
        return value;
    }

    std::string escape(bool &quantifiable)
    {
        if (atEnd())
            return refuse("a backslash at its end");
        m_lastLetter = 0;
        if (take("s"))
            return fmt::format("[{}]", kSpace);
        if (take("S"))
            return fmt::format("[^{}]", kSpace);
        if (take("w"))
            return fmt::format("[{}]", kWord);
        if (take("W"))
            return fmt::format("[^{}]", kWord);
        if (take("d"))
            return "\\p{Nd}";
        if (take("D"))
            return "\\P{Nd}";
        if (sees("p{") || sees("P{"))
            return property();
        if (sees("A") || sees("z")) {
            quantifiable = false;
            return std::string("\\") + m_pattern[m_at++];
        }
        const std::optional<char32_t> character = escapedCharacter();
        return character ? literal(*character) : refuse(fmt::format("'\\{}'", m_pattern[m_at]));
    }

    std::string property()
    {
        bool negated = m_pattern[m_at] == 'P';
        m_at += 2;
        if (take("^"))
            negated = !negated;
        const std::size_t end = m_pattern.find('}', m_at);
        if (end == std::string_view::npos)
            return refuse("a property without an end");
        const std::string_view name = m_pattern.substr(m_at, end - m_at);
        const bool letters = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        });
        if (!letters)
            return refuse("a property that is not understood");
        m_at = end + 1;
        const bool category = std::find(kCategories.begin(), kCategories.end(), name) != kCategories.end();
        // Without `sc:`, PCRE2 also includes characters that several scripts use.
        return fmt::format("\\{}{{{}{}}}", negated ? 'P' : 'p', category || name == "Alphabetic" ? "" : "sc:", name);
    }

    std::string characterClass()
    {
        std::string out = take("^") ? "[^" : "[";
        if (sees("]"))
            return refuse("an empty class");
        while (!atEnd() && !take("]")) {
            if (sees("[") || sees("&&"))
                return refuse("a class inside a class");
            std::optional<char32_t> from;
            out += classItem(from);
            if (from && sees("-") && !sees("-]")) {
                ++m_at;
                std::optional<char32_t> to;
                const std::string last = atEnd() ? std::string() : classItem(to);
                if (!to || *to < *from)
                    return refuse("a range without an end");
                out += '-' + last;
            }
            if (atEnd())
                return refuse("a class without an end");
        }
        return out + ']';
    }

    // Parses one item of a class; sets `character` if the item is a character.
    std::string classItem(std::optional<char32_t> &character)
    {
        if (!take("\\")) {
            character = takeCharacter();
        } else if (atEnd()) {
            return refuse("a backslash at its end");
        } else if (take("s")) {
            return std::string(kSpace);
        } else if (take("S")) {
            return std::string(kNoSpace);
        } else if (take("w")) {
            return std::string(kWord);
        } else if (take("d")) {
            return "\\p{Nd}";
        } else if (take("D")) {
            return "\\P{Nd}";
        } else if (sees("p{") || sees("P{")) {
            return property();
        } else {
            character = escapedCharacter();
        }
        if (!character)
            return refuse(fmt::format("'\\{}' in a class", m_pattern[m_at]));
        if (m_folded && *character >= 0x80)
            return refuse("a letter beyond ASCII that is compared without regard to case");
        return escaped(*character);
    }

    // A count of at most four digits; empty if there is none.
    std::string_view digits()
    {
        const std::size_t start = m_at;
        while (m_at < m_pattern.size() && m_pattern[m_at] >= '0' && m_pattern[m_at] <= '9' && m_at - start < 4)
            ++m_at;
        return m_pattern.substr(start, m_at - start);
    }

    std::string quantified(std::string what)
    {
        if (atEnd())
            return what;
        std::string times;
        bool counted = false;
        if (sees("*") || sees("+") || sees("?")) {
            times = m_pattern[m_at++];
        } else if (take("{")) {
            counted = true;
            const std::string_view least = digits();
            const bool range = take(",");
            const std::string_view most = range ? digits() : least;
            if ((least.empty() && most.empty()) || !take("}"))
                return refuse("a repetition that is not understood");
            times = fmt::format("{{{}{}{}}}", least.empty() ? "0" : least, range ? "," : "", range ? most : "");
            if (!range && sees("?"))
                return refuse("a count that is followed by '?'");
        } else {
            return what;
        }
        m_lastLetter = 0;
        std::string out = std::move(what) + times;
        if (take("?"))
            out += '?';
        else if (counted && take("+")) // possessive in PCRE2, a repeated repetition in Oniguruma
            out = "(?:" + out + ")+";
        else if (take("+"))
            out += '+';
        if (!atEnd() && (sees("*") || sees("+") || sees("?") || sees("{")))
            return refuse("a repetition of a repetition");
        return out;
    }

    std::string_view m_pattern;
    std::size_t m_at = 0;
    bool m_folded = false; // inside (?i:
    char m_lastLetter = 0; // the previous letter, if case is ignored
    std::optional<Error> m_error;
};

} // namespace

Result<std::string> pcre2FromOniguruma(std::string_view pattern)
{
    if (invalidUtf8At(pattern) != std::string_view::npos)
        return Error{.what = "is not valid UTF-8"};
    return Rewriter(pattern).run();
}

} // namespace slipway
