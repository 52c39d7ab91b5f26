// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Token ids and decoded text equal those of the Python package `tokenizers`, for the tokenizers of many families, on
// text of many languages. SLIPWAY_TOKENIZER_ORACLE_DATA names a folder that tokenizer_oracle.py filled before, as for
// a comparison on 100 MB.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

#include "base/file.h"
#include "tokenizer/hf_tokenizer.h"
#include "trainer_run/scratch_folder.h"

namespace slipway {
namespace {

using testing::messageOf;
using testing::readBytes;

constexpr const char *kMegabytes = "1";
constexpr std::size_t kDecoded = 300; // ids of each document, as in tokenizer_oracle.py

// Of SLIPWAY_PYTHON or python3; empty where neither has the package.
std::string pythonWithTokenizers()
{
    const char *const chosen = std::getenv("SLIPWAY_PYTHON");
    for (const std::string &python : {std::string(chosen ? chosen : ""), std::string("python3")}) {
        if (!python.empty() && std::system(("'" + python + "' -c 'import tokenizers' >/dev/null 2>&1").c_str()) == 0)
            return python;
    }
    return {};
}

std::vector<std::int32_t> numbersIn(const std::filesystem::path &path)
{
    const std::string bytes = readBytes(path);
    std::vector<std::int32_t> numbers(bytes.size() / sizeof(std::int32_t));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(std::int32_t));
    return numbers;
}

class TokenizerOracle : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (const char *const ready = std::getenv("SLIPWAY_TOKENIZER_ORACLE_DATA")) {
            m_folder = ready;
            return;
        }
        const std::string python = pythonWithTokenizers();
        if (python.empty())
            GTEST_SKIP() << "no Python with the package tokenizers on PATH or in SLIPWAY_PYTHON";
        m_folder = m_scratch.path();
        const std::string command =
            fmt::format("'{}' -B '{}' '{}' {}", python, SLIPWAY_TOKENIZER_ORACLE, m_folder.string(), kMegabytes);
        ASSERT_EQ(std::system(command.c_str()), 0);
    }

    std::vector<std::filesystem::path> families() const
    {
        std::vector<std::filesystem::path> folders;
        for (const auto &entry : std::filesystem::directory_iterator(m_folder)) {
            if (std::filesystem::exists(entry.path() / "ids"))
                folders.push_back(entry.path());
        }
        std::sort(folders.begin(), folders.end());
        return folders;
    }

    const std::filesystem::path &folder() const { return m_folder; }

private:
    testing::ScratchFolder m_scratch;
    std::filesystem::path m_folder;
};

// Where two rows of ids first differ, with the text around.
std::string difference(
    const HfTokenizer &tokenizer, std::span<const TokenId> ours, std::span<const TokenId> theirs, std::string_view text)
{
    const auto at = static_cast<std::size_t>(
        std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end()).first - ours.begin());
    const std::size_t from = at < 3 ? 0 : at - 3;
    const auto part = [&](std::span<const TokenId> ids) {
        const auto some =
            ids.subspan(std::min(from, ids.size()), std::min<std::size_t>(12, ids.size() - std::min(from, ids.size())));
        return fmt::format("{} '{}'", fmt::join(some, " "), tokenizer.decode(some, false));
    };
    return fmt::format("token {} of {}: ours {}, theirs {}; the document begins '{}'", at, theirs.size(), part(ours),
        part(theirs), text.substr(0, 60));
}

TEST_F(TokenizerOracle, IdsAndDecodedTextAreThoseOfThePackageTokenizers)
{
    const std::string text = readBytes(folder() / "text");
    const std::vector<std::int32_t> lengths = numbersIn(folder() / "documents");
    ASSERT_GT(lengths.size(), 500U);
    for (const std::filesystem::path &family : families()) {
        const Result<std::string> json = readFile(family / "tokenizer.json", HfTokenizer::kLargestFile);
        ASSERT_TRUE(json) << messageOf(json);
        const Result<HfTokenizer> tokenizer = HfTokenizer::parse(*json, "tokenizer.json");
        ASSERT_TRUE(tokenizer) << family << messageOf(tokenizer);
        const auto encoder = tokenizer->encoder();
        const std::vector<std::int32_t> counts = numbersIn(family / "counts"), ids = numbersIn(family / "ids");
        const std::string decoded = readBytes(family / "decoded");
        ASSERT_EQ(counts.size(), lengths.size()) << family;
        std::size_t textAt = 0, idsAt = 0, decodedAt = 0, differing = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            const std::string_view document =
                std::string_view(text).substr(textAt, static_cast<std::size_t>(lengths[i]));
            textAt += document.size();
            const std::span<const TokenId> theirs = std::span(ids).subspan(idsAt, static_cast<std::size_t>(counts[i]));
            idsAt += theirs.size();
            std::vector<TokenId> ours = tokenizer->before();
            ASSERT_TRUE(encoder->encode(document, false, ours));
            ours.insert(ours.end(), tokenizer->after().begin(), tokenizer->after().end());
            if (!std::ranges::equal(ours, theirs) && differing++ < 5)
                ADD_FAILURE() << family.filename() << ", document " << i << ", "
                              << difference(*tokenizer, ours, theirs, document);
            std::int32_t length = 0;
            std::memcpy(&length, decoded.data() + decodedAt, sizeof length);
            const std::string_view back =
                std::string_view(decoded).substr(decodedAt + sizeof length, static_cast<std::size_t>(length));
            decodedAt += sizeof length + back.size();
            ASSERT_EQ(tokenizer->decode(theirs.first(std::min(kDecoded, theirs.size())), true), back)
                << family.filename() << ", document " << i;
        }
        EXPECT_EQ(differing, 0U) << family.filename() << ": documents that differ, of " << lengths.size();
        fmt::print("{}: {} bytes, {} tokens, equal\n", family.filename().string(), textAt, idsAt);
    }
}

} // namespace
} // namespace slipway
