// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/shell_quote.h"

namespace slipway {

std::string shellQuoted(std::string_view word)
{
    // Within single quotes, a shell reads every byte literally. A single quote is put between two quoted strings.
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted += '\'';
}

std::string shellQuoted(std::span<const std::string> words)
{
    std::string line;
    for (const std::string &word : words) {
        if (!line.empty())
            line += ' ';
        line += shellQuoted(word);
    }
    return line;
}

} // namespace slipway
