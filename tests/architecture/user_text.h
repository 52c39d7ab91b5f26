// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What users read, gathered from the source tree: messages, help texts, documents and the notes of the catalogue.
#pragma once

#include <string>
#include <vector>

namespace slipway::architecture {

struct UserText {
    std::string path; // relative to the top folder, with '/'
    int line = 0;
    std::string text; // one literal, paragraph, table cell or value, without markup
};

// String literals of core, app, ui and trainer that hold more than one word, every Markdown document, and
// resources/*.yaml.
std::vector<UserText> readUserTexts();

// The literals of C++ source with their line, escapes resolved; adjacent ones are joined, as the compiler does.
std::vector<UserText> literalsOf(const std::string &path, const std::string &source);

// Paragraphs, headings, list items and table cells; code is left out.
std::vector<UserText> paragraphsOf(const std::string &path, const std::string &markdown);

// Values that hold more than one word, and comments; consecutive comment lines are joined.
std::vector<UserText> remarksOf(const std::string &path, const std::string &yaml);

// Splits at '.', '!' or '?' before a space and a capital letter, digit or quote, and at line ends.
std::vector<std::string> sentencesOf(const std::string &text);

int wordsIn(const std::string &sentence);

} // namespace slipway::architecture
