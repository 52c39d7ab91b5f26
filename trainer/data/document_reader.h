// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Cuts the inputs into pieces that can be encoded independently of one another.
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

// Where reading can begin again.
struct ReadPosition {
    std::int64_t input = 0;     // index of the input
    Bytes offset = 0;           // bytes of its text before, decompressed
    std::int64_t lines = 0;     // lines of the input before
    std::int64_t jsonLines = 0; // lines of all inputs with JSON lines before
    Bytes textBytes = 0;        // of all inputs before
    bool operator==(const ReadPosition &) const = default;
};

// A part of a text document, or some lines of JSON.
struct TextPiece {
    std::string text;
    std::size_t input = 0;
    std::int64_t firstLine = 1; // its number in the input
    bool jsonLines = false;
    bool tooLong = false;              // a line of JSON over the limit, which was dropped
    std::int64_t firstJsonLine = 0;    // of all inputs, from 0
    bool begins = false, ends = false; // a text document
    bool continues = false;            // a text document
    bool evaluation = false;           // belongs to the part for evaluation
    Bytes taken = 0;                   // of the files up to here, as they lie on the disk
    std::optional<ReadPosition> next;  // where to begin again once this piece is written; empty: not here
};

class DocumentReader {
public:
    static constexpr std::size_t kPiece = 1 << 20;            // bytes of text, about
    static constexpr std::size_t kLongestJsonLine = 64 << 20; // bytes
    // A text document is read in sections. The end of each goes to the evaluation, so one section need be held.
    static constexpr std::size_t kSection = 16 << 20; // bytes

    // `inputs` and `stopped` must outlive the reader. Where `stopped` becomes true, standard input is not waited for.
    DocumentReader(const std::vector<TextInput> &inputs, double evalFraction, const ReadPosition &from,
        const std::atomic<bool> &stopped)
        : m_inputs(inputs),
          m_evalFraction(evalFraction),
          m_position(from),
          m_stopped(stopped)
    {
    }

    // The next piece; nothing at the end of all inputs.
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
    std::size_t m_consumed = 0; // bytes at the front of m_buffer that are done with
    bool m_drained = false;     // m_source is at its end
    std::deque<TextPiece> m_ready;
};

// Whether the document of this number goes to the evaluation, where whole documents do: evenly spread.
bool isForEvaluation(std::int64_t document, double fraction);

} // namespace slipway
