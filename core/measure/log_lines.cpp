// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/log_lines.h"

#include <array>
#include <string>

#include "frameworks/log_line.h"

namespace slipway {

void forEachLogLine(std::istream &stream, const std::function<void(std::string_view line)> &take)
{
    std::array<char, 65536> chunk{};
    std::string line;
    while (stream.read(chunk.data(), chunk.size()), stream.gcount() > 0) {
        for (std::streamsize i = 0; i < stream.gcount(); ++i) {
            const char c = chunk[static_cast<std::size_t>(i)];
            if (c == '\0')
                continue; // UTF-16, as a shell of Windows redirects it
            if (c == '\n' || c == '\r') {
                take(line);
                line.clear();
            } else if (line.size() < kLongestLogLine) {
                line += c;
            }
        }
    }
    take(line);
}

} // namespace slipway
