// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/tokenizer.h"

#include <system_error>
#include <utility>

#include "base/file.h"
#include "data/checksum.h"
#include "tokenizer/bpe_trainer.h"
#include "tokenizer/document_tokens.h"
#include "tokenizer/hf_tokenizer.h"

namespace slipway {

namespace {

namespace fs = std::filesystem;

constexpr const char *kJsonName = "tokenizer.json", *kModelName = "tokenizer.model";

class HfModel final : public TokenizerModel {
public:
    HfModel(HfTokenizer tokenizer, DocumentTokens around) : m_tokenizer(std::move(tokenizer))
    {
        m_before = std::move(around.before);
        m_after = std::move(around.after);
    }
    [[nodiscard]] int vocabSize() const override { return m_tokenizer.idLimit(); }
    [[nodiscard]] std::unique_ptr<TextEncoder> encoder() const override { return m_tokenizer.encoder(); }
    [[nodiscard]] Result<std::string> decode(std::span<const std::int32_t> ids) const override
    {
        return m_tokenizer.decode(ids, true);
    }

private:
    HfTokenizer m_tokenizer;
};

// The file of the tokenizer: `path` itself, or the file in that folder.
Result<fs::path> fileOf(const fs::path &path)
{
    std::error_code error;
    if (!fs::is_directory(path, error))
        return path;
    for (const char *name : {kJsonName, kModelName}) {
        if (fs::exists(path / name, error))
            return path / name;
    }
    return Error{.what = "holds neither tokenizer.json nor tokenizer.model",
        .where = path.string(),
        .accepted = "a folder with one of them, or the file itself"};
}

bool looksLikeJson(std::string_view content)
{
    const std::size_t first = content.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && content[first] == '{';
}

Result<void> copyInto(const fs::path &folder, const char *name, const fs::path &from)
{
    if (std::error_code error; fs::equivalent(from, folder / name, error))
        return {};
    const Result<std::string> content = readFile(from, kLargestTokenizer);
    return content ? writeNamedFile(folder / name, *content) : Result<void>(content.error());
}

} // namespace

Result<std::unique_ptr<TokenizerModel>> readHfTokenizer(const std::string &content, const fs::path &path)
{
    Result<HfTokenizer> tokenizer = HfTokenizer::parse(content, path.string());
    if (!tokenizer)
        return tokenizer.error();
    Result<DocumentTokens> around = documentTokens(*tokenizer, path.parent_path());
    if (!around)
        return around.error();
    return std::unique_ptr<TokenizerModel>(std::make_unique<HfModel>(*std::move(tokenizer), *std::move(around)));
}

Result<Tokenizer> Tokenizer::load(const fs::path &path)
{
    const Result<fs::path> file = fileOf(path);
    if (!file)
        return file.error();
    const Result<std::string> content =
        *file == path ? readFile(path, kLargestTokenizer) : readPackedFile(*file, kLargestTokenizer);
    if (!content)
        return content.error();
    const bool json = file->extension() == ".json" || looksLikeJson(*content);
    Result<std::unique_ptr<TokenizerModel>> model =
        json ? readHfTokenizer(*content, *file) : readSentencePiece(*content, *file);
    if (!model)
        return model.error();
    return Tokenizer(*file, *std::move(model), checksum64(std::as_bytes(std::span(*content))), json);
}

Result<void> Tokenizer::trainBpe(std::string_view text, int vocabSize, const fs::path &folder)
{
    BpeTrainer trainer;
    if (Result<void> added = trainer.add(text); !added)
        return added;
    const Result<std::string> json = trainer.train(vocabSize);
    if (!json)
        return json.error();
    Result<void> written = writeNamedFile(folder / kJsonName, *json);
    if (written)
        written = writeNamedFile(folder / kDocumentTokenFiles[0], learnedTokenizerConfig());
    // A file that another tokenizer left here would override the config.
    if (std::error_code error; written && fs::exists(folder / kDocumentTokenFiles[1], error))
        written = writeNamedFile(folder / kDocumentTokenFiles[1], "{}\n");
    return written;
}

std::int32_t Tokenizer::bos() const { return before().empty() ? -1 : before().front(); }
std::int32_t Tokenizer::eos() const { return after().empty() ? -1 : after().back(); }

Result<std::vector<std::int32_t>> Tokenizer::encode(std::string_view text) const
{
    std::vector<std::int32_t> ids;
    const Result<void> encoded = encoder()->encode(text, false, ids);
    return encoded ? Result<std::vector<std::int32_t>>(std::move(ids)) : encoded.error();
}

Result<std::string> Tokenizer::decode(std::span<const std::int32_t> ids) const
{
    for (const std::int32_t id : ids) {
        if (id < 0 || id >= vocabSize())
            return Error{.what = "id " + std::to_string(id) + " is outside the vocabulary",
                .where = "the tokenizer",
                .accepted = "0 to " + std::to_string(vocabSize() - 1),
                .fault = Fault::Damaged};
    }
    return m_model->decode(ids);
}

Result<void> Tokenizer::keepIn(const fs::path &folder) const
{
    Result<void> kept = copyInto(folder, m_json ? kJsonName : kModelName, m_path);
    for (const char *name : kDocumentTokenFiles) {
        std::error_code error;
        if (kept && m_json && fs::exists(m_path.parent_path() / name, error))
            kept = copyInto(folder, name, m_path.parent_path() / name);
        // A file that another tokenizer left here would define the tokens around the documents of this one.
        else if (kept && m_json && fs::exists(folder / name, error))
            kept = writeNamedFile(folder / name, "{}\n");
    }
    return kept;
}

} // namespace slipway
