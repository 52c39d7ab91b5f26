// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A tokenizer from a file: a SentencePiece model, or Hugging Face's tokenizer.json.
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
    // Trains a SentencePiece model with `vocabSize` pieces and writes it to `model`: byte-pair encoding with LLaMA's
    // settings, which decodes to exactly the encoded text. Deterministic.
    static Result<void> train(std::span<const std::string> texts, int vocabSize, const std::filesystem::path &model);
    // The same with byte-level BPE: writes tokenizer.json and the files around it into `folder`.
    static Result<void> trainBpe(std::string_view text, int vocabSize, const std::filesystem::path &folder);
    // `path`: a file of either kind, or a folder with a tokenizer.json or a tokenizer.model. Fault::Input if there is
    // none, or a tokenizer.json uses unsupported features; Fault::Damaged if a model cannot be read.
    static Result<Tokenizer> load(const std::filesystem::path &path);

    [[nodiscard]] int vocabSize() const { return m_model->vocabSize(); }
    [[nodiscard]] std::int32_t bos() const; // id at the beginning of a document; -1: none
    [[nodiscard]] std::int32_t eos() const; // id at the end of a document; -1: none
    // The ids before and after a document: bos() is the first, eos() the last of them.
    [[nodiscard]] const std::vector<TokenId> &before() const { return m_model->before(); }
    [[nodiscard]] const std::vector<TokenId> &after() const { return m_model->after(); }
    // Checksum of the file, which token files store.
    [[nodiscard]] std::uint64_t checksum() const { return m_checksum; }
    [[nodiscard]] const std::filesystem::path &path() const { return m_path; } // of the file

    // An encoder for one thread. This tokenizer must outlive it, but may be moved.
    [[nodiscard]] std::unique_ptr<TextEncoder> encoder() const { return m_model->encoder(); }
    [[nodiscard]] Result<std::vector<std::int32_t>> encode(std::string_view text) const; // without before() and after()
    [[nodiscard]] Result<std::string> decode(std::span<const std::int32_t> ids) const;

    // Copies the tokenizer to a folder under the usual name of its kind, with the files that define before() and
    // after().
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
    bool m_json; // whether it is a tokenizer.json
};

} // namespace slipway
