// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/safetensors.h"

#include <gmock/gmock.h>

#include <cstring>

#include "data/checksum.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using testing::bytesOf;
using ::testing::HasSubstr;
using testing::messageOf;
using testing::readBytes;
using testing::ScratchFolder;

const std::vector<float> kSix{1, 2, 3, 4, 5, 6};
const std::vector<std::uint16_t> kThree{7, 8, 9};

std::vector<TensorToWrite> twoTensors()
{
    return {{.name = "b.weight", .type = TensorType::F32, .shape = {2, 3}, .data = std::as_bytes(std::span(kSix))},
        {.name = "a", .type = TensorType::BF16, .shape = {3}, .data = std::as_bytes(std::span(kThree))}};
}

Result<SafetensorsHeader> parse(const std::string &file)
{
    return parseSafetensors(std::as_bytes(std::span(file)), "x.safetensors");
}

// A file with this header and so many bytes of data.
std::string withHeader(const std::string &header, std::size_t dataBytes)
{
    return bytesOf(std::vector<std::uint64_t>{header.size()}) + header + std::string(dataBytes, 'd');
}

TEST(Safetensors, ComeBackAsTheyWere)
{
    const ScratchFolder folder;
    ASSERT_TRUE(writeSafetensors(folder / "x", twoTensors(), {{"format", "pt"}}));
    const auto file = SafetensorsFile::open(folder / "x");
    ASSERT_TRUE(file) << messageOf(file);
    EXPECT_EQ(file->header().metadata.at("format"), "pt");
    EXPECT_EQ(file->header().dataStart % 64, 0);
    const TensorEntry *const b = file->find("b.weight");
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b->shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(b->type, TensorType::F32);
    std::vector<float> six(6);
    ASSERT_TRUE(file->read(*b, 0, std::as_writable_bytes(std::span(six))));
    EXPECT_EQ(six, kSix);
    ASSERT_TRUE(file->read(*b, 8, std::as_writable_bytes(std::span(six).first(2))));
    EXPECT_EQ(six[1], 4);
    EXPECT_EQ(*file->checksum(*b), checksumOf(std::as_bytes(std::span(kSix))));
    const TensorEntry *const a = file->find("a");
    ASSERT_NE(a, nullptr);
    std::vector<std::uint16_t> three(3);
    ASSERT_TRUE(file->read(*a, 0, std::as_writable_bytes(std::span(three))));
    EXPECT_EQ(three, kThree);
    EXPECT_EQ(file->find("c"), nullptr);
}

// A mapped file would end the process here (SIGBUS).
TEST(Safetensors, ThatAreCutShortWhileTheyAreReadAreDamaged)
{
    const ScratchFolder folder;
    const std::vector<float> many(1 << 16, 1);
    ASSERT_TRUE(writeSafetensors(folder / "x",
        std::vector<TensorToWrite>{
            {.name = "t", .type = TensorType::F32, .shape = {1 << 16}, .data = std::as_bytes(std::span(many))}}));
    const auto file = SafetensorsFile::open(folder / "x");
    ASSERT_TRUE(file);
    std::filesystem::resize_file(folder / "x", 1000);
    std::vector<float> read(1 << 16);
    const Result<void> whole = file->read(*file->find("t"), 0, std::as_writable_bytes(std::span(read)));
    ASSERT_FALSE(whole);
    EXPECT_EQ(whole.error().fault, Fault::Damaged);
    EXPECT_THAT(whole.error().message(), HasSubstr("was cut to 1000 of"));
    EXPECT_FALSE(file->checksum(*file->find("t")));
}

TEST(Safetensors, WithMoreKeysThanAnyModelHasAreRefusedInTime)
{
    std::string header = "{";
    for (int i = 0; i < 200'000; ++i)
        header += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":" + (i == 199'999 ? "1" : "[]");
    EXPECT_THAT(messageOf(parse(withHeader(header + "}", 0))), HasSubstr("is not described"));
}

TEST(Safetensors, MayHoldScalarsAndEmptyTensors)
{
    const auto header = parse(withHeader(R"({"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                                         R"("e":{"dtype":"I8","shape":[3,0],"data_offsets":[4,4]}})",
        4));
    ASSERT_TRUE(header) << messageOf(header);
    EXPECT_EQ(header->tensors.size(), 2);
}

struct BadSafetensors {
    const char *name;
    std::string file;
    const char *message;
};

class DamagedSafetensors : public ::testing::TestWithParam<BadSafetensors> {};

TEST_P(DamagedSafetensors, AreRefused)
{
    const auto header = parse(GetParam().file);
    ASSERT_FALSE(header);
    EXPECT_EQ(header.error().fault, Fault::Damaged);
    EXPECT_THAT(header.error().message(), HasSubstr(GetParam().message));
    EXPECT_THAT(header.error().message(), HasSubstr("x.safetensors"));
}

std::string tensor(const char *offsets, const char *shape = "[2]", const char *type = "F32")
{
    return std::string(R"({"t":{"dtype":")") + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

INSTANTIATE_TEST_SUITE_P(, DamagedSafetensors,
    ::testing::Values(BadSafetensors{"Empty", "", "too few"},
        BadSafetensors{
            "HeaderLongerThanFile", bytesOf(std::vector<std::uint64_t>{1000}) + "{}", "would have 1000 bytes"},
        BadSafetensors{"HeaderOverflows", std::string(8, '\xff') + "{}", "would have"},
        BadSafetensors{"NoJson", withHeader("{\"t\":", 0), "not a JSON object"},
        BadSafetensors{"Array", withHeader("[]", 0), "not a JSON object"},
        BadSafetensors{"LeadingBlank", withHeader(" {}", 0), "not a JSON object"},
        BadSafetensors{"EmptyHeader", withHeader("", 0), "not a JSON object"},
        BadSafetensors{"UnknownType", withHeader(tensor("[0,8]", "[2]", "F128"), 8), "dtype"},
        BadSafetensors{"NegativeDimension", withHeader(tensor("[0,8]", "[-2]"), 8), "shape"},
        BadSafetensors{"FractionalDimension", withHeader(tensor("[0,8]", "[2.0]"), 8), "shape"},
        BadSafetensors{"SizeOverflows", withHeader(tensor("[0,8]", "[4294967296,4294967296,4]"), 8), "shape"},
        BadSafetensors{"OffsetsDoNotFitShape", withHeader(tensor("[0,4]"), 8), "do not fit its shape"},
        BadSafetensors{"OffsetsReversed", withHeader(tensor("[8,0]"), 8), "do not fit its shape"},
        BadSafetensors{"OffsetsMissing", withHeader(tensor("[0]"), 8), "no offsets"},
        BadSafetensors{"BeyondTheFile", withHeader(tensor("[0,8]"), 4), "4 bytes of data, but its header describes 8"},
        BadSafetensors{"TrailingBytes", withHeader(tensor("[0,8]"), 9), "9 bytes of data, but its header describes 8"},
        BadSafetensors{"Hole", withHeader(tensor("[4,12]"), 12), "begins at byte 4"},
        BadSafetensors{"Overlap",
            withHeader(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                       R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
                12),
            "begins at byte 4"},
        BadSafetensors{"SameBytes",
            withHeader(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                       R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                8),
            "tensor b begins at byte 0"},
        BadSafetensors{"MetadataOfNumbers", withHeader(R"({"__metadata__":{"a":1}})", 0), "__metadata__"},
        BadSafetensors{"TensorIsText", withHeader(R"({"t":"F32"})", 0), "not described"}),
    [](const auto &test) { return test.param.name; });

TEST(Safetensors, NeverDoMoreThanFailWhereBytesAreChanged)
{
    const ScratchFolder folder;
    ASSERT_TRUE(writeSafetensors(folder / "x", twoTensors()));
    const std::string good = readBytes(folder / "x");
    std::uint32_t random = 12345;
    for (int round = 0; round < 20'000; ++round) {
        std::string bad = good;
        for (int change = 0; change < 1 + round % 4; ++change) {
            random = random * 1664525U + 1013904223U;
            bad[(random >> 8U) % bad.size()] = static_cast<char>(random >> 24U);
        }
        if (round % 5 == 0)
            bad.resize((random >> 4U) % bad.size());
        const auto header = parse(bad);
        if (!header) {
            EXPECT_EQ(header.error().fault, Fault::Damaged);
            continue;
        }
        for (const TensorEntry &entry : header->tensors) {
            EXPECT_GE(entry.begin, 0);
            EXPECT_LE(entry.end, static_cast<Bytes>(bad.size()) - header->dataStart);
        }
    }
}

TEST(Safetensors, HeaderOfDeepNestingIsRefusedWithoutACrash)
{
    EXPECT_FALSE(parse(withHeader("{\"t\":" + std::string(1'000'000, '['), 0)));
    const std::string deep = "{\"t\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
    EXPECT_FALSE(parse(withHeader(deep, 0)));
}

} // namespace
} // namespace slipway
