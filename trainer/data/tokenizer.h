// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A tokenizer out of a file: a SentencePiece model, or a tokenizer.json of Hugging Face.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/tokenizer_model.h"

namespace slipway {

class Tokenizer {
public:
    // Learns `vocabSize` pieces from the texts, the same ones each time, and writes a SentencePiece model to `model`:
    // byte-pair encoding with LLaMA's settings, so that any text comes back as it was.
    static Result<void> train(std::span<const std::string> texts, int vocabSize, const std::filesystem::path &model);
    // The same with byte-level BPE: writes tokenizer.json and the files around it into `folder`.
    static Result<void> trainBpe(std::string_view text, int vocabSize, const std::filesystem::path &folder);
    // `path`: a file of either kind, or a folder with a tokenizer.json or a tokenizer.model. Fault::Input where there
    // is none, or a tokenizer.json holds what is not understood; Fault::Damaged where a model cannot be read.
    static Result<Tokenizer> load(const std::filesystem::path &path);

    [[nodiscard]] int vocabSize() const { return m_model->vocabSize(); }
    [[nodiscard]] std::int32_t bos() const; // begins a document; -1: nothing does
    [[nodiscard]] std::int32_t eos() const; // ends it
    // What stands before and behind a document: bos() is the first, eos() the last of them.
    [[nodiscard]] const std::vector<TokenId> &before() const { return m_model->before(); }
    [[nodiscard]] const std::vector<TokenId> &behind() const { return m_model->behind(); }
    // Of the file's bytes: token files say by it who wrote them.
    [[nodiscard]] std::uint64_t checksum() const { return m_checksum; }
    [[nodiscard]] const std::filesystem::path &path() const { return m_path; } // of the file

    // For one thread. Refers to this tokenizer, which must outlive it; it may be moved.
    [[nodiscard]] std::unique_ptr<TextEncoder> encoder() const { return m_model->encoder(); }
    [[nodiscard]] Result<std::vector<std::int32_t>> encode(
        std::string_view text) const; // without before() and behind()
    [[nodiscard]] Result<std::string> decode(std::span<const std::int32_t> ids) const;

    // Lays a copy into a folder, under the name that its kind has, with the files that say what surrounds a document.
    [[nodiscard]] Result<void> keepIn(const std::filesystem::path &folder) const;

private:
    Tokenizer(std::filesystem::path path, std::unique_ptr<TokenizerModel> model, std::uint64_t checksum, bool json)
        : m_path(std::move(path)),
          m_model(std::move(model)),
          m_checksum(checksum),
          m_json(json)
    {
    }

    std::filesystem::path m_path;
    std::unique_ptr<TokenizerModel> m_model;
    std::uint64_t m_checksum;
    bool m_json; // tokenizer.json
};

} // namespace slipway
