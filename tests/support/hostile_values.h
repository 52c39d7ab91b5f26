// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What people, or files that they were given, may put into a name, a path, a tag or a note: each means something to a
// shell, YAML, CSV, HTML, SQL, JSON, a terminal, ssh or a scheduler. Every place that such text reaches is tried with
// all.
#pragma once

#include <string>
#include <vector>

namespace slipway {

// Any bytes but NUL. `longest`: longer ones are left out, for names of files.
inline std::vector<std::string> hostileValues(std::size_t longest = 20'000)
{
    const std::vector<std::string> all{" ", "two words", " edges ", "it's", "''", "\"quoted\"", "'; touch pwned; '",
        "\"; touch pwned; \"", "$(touch pwned)", "`touch pwned`", "$HOME", "${IFS}", "a;b&c|d>e<f", "a\nb", "\n",
        "a\r\nb", "\ttab", "-rf", "--", "-oProxyCommand=touch pwned", "--partition=x", "*", "?[a-z]{1,2}", "~", "~root",
        "a\\b", "\\", "!history", "#no comment", "%j%x%n", "größer 日本語 🚢", "\u0085\u2028\ufeff", "\u202etxt.exe",
        "\x01\x1b[31mred\x7f", "\u009b31m", "\xff\xfe", "caf\xe9", "<script>alert(1)</script>", "<b>&amp;</b>", "]]>",
        "=cmd()", "=1+1", "+1-800", "-2+3", "@SUM(A1)", "'=quoted", "'); DROP TABLE run;--", "\" OR 1=1", "%s%n", "{}",
        "{0}", "a: b", "- item", "[x, y]", "&anchor", "*alias", "!!tag", "|", ">", "null", "true", "1e3", "0x10",
        "2026-01-02", "key: 'x' # no", "\\u0000", "\\n", "...", "---", "EOF", "END", "host:path", "rsync://host/module",
        "a,b", ",", "a\x1ft", std::string(10'000, 'x'), "é" + std::string(300, '\'')};
    std::vector<std::string> values;
    for (const std::string &value : all) {
        if (value.size() <= longest)
            values.push_back(value);
    }
    return values;
}

// Whether the bytes are UTF-8, which is all that JSON can hold.
inline bool isUtf8(const std::string &text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const std::size_t more = byte < 0x80             ? 0
                                 : (byte & 0xe0) == 0xc0 ? 1
                                 : (byte & 0xf0) == 0xe0 ? 2
                                 : (byte & 0xf8) == 0xf0 ? 3
                                                         : 9;
        if (more == 9 || i + more >= text.size() + (more == 0 ? 1 : 0))
            return false;
        for (std::size_t k = 1; k <= more; ++k) {
            if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80)
                return false;
        }
        i += more;
    }
    return true;
}

} // namespace slipway
