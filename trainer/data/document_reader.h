// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Splits the inputs into pieces that can be encoded independently.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "data/byte_source.h"
#include "data/text_input.h"

namespace slipway {

// A position from which reading can continue.
struct ReadPosition {
    std::int64_t input = 0;     // index of the input
    Bytes offset = 0;           // bytes of its text before the position, decompressed
    std::int64_t lines = 0;     // lines of the input before the position
    std::int64_t jsonLines = 0; // JSON lines of all inputs before the position
    Bytes textBytes = 0;        // bytes of text of all inputs before the position
    bool operator==(const ReadPosition &) const = default;
};

// A part of a text document, or some JSON lines.
struct TextPiece {
    std::string text;
    std::size_t input = 0;
    std::int64_t firstLine = 1; // line number in the input
    bool jsonLines = false;
    bool tooLong = false;              // a JSON line above the limit, which was dropped
    std::int64_t firstJsonLine = 0;    // counted over all inputs, from 0
    bool begins = false, ends = false; // for a text document: the piece is its first, its last
    bool continues = false;            // for a text document: the text continues in the next piece
    bool evaluation = false;           // belongs to the evaluation data
    Bytes taken = 0;                   // bytes of the files up to here, before decompression
    std::optional<ReadPosition> next;  // where to continue after this piece; empty: not possible here
};

class DocumentReader {
public:
    static constexpr std::size_t kPiece = 1 << 20;            // approximate bytes of text
    static constexpr std::size_t kLongestJsonLine = 64 << 20; // bytes
    // A text document is read in sections. The end of each is evaluation data, so that only one section is in memory.
    static constexpr std::size_t kSection = 16 << 20; // bytes

    // `inputs` and `stopped` must outlive the reader. When `stopped` becomes true, it no longer waits for standard
    // input.
    DocumentReader(const std::vector<TextInput> &inputs, double evalFraction, const ReadPosition &from,
        const std::atomic<bool> &stopped)
        : m_inputs(inputs),
          m_evalFraction(evalFraction),
          m_position(from),
          m_stopped(stopped)
    {
    }

    // The next piece; empty at the end of all inputs.
    Result<std::optional<TextPiece>> next();

private:
    Result<void> open();
    void close();
    Result<void> fill(std::size_t most);
    Result<void> readSection();
    Result<void> readJsonLines();
    Result<void> dropLine();
    void addParts(std::string_view text, bool evaluation, bool begins, bool ends, std::int64_t firstLine);
    void consume(std::size_t count);
    [[nodiscard]] TextPiece piece() const;

    const std::vector<TextInput> &m_inputs;
    double m_evalFraction;
    ReadPosition m_position; // of the first byte in m_buffer
    const std::atomic<bool> &m_stopped;
    std::unique_ptr<ByteSource> m_source; // of the input at m_position; null: not open
    Bytes m_takenBefore = 0;
    std::string m_buffer;
    std::size_t m_consumed = 0; // processed bytes at the front of m_buffer
    bool m_drained = false;     // m_source is at its end
    std::deque<TextPiece> m_ready;
};

// Whether a document with this number is evaluation data, if whole documents are: they are evenly distributed.
bool isForEvaluation(std::int64_t document, double fraction);

} // namespace slipway
