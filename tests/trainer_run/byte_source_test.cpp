// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/byte_source.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <functional>
#include <unistd.h>

#include "packed.h"
#include "scratch_folder.h"

namespace slipway {
namespace {

using ::testing::HasSubstr;
using namespace testing;

// All of a source in reads of a size that divides nothing.
Result<std::string> readAll(Result<std::unique_ptr<ByteSource>> source)
{
    if (!source)
        return source.error();
    std::string text, part(777, '\0');
    for (;;) {
        const Result<std::size_t> count = (*source)->read(part);
        if (!count)
            return count.error();
        if (*count == 0)
            return text;
        text.append(part, 0, *count);
    }
}

std::string someText()
{
    std::string text;
    for (int i = 0; i < 20'000; ++i)
        text += "line " + std::to_string(i * 7919 % 10'007) + "\n";
    return text;
}

using Pack = std::string (*)(const std::string &);
constexpr Pack kPacks[] = {gzipped, zstandard, xzipped};

TEST(ByteSource, GivesTheTextOfAFileHoweverItIsCompressed)
{
    const ScratchFolder folder;
    const std::string text = someText();
    writeBytes(folder / "plain", text);
    EXPECT_EQ(readAll(openByteSource(folder / "plain")).value(), text);
    for (const Pack pack : kPacks) {
        writeBytes(folder / "packed", pack(text));
        EXPECT_EQ(readAll(openByteSource(folder / "packed")).value(), text);
        // Several packed files one after the other are one.
        writeBytes(folder / "packed", pack(text) + pack("") + pack("end"));
        EXPECT_EQ(readAll(openByteSource(folder / "packed")).value(), text + "end");
        writeBytes(folder / "packed", pack(""));
        EXPECT_EQ(readAll(openByteSource(folder / "packed")).value(), "");
    }
    for (const std::string few : {"", "a", "abcdef", "abcdefg"}) {
        writeBytes(folder / "short", few);
        EXPECT_EQ(readAll(openByteSource(folder / "short")).value(), few);
    }
}

TEST(ByteSource, SkipsTheSameBytesInEveryForm)
{
    const ScratchFolder folder;
    const std::string text = someText();
    for (const std::string &content : {text, gzipped(text), zstandard(text), xzipped(text)}) {
        writeBytes(folder / "a", content);
        for (const std::size_t count : {std::size_t{3}, std::size_t{6}, std::size_t{100'000}, text.size()}) {
            auto source = openByteSource(folder / "a");
            ASSERT_TRUE(source);
            EXPECT_EQ((*source)->skip(static_cast<Bytes>(count)).value(), static_cast<Bytes>(count));
            EXPECT_EQ(readAll(std::move(source)).value(), text.substr(count));
        }
        const auto source = openByteSource(folder / "a");
        EXPECT_EQ((*source)->skip(std::ssize(text) + 10).value(), std::ssize(text));
    }
}

TEST(ByteSource, SaysThatACompressedFileIsCutAtAnyByte)
{
    const ScratchFolder folder;
    for (const Pack pack : kPacks) {
        const std::string packed = pack("a short text, again and again and again");
        for (std::size_t size = 6; size < packed.size(); ++size) {
            writeBytes(folder / "a", packed.substr(0, size));
            const auto read = readAll(openByteSource(folder / "a"));
            ASSERT_FALSE(read) << size << " of " << packed.size();
            EXPECT_EQ(read.error().fault, Fault::Damaged);
            EXPECT_EQ(read.error().where, (folder / "a").string());
        }
    }
}

TEST(ByteSource, SaysThatACompressedFileIsDamaged)
{
    const ScratchFolder folder;
    for (const Pack pack : kPacks) {
        std::string packed = pack(someText());
        for (std::size_t at = packed.size() / 3; at < packed.size() / 3 + 64; ++at)
            packed[at] = static_cast<char>(~packed[at]);
        writeBytes(folder / "a", packed);
        const auto read = readAll(openByteSource(folder / "a"));
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().fault, Fault::Damaged);
        writeBytes(folder / "a", pack("text") + "what is not packed");
        EXPECT_FALSE(readAll(openByteSource(folder / "a")));
    }
    for (const char *name : {"a.gz", "a.zst", "a.xz"}) {
        writeBytes(folder / name, "plain text");
        EXPECT_THAT(messageOf(readAll(openByteSource(folder / name))), HasSubstr("does not begin as a ."));
    }
}

TEST(ByteSource, RefusesAFileThatAsksForTooMuchMemory)
{
    const ScratchFolder folder;
    // A frame header of Zstandard with a window of 2^31 bytes: descriptor 0, window descriptor 21 << 3.
    writeBytes(folder / "a.zst", std::string("\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00", 9));
    EXPECT_THAT(messageOf(readAll(openByteSource(folder / "a.zst"))), HasSubstr("memory"));
    // The largest dictionary that a preset has is allowed, and 1.5 GiB are not.
    lzma_options_lzma options;
    lzma_lzma_preset(&options, 0);
    options.dict_size = 1536U << 20U;
    options.mf = LZMA_MF_HC3; // small while it is packed: of a text this short
    const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    std::string packed(1 << 16, '\0');
    std::size_t size = 0;
    const lzma_ret made = lzma_stream_buffer_encode(const_cast<lzma_filter *>(filters), LZMA_CHECK_CRC32, nullptr,
        reinterpret_cast<const std::uint8_t *>("text"), 4, reinterpret_cast<std::uint8_t *>(packed.data()), &size,
        packed.size());
    if (made != LZMA_OK)
        GTEST_SKIP() << "this machine has too little memory to pack the file";
    writeBytes(folder / "a.xz", packed.substr(0, size));
    EXPECT_THAT(messageOf(readAll(openByteSource(folder / "a.xz"))), HasSubstr("more than 256 MiB of memory"));
}

TEST(ByteSource, ReadsAPipeThatBringsAnyForm)
{
    const std::string text = "some text that fits into a pipe";
    for (const std::string &content : {text, gzipped(text), zstandard(text), xzipped(text)}) {
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        ASSERT_EQ(::write(ends[1], content.data(), content.size()), std::ssize(content));
        ::close(ends[1]);
        const std::atomic<bool> stopped = false;
        EXPECT_EQ(readAll(byteSourceOf(ends[0], "standard input", stopped)).value(), text);
        ::close(ends[0]);
    }
}

TEST(ByteSource, DoesNotWaitForAPipeWhenItIsStopped)
{
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const std::atomic<bool> stopped = true;
    EXPECT_THAT(messageOf(readAll(byteSourceOf(ends[0], "standard input", stopped))), HasSubstr("was not read"));
    ::close(ends[0]);
    ::close(ends[1]);
}

} // namespace
} // namespace slipway
