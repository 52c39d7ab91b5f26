// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/token_file.h"

#include <gmock/gmock.h>

#include <numeric>

#include "data/token_writer.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::AllOf;
using testing::bytesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::messageOf;
using testing::ScratchFolder;
using testing::writeBytes;

std::string llmC(std::int32_t magic, std::int32_t version, std::int32_t count, const std::string &ids)
{
    std::vector<std::int32_t> header(256);
    header[0] = magic;
    header[1] = version;
    header[2] = count;
    return bytesOf(header) + ids;
}

std::vector<std::int32_t> allOf(const TokenFile &file)
{
    std::vector<std::int32_t> ids(static_cast<std::size_t>(file.size()));
    EXPECT_EQ(messageOf(file.read(0, ids)), "");
    return ids;
}

const std::string kFour = bytesOf(std::vector<std::uint16_t>{7, 0, 99, 3});

TEST(TokenFile, ReadsLlmC)
{
    const ScratchFolder folder;
    writeBytes(folder / "a.bin", llmC(20240520, 1, 4, kFour));
    const auto file = TokenFile::open(folder / "a.bin", 100);
    ASSERT_TRUE(file) << messageOf(file);
    EXPECT_EQ(file->extent().layout, TokenLayout::LlmC);
    EXPECT_THAT(allOf(*file), ElementsAre(7, 0, 99, 3));
}

TEST(TokenFile, ReadsLlmCWithWideIds)
{
    const ScratchFolder folder;
    writeBytes(folder / "a.bin", llmC(20240801, 7, 3, bytesOf(std::vector<std::uint32_t>{7, 128'000, 2})));
    const auto file = TokenFile::open(folder / "a.bin", 128'256);
    ASSERT_TRUE(file) << messageOf(file);
    EXPECT_THAT(allOf(*file), ElementsAre(7, 128'000, 2));
}

TEST(TokenFile, ReadsNanoGpt)
{
    const ScratchFolder folder;
    writeBytes(folder / "a.bin", kFour);
    const auto file = TokenFile::open(folder / "a.bin", 100);
    ASSERT_TRUE(file) << messageOf(file);
    EXPECT_EQ(file->extent().layout, TokenLayout::NanoGpt);
    EXPECT_THAT(allOf(*file), ElementsAre(7, 0, 99, 3));
}

std::string megatronIndex(std::uint8_t type, const std::vector<std::int32_t> &lengths, int width)
{
    std::string index("MMIDIDX\0\0", 9);
    index += bytesOf(std::vector<std::uint64_t>{1});
    index += static_cast<char>(type);
    index += bytesOf(std::vector<std::uint64_t>{lengths.size(), lengths.size() + 1});
    std::vector<std::int64_t> offsets, documents{0};
    std::int64_t offset = 0;
    for (const std::int32_t length : lengths) {
        offsets.push_back(offset);
        offset += std::int64_t{length} * width;
        documents.push_back(static_cast<std::int64_t>(offsets.size()));
    }
    return index + bytesOf(lengths) + bytesOf(offsets) + bytesOf(documents);
}

TEST(TokenFile, ReadsMegatronByEitherName)
{
    const ScratchFolder folder;
    writeBytes(folder / "a.bin", bytesOf(std::vector<std::int32_t>{5, 6, 70'000}));
    writeBytes(folder / "a.idx", megatronIndex(4, {2, 1}, 4));
    for (const char *name : {"a.bin", "a.idx"}) {
        const auto file = TokenFile::open(folder / name, 100'000);
        ASSERT_TRUE(file) << messageOf(file);
        EXPECT_EQ(file->extent().layout, TokenLayout::Megatron);
        EXPECT_THAT(allOf(*file), ElementsAre(5, 6, 70'000));
    }
}

struct BadFile {
    const char *name;
    std::string ids;
    std::string index;
    const char *message;
};

class DamagedTokenFile : public ::testing::TestWithParam<BadFile> {};

TEST_P(DamagedTokenFile, IsRefusedWithItsNameAndWhatIsWrong)
{
    const ScratchFolder folder;
    writeBytes(folder / "a.bin", GetParam().ids);
    if (!GetParam().index.empty())
        writeBytes(folder / "a.idx", GetParam().index);
    const auto file = TokenFile::open(folder / "a.bin", 100);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().fault, Fault::Damaged);
    EXPECT_THAT(file.error().message(), AllOf(HasSubstr(folder.path().string()), HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(, DamagedTokenFile,
    ::testing::Values(
        BadFile{"CutLlmC", llmC(20240520, 1, 4, kFour.substr(0, 6)), "", "promises 4 ids, but 6 bytes follow"},
        BadFile{"OddLlmC", llmC(20240520, 1, 4, kFour.substr(0, 7)), "", "promises 4 ids"},
        BadFile{"LongLlmC", llmC(20240520, 1, 3, kFour), "", "promises 3 ids, but 8 bytes follow"},
        BadFile{"HeaderOnly", llmC(20240520, 1, 4, "").substr(0, 500), "", "promises 4 ids, but 0 bytes follow"},
        BadFile{"NegativeCount", llmC(20240520, 1, -1, ""), "", "promises 4294967295 ids"},
        BadFile{"ForeignVersion", llmC(20240520, 2, 4, kFour), "", "version 2"},
        BadFile{"OddNanoGpt", "abc", "", "odd number of bytes"},
        BadFile{"IdOutsideVocabulary", llmC(20240520, 1, 4, bytesOf(std::vector<std::uint16_t>{7, 0, 100, 3})), "",
            "id 100 at position 2 (byte 1028) is outside the vocabulary (accepted: 0 to 99)"},
        BadFile{"NegativeId", bytesOf(std::vector<std::int32_t>{5, -1}), megatronIndex(4, {2}, 4), "position 1"},
        BadFile{"CutMegatron", bytesOf(std::vector<std::int32_t>{5}), megatronIndex(4, {2}, 4),
            "promises 2 ids (accepted: 8 bytes)"},
        BadFile{"CutIndex", bytesOf(std::vector<std::int32_t>{5, 6}), megatronIndex(4, {2}, 4).substr(0, 50),
            "is truncated"},
        BadFile{"ForeignIndex", bytesOf(std::vector<std::int32_t>{5, 6}), "hello", "does not begin like an index"},
        BadFile{"HugeIndex", bytesOf(std::vector<std::int32_t>{5, 6}),
            std::string("MMIDIDX\0\0", 9) + bytesOf(std::vector<std::uint64_t>{1}) + "\4" + std::string(16, '\xff'),
            "is truncated"},
        BadFile{"ForeignType", bytesOf(std::vector<std::int32_t>{5, 6}), megatronIndex(7, {2}, 4), "type 7"}),
    [](const auto &test) { return test.param.name; });

TEST(TokenFile, ThatIsMissingIsTheUsersMistake)
{
    const ScratchFolder folder;
    const auto file = TokenFile::open(folder / "none.bin", 100);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().fault, Fault::Input);
    EXPECT_THAT(file.error().message(), HasSubstr("none.bin: cannot open: No such file"));
}

TEST(TokenFile, FindsTheOneBadIdFarInside)
{
    const ScratchFolder folder;
    std::vector<std::uint16_t> ids(300'000, 5);
    ids[299'998] = 1000;
    writeBytes(folder / "a.bin", bytesOf(ids));
    EXPECT_THAT(messageOf(TokenFile::open(folder / "a.bin", 1000)), HasSubstr("id 1000 at position 299998"));
}

TEST(TokenFile, ThatIsCutWhileItIsReadIsReportedAndNotTouched)
{
    const ScratchFolder folder;
    writeBytes(folder / "a.bin", bytesOf(std::vector<std::uint16_t>(100'000, 5)));
    const auto file = TokenFile::open(folder / "a.bin", 10);
    ASSERT_TRUE(file);
    std::filesystem::resize_file(folder / "a.bin", 10);
    std::vector<std::int32_t> ids(10);
    const auto read = file->read(90'000, ids);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().fault, Fault::Damaged);
    EXPECT_THAT(read.error().message(), HasSubstr("was cut to 10 of 200000 bytes"));
}

TEST(TokenFile, ThatChangesToAForeignIdIsReportedOnReading)
{
    const ScratchFolder folder;
    writeBytes(folder / "a.bin", kFour);
    const auto file = TokenFile::open(folder / "a.bin", 100);
    ASSERT_TRUE(file);
    std::fstream(folder / "a.bin", std::ios::in | std::ios::out | std::ios::binary).write("\xff\xff", 2);
    std::vector<std::int32_t> ids(2);
    EXPECT_THAT(messageOf(file->read(0, ids)), HasSubstr("id 65535 at position 0"));
}

TEST(TokenWriter, WritesWhatTokenFileReads)
{
    const ScratchFolder folder;
    for (const std::int64_t vocab : {65'536, 65'537}) {
        const std::vector<std::int32_t> ids{0, 1, static_cast<std::int32_t>(vocab - 1)};
        auto writer = TokenWriter::create(folder / "a.bin", vocab);
        ASSERT_TRUE(writer);
        ASSERT_TRUE(writer->append(ids));
        ASSERT_TRUE(writer->append(ids));
        ASSERT_TRUE(writer->finish());
        const auto file = TokenFile::open(folder / "a.bin", vocab);
        ASSERT_TRUE(file) << messageOf(file);
        EXPECT_EQ(file->extent().width, vocab > 65'536 ? 4 : 2);
        EXPECT_THAT(allOf(*file), ElementsAre(ids[0], ids[1], ids[2], ids[0], ids[1], ids[2]));
    }
}

TEST(TokenWriter, LeavesNothingWhenItIsGivenUp)
{
    const ScratchFolder folder;
    {
        auto writer = TokenWriter::create(folder / "a.bin", 100);
        ASSERT_TRUE(writer);
        ASSERT_TRUE(writer->append(std::vector<std::int32_t>{1, 2}));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

} // namespace
} // namespace slipway
