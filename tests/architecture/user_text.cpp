// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "architecture/user_text.h"

#include "architecture/source_tree.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <regex>
#include <sstream>

namespace slipway::architecture {

namespace fs = std::filesystem;

namespace {

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool isSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string trimmed(const std::string &text)
{
    const auto first = std::find_if_not(text.begin(), text.end(), isSpace);
    const auto last = std::find_if_not(text.rbegin(), std::make_reverse_iterator(first), isSpace).base();
    return {first, last};
}

bool hasSeveralWords(const std::string &text) { return trimmed(text).find_first_of(" \n") != std::string::npos; }

// Walks over C++ source, literal by literal.
class LiteralScanner {
public:
    LiteralScanner(const std::string &path, const std::string &source) : m_path(path), m_source(source) {}

    std::vector<UserText> scan()
    {
        while (m_at < m_source.size()) {
            step();
        }
        return std::move(m_found);
    }

private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const
    {
        return m_at + ahead < m_source.size() ? m_source[m_at + ahead] : '\0';
    }

    void advance()
    {
        m_line += peek() == '\n' ? 1 : 0;
        ++m_at;
    }

    void advanceTo(std::size_t position)
    {
        const auto end = std::min(position, m_source.size());
        while (m_at < end) {
            advance();
        }
    }

    void step()
    {
        if (peek() == '/' && peek(1) == '/') {
            advanceTo(m_source.find('\n', m_at));
        } else if (peek() == '/' && peek(1) == '*') {
            advanceTo(m_source.find("*/", m_at));
            advanceTo(m_at + 2);
        } else if (peek() == 'R' && peek(1) == '"') {
            rawLiteral();
        } else if (peek() == '"') {
            literal();
        } else if (peek() == '\'') {
            // Between digits it groups them; elsewhere it begins a character.
            if (m_at > 0 && isWordCharacter(m_source[m_at - 1])) {
                advance();
            } else {
                advanceTo(m_at + (peek(1) == '\\' ? 4 : 3));
            }
            m_joins = false;
        } else {
            m_joins = m_joins && isSpace(peek());
            advance();
        }
    }

    void literal()
    {
        const int line = m_line;
        std::string text;
        advance();
        while (m_at < m_source.size() && peek() != '"') {
            if (peek() == '\\') {
                advance();
                text += peek() == 'n' || peek() == 't' || peek() == 'r' ? '\n' : peek();
            } else {
                text += peek();
            }
            advance();
        }
        advance();
        add(line, text);
    }

    void rawLiteral()
    {
        const int line = m_line;
        const auto open = m_source.find('(', m_at);
        const auto end = ")" + m_source.substr(m_at + 2, open - m_at - 2) + "\"";
        const auto close = m_source.find(end, open);
        const auto text = m_source.substr(open + 1, close - open - 1);
        advanceTo(close + end.size());
        add(line, text);
    }

    void add(int line, const std::string &text)
    {
        if (m_joins && !m_found.empty()) {
            m_found.back().text += text;
        } else {
            m_found.push_back({m_path, line, text});
        }
        m_joins = true;
    }

    const std::string &m_path;
    const std::string &m_source;
    std::vector<UserText> m_found;
    std::size_t m_at = 0;
    int m_line = 1;
    bool m_joins = false; // only spaces since the last literal
};

// Links become their text, inline code one word.
std::string withoutMarkup(std::string text)
{
    static const std::regex code("`[^`]*`");
    static const std::regex link(R"(!?\[([^\]]*)\]\([^)]*\))");
    static const std::regex emphasis(R"(\*+)");
    text = std::regex_replace(text, code, "CODE");
    text = std::regex_replace(text, link, "$1");
    return std::regex_replace(text, emphasis, "");
}

// Collects lines into blocks; each block is one paragraph.
class Blocks {
public:
    explicit Blocks(const std::string &path) : m_path(path) {}

    void begin(int line, const std::string &text)
    {
        end();
        m_open = {m_path, line, trimmed(text)};
    }

    void append(int line, const std::string &text)
    {
        if (m_open.text.empty()) {
            begin(line, text);
        } else {
            m_open.text += " " + trimmed(text);
        }
    }

    void end()
    {
        if (!m_open.text.empty()) {
            m_blocks.push_back(m_open);
        }
        m_open = {};
    }

    std::vector<UserText> take()
    {
        end();
        return std::move(m_blocks);
    }

private:
    std::string m_path;
    UserText m_open;
    std::vector<UserText> m_blocks;
};

} // namespace

std::vector<UserText> literalsOf(const std::string &path, const std::string &source)
{
    return LiteralScanner(path, source).scan();
}

std::vector<UserText> paragraphsOf(const std::string &path, const std::string &markdown)
{
    static const std::regex item(R"(^\s*([-*]|[0-9]+\.)\s+(.*))");
    Blocks blocks(path);
    std::istringstream lines(markdown);
    std::string line;
    bool fenced = false;
    bool list = false; // an indented line continues a list item, elsewhere it is code
    for (int number = 1; std::getline(lines, line); ++number) {
        std::smatch match;
        const bool isItem = std::regex_match(line, match, item);
        const bool isCode = !isItem && !list && startsWith(line, "    ");
        if (startsWith(trimmed(line), "```")) {
            fenced = !fenced;
            blocks.end();
        } else if (fenced) {
            continue;
        } else if (trimmed(line).empty() || isCode) {
            blocks.end();
        } else if (isItem) {
            blocks.begin(number, match[2]);
            list = true;
        } else if (line[0] == '|' || line[0] == '#') {
            blocks.end();
            std::istringstream cells(line);
            for (std::string cell; std::getline(cells, cell, '|');) {
                blocks.begin(number, cell);
            }
            blocks.end();
        } else {
            list = list && isSpace(line[0]);
            blocks.append(number, line);
        }
    }
    auto found = blocks.take();
    for (auto &paragraph : found) {
        paragraph.text = withoutMarkup(paragraph.text);
    }
    return found;
}

std::vector<UserText> remarksOf(const std::string &path, const std::string &yaml)
{
    static const std::regex comment(R"((?:^|\s)#\s?(.*))");
    static const std::regex value(R"(^\s*(?:- )?[A-Za-z0-9_]+:\s+(.*))");
    Blocks blocks(path);
    std::istringstream lines(yaml);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        std::smatch match;
        if (std::regex_search(line, match, comment)) {
            const bool wholeLine = trimmed(line)[0] == '#';
            const bool continues = wholeLine && !startsWith(match[1], "- ");
            continues ? blocks.append(number, match[1]) : blocks.begin(number, match[1]);
            if (!wholeLine || trimmed(match[1]).empty()) {
                blocks.end();
            }
            line = match.prefix();
        } else {
            blocks.end();
        }
        if (std::regex_match(line, match, value)) {
            std::istringstream parts(match[1]); // sources are lists
            for (std::string part; std::getline(parts, part, ';');) {
                blocks.begin(number, hasSeveralWords(part) ? part : "");
            }
            blocks.end();
        }
    }
    return blocks.take();
}

std::vector<UserText> readUserTexts()
{
    std::vector<UserText> texts;
    const auto add = [&](const std::vector<UserText> &more) {
        std::copy_if(more.begin(), more.end(), std::back_inserter(texts),
            [](const auto &one) { return hasSeveralWords(one.text); });
    };
    const auto sources = readSources();
    for (const auto *folder : {"core/", "app/", "ui/", "trainer/"}) {
        for (const auto &source : cppBelow(sources, folder)) {
            add(literalsOf(source.path, source.text));
        }
    }
    const fs::path root = SLIPWAY_SOURCE_DIR;
    std::vector<fs::path> files;
    for (const auto &entry : fs::directory_iterator(root)) {
        files.push_back(entry.path());
    }
    for (const auto *folder : {"docs", "resources"}) {
        for (const auto &entry : fs::recursive_directory_iterator(root / folder)) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    for (const auto &file : files) {
        const auto path = fs::relative(file, root).generic_string();
        if (file.extension() == ".md") {
            add(paragraphsOf(path, readText(file)));
        } else if (file.extension() == ".yaml") {
            add(remarksOf(path, readText(file)));
        }
    }
    return texts;
}

std::vector<std::string> sentencesOf(const std::string &text)
{
    // A stop, what closes with it, then a space before anything but a small letter.
    static const std::regex end(R"([.!?][)\]"']*(?=\s+[^\sa-z])|\n)");
    std::vector<std::string> sentences;
    std::size_t begin = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), end), none; it != none; ++it) {
        const auto stop = static_cast<std::size_t>(it->position() + it->length());
        sentences.push_back(trimmed(text.substr(begin, stop - begin)));
        begin = stop;
    }
    sentences.push_back(trimmed(text.substr(begin)));
    return sentences;
}

int wordsIn(const std::string &sentence)
{
    std::istringstream in(sentence);
    return static_cast<int>(std::count_if(
        std::istream_iterator<std::string>(in), std::istream_iterator<std::string>(), [](const std::string &word) {
            return std::any_of(word.begin(), word.end(), [](char c) { return isWordCharacter(c) || c == '{'; });
        }));
}

} // namespace slipway::architecture
