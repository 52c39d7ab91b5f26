// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What users read follows docs/glossary.md and stays short.
#include "architecture/user_text.h"

#include <gmock/gmock.h>

#include <fstream>
#include <regex>

namespace slipway::architecture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kMostWords = 30;
const std::string kFolder = std::string(SLIPWAY_SOURCE_DIR) + "/tests/architecture/";

// Lines of a list; '#' begins a comment.
std::vector<std::string> readLines(const std::string &path)
{
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line[0] != '#') {
            lines.push_back(line);
        }
    }
    EXPECT_THAT(lines, ::testing::Not(IsEmpty())) << path;
    return lines;
}

// One finding a line: gmock would print the first 32 alone.
std::string lines(const std::vector<std::string> &found)
{
    std::string text;
    for (const auto &one : found) {
        text += one + "\n";
    }
    return text;
}

std::string place(const UserText &text) { return text.path + ":" + std::to_string(text.line) + ": "; }

TEST(UserText, HoldsNoRetiredPhrase)
{
    struct Phrase {
        std::regex pattern;
        std::string instead;
    };
    std::vector<Phrase> phrases;
    for (const auto &line : readLines(kFolder + "retired_phrases.txt")) {
        const auto arrow = line.find(" -> ");
        ASSERT_NE(arrow, std::string::npos) << line;
        phrases.push_back({std::regex(line.substr(0, arrow), std::regex::icase), line.substr(arrow + 4)});
    }
    std::vector<std::string> found;
    for (const auto &text : readUserTexts()) {
        if (text.path == "docs/glossary.md") {
            continue; // It names what it retires.
        }
        for (const auto &phrase : phrases) {
            std::smatch match;
            if (std::regex_search(text.text, match, phrase.pattern)) {
                found.push_back(place(text) + "'" + match.str() + "'; write: " + phrase.instead);
            }
        }
    }
    EXPECT_TRUE(found.empty()) << lines(found);
}

TEST(UserText, HasNoSentenceOfMoreThanThirtyWords)
{
    std::vector<std::string> found;
    for (const auto &text : readUserTexts()) {
        for (const auto &sentence : sentencesOf(text.text)) {
            if (wordsIn(sentence) > kMostWords) {
                found.push_back(place(text) + std::to_string(wordsIn(sentence)) + " words: " + sentence);
            }
        }
    }
    EXPECT_TRUE(found.empty()) << lines(found);
}

std::vector<std::string> textsOf(const std::vector<UserText> &texts)
{
    std::vector<std::string> all;
    for (const auto &text : texts) {
        all.push_back(text.text);
    }
    return all;
}

TEST(UserText, LiteralsAreJoinedAndCommentsLeftOut)
{
    const std::string source =
        "f(\"one \"\n  \"two\", 'x', '\"', 1'000); // \"no\"\n/* \"no\" */ g(\"a \\\"b\\\"\" + R\"x(raw)x\");\n";
    EXPECT_THAT(textsOf(literalsOf("a.cpp", source)), ElementsAre("one two", "a \"b\"", "raw"));
    EXPECT_EQ(literalsOf("a.cpp", source).at(1).line, 3);
}

TEST(UserText, ParagraphsOfMarkdownAreWithoutCode)
{
    const std::string text =
        "# Title\n\nOne `a b c`\ntwo [link](x.md).\n\n    code\n\n- item\n  goes on\n- next\n\n| a | b |\n";
    EXPECT_THAT(textsOf(paragraphsOf("a.md", text)),
        ElementsAre("# Title", "One CODE two link.", "item goes on", "next", "a", "b"));
}

TEST(UserText, RemarksOfYamlAreCommentsAndTexts)
{
    EXPECT_THAT(textsOf(remarksOf("a.yaml", "# One\n# two.\n# - item\n\nkey: a note here # aside\nother: 3\n")),
        ElementsAre("One two.", "- item", "aside", "a note here"));
}

TEST(UserText, SentencesEndBeforeTheNextOne)
{
    EXPECT_THAT(sentencesOf("It takes 1.5 s, e.g. here. Then (so.) What?"),
        ElementsAre("It takes 1.5 s, e.g. here.", "Then (so.)", "What?"));
    EXPECT_EQ(wordsIn(" {} of 14 runs - all "), 5);
}

} // namespace
} // namespace slipway::architecture
