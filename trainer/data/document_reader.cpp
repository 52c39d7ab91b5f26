// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/document_reader.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>
#include <utility>

#include "data/text_cuts.h"

namespace slipway {

namespace {

constexpr std::size_t kReadAtOnce = 1 << 20; // bytes

std::int64_t linesIn(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

} // namespace

bool isForEvaluation(std::int64_t document, double fraction)
{
    return std::floor(static_cast<double>(document + 1) * fraction) >
           std::floor(static_cast<double>(document) * fraction);
}

Result<std::optional<TextPiece>> DocumentReader::next()
{
    while (m_ready.empty()) {
        if (m_position.input == std::ssize(m_inputs))
            return std::optional<TextPiece>();
        Result<void> read = m_source ? Result<void>() : open();
        if (read)
            read = m_inputs[static_cast<std::size_t>(m_position.input)].jsonLines ? readJsonLines() : readSection();
        if (!read)
            return read.error();
    }
    std::optional<TextPiece> piece(std::move(m_ready.front()));
    m_ready.pop_front();
    return piece;
}

Result<void> DocumentReader::open()
{
    const TextInput &input = m_inputs[static_cast<std::size_t>(m_position.input)];
    Result<std::unique_ptr<ByteSource>> source =
        input.standardInput ? byteSourceOf(STDIN_FILENO, input.name, m_stopped) : openByteSource(input.name);
    if (!source)
        return source.error();
    m_source = *std::move(source);
    m_buffer.clear();
    m_consumed = 0;
    m_drained = false;
    // Only the input at which reading continues has an offset.
    const Result<Bytes> skipped = m_position.offset > 0 ? m_source->skip(m_position.offset) : Result<Bytes>(0);
    if (!skipped)
        return skipped.error();
    if (*skipped < m_position.offset)
        return Error{.what = "ends before byte " + std::to_string(m_position.offset) +
                             " of its text, where tokenizing was interrupted",
            .where = input.name,
            .accepted = "the same input, or another --out",
            .fault = Fault::Damaged};
    return {};
}

void DocumentReader::close()
{
    m_takenBefore += m_source->taken();
    m_source.reset();
    ++m_position.input;
    m_position.offset = m_position.lines = 0;
}

// Reads until the buffer contains `most` bytes, or the input ends.
Result<void> DocumentReader::fill(std::size_t most)
{
    m_buffer.erase(0, std::exchange(m_consumed, 0));
    while (m_buffer.size() < most && !m_drained) {
        const std::size_t have = m_buffer.size();
        m_buffer.resize(have + std::min(kReadAtOnce, most - have));
        const Result<std::size_t> count = m_source->read(std::span(m_buffer).subspan(have));
        m_buffer.resize(have + (count ? *count : 0));
        if (!count)
            return count.error();
        m_drained = *count == 0;
    }
    return {};
}

void DocumentReader::consume(std::size_t count)
{
    m_position.lines += linesIn(std::string_view(m_buffer).substr(m_consumed, count));
    m_position.offset += static_cast<Bytes>(count);
    m_position.textBytes += static_cast<Bytes>(count);
    m_consumed += count;
}

TextPiece DocumentReader::piece() const
{
    return {.text = {},
        .input = static_cast<std::size_t>(m_position.input),
        .firstLine = m_position.lines + 1,
        .firstJsonLine = m_position.jsonLines,
        .taken = m_takenBefore + m_source->taken(),
        .next = std::nullopt};
}

Result<void> DocumentReader::readSection()
{
    if (Result<void> filled = fill(kSection + 1); !filled)
        return filled;
    const bool last = m_buffer.size() <= kSection;
    const std::string_view section =
        std::string_view(m_buffer).substr(0, last ? m_buffer.size() : splitPosition(m_buffer, kSection));
    const std::size_t split = evalStart(section, m_evalFraction);
    const bool first = m_position.offset == 0;
    addParts(section.substr(0, split), false, first, last, m_position.lines + 1);
    if (split < section.size())
        addParts(section.substr(split), true, true, true, m_position.lines + 1 + linesIn(section.substr(0, split)));
    consume(section.size());
    if (last)
        close();
    m_ready.back().next = m_position;
    return {};
}

// Adds at least one piece, even for an empty text, because its marks must be written.
void DocumentReader::addParts(std::string_view text, bool evaluation, bool begins, bool ends, std::int64_t firstLine)
{
    for (bool first = true; first || !text.empty(); first = false) {
        const std::size_t size = text.size() <= kPiece ? text.size() : splitPosition(text, kPiece);
        TextPiece part = piece();
        part.text = text.substr(0, size);
        part.firstLine = firstLine;
        part.begins = first && begins;
        part.ends = size == text.size() && ends;
        part.continues = !part.begins;
        part.evaluation = evaluation;
        firstLine += linesIn(part.text);
        text.remove_prefix(size);
        m_ready.push_back(std::move(part));
    }
}

Result<void> DocumentReader::readJsonLines()
{
    Result<void> filled = fill(kPiece);
    if (!filled)
        return filled;
    if (m_buffer.empty()) {
        close();
        return {};
    }
    std::size_t end = m_buffer.rfind('\n');
    while (end == std::string::npos && !m_drained && m_buffer.size() <= kLongestJsonLine) {
        const std::size_t have = m_buffer.size();
        filled = fill(std::min(2 * have, kLongestJsonLine + 1));
        if (!filled)
            return filled;
        end = m_buffer.find('\n', have);
    }
    if (end == std::string::npos && m_buffer.size() > kLongestJsonLine)
        return dropLine();
    const std::size_t size = end == std::string::npos ? m_buffer.size() : end + 1;
    TextPiece part = piece();
    part.jsonLines = true;
    part.text = m_buffer.substr(0, size);
    consume(size);
    m_position.jsonLines += linesIn(part.text) + (part.text.back() == '\n' ? 0 : 1);
    part.next = m_position;
    m_ready.push_back(std::move(part));
    return {};
}

// Skips a line without storing it, so that a line of a compressed terabyte of blanks does not fill the memory.
Result<void> DocumentReader::dropLine()
{
    TextPiece part = piece();
    part.jsonLines = part.tooLong = true;
    for (bool ended = false; !ended;) {
        const std::size_t newline = m_buffer.find('\n');
        ended = newline != std::string::npos || (m_drained && !m_buffer.empty()) || m_buffer.empty();
        consume(newline == std::string::npos ? m_buffer.size() : newline + 1);
        if (ended)
            break;
        if (Result<void> filled = fill(kPiece); !filled)
            return filled;
    }
    ++m_position.jsonLines;
    part.next = m_position;
    m_ready.push_back(std::move(part));
    return {};
}

} // namespace slipway
