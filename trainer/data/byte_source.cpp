// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "data/byte_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "data/input_file.h"

namespace slipway {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMagicBytes = 6;
constexpr int kPatience = 200; // milliseconds

class FileSource final : public ByteSource {
public:
    explicit FileSource(InputFile file) : m_file(std::move(file)) {}

    Result<std::size_t> read(std::span<char> out) override
    {
        const auto count = static_cast<std::size_t>(std::min(std::ssize(out), m_file.size() - m_at));
        if (const Result<void> read = m_file.read(m_at, std::as_writable_bytes(out.first(count))); !read)
            return read.error();
        m_at += static_cast<Bytes>(count);
        return count;
    }
    Result<Bytes> skip(Bytes count) override
    {
        const Bytes skipped = std::min(count, m_file.size() - m_at);
        m_at += skipped;
        return skipped;
    }
    [[nodiscard]] Bytes taken() const override { return m_at; }

private:
    InputFile m_file;
    Bytes m_at = 0;
};

class DescriptorSource final : public ByteSource {
public:
    DescriptorSource(int descriptor, std::string name, const std::atomic<bool> &stopped)
        : m_descriptor(descriptor),
          m_name(std::move(name)),
          m_stopped(stopped)
    {
    }

    Result<std::size_t> read(std::span<char> out) override
    {
        pollfd waited{.fd = m_descriptor, .events = POLLIN, .revents = 0};
        while (!m_stopped) {
            const int ready = ::poll(&waited, 1, kPatience);
            const ssize_t count = ready > 0 ? ::read(m_descriptor, out.data(), out.size()) : ready;
            if (ready > 0 && count >= 0) {
                m_taken += count;
                return static_cast<std::size_t>(count);
            }
            if (count < 0 && errno != EINTR && errno != EAGAIN)
                return Error{.what = "cannot read: " + systemMessage(errno), .where = m_name, .fault = Fault::Outside};
        }
        return Error{.what = "was not read to its end", .where = m_name, .fault = Fault::Outside};
    }
    [[nodiscard]] Bytes taken() const override { return m_taken; }

private:
    int m_descriptor;
    std::string m_name;
    const std::atomic<bool> &m_stopped;
    Bytes m_taken = 0;
};

// Returns the bytes that were read to detect the format, and then the rest.
class LookedAhead final : public ByteSource {
public:
    LookedAhead(std::string first, std::unique_ptr<ByteSource> rest)
        : m_first(std::move(first)),
          m_rest(std::move(rest))
    {
    }

    Result<std::size_t> read(std::span<char> out) override
    {
        if (m_at == m_first.size())
            return m_rest->read(out);
        const std::size_t count = m_first.copy(out.data(), out.size(), m_at);
        m_at += count;
        return count;
    }
    Result<Bytes> skip(Bytes count) override
    {
        const Bytes ahead = std::min(count, static_cast<Bytes>(m_first.size() - m_at));
        m_at += static_cast<std::size_t>(ahead);
        const Result<Bytes> behind = m_rest->skip(count - ahead);
        return behind ? Result<Bytes>(ahead + *behind) : behind.error();
    }
    [[nodiscard]] Bytes taken() const override { return m_rest->taken(); }

private:
    std::string m_first;
    std::size_t m_at = 0;
    std::unique_ptr<ByteSource> m_rest;
};

struct Compression {
    std::string_view magic, extension;
    std::unique_ptr<ByteSource> (*open)(std::unique_ptr<ByteSource>, std::string);
};
constexpr std::array kCompressions{Compression{"\x1f\x8b"sv, ".gz", gzipDecompressed},
    Compression{"\x28\xb5\x2f\xfd"sv, ".zst", zstdDecompressed},
    Compression{"\xfd\x37\x7a\x58\x5a\x00"sv, ".xz", xzDecompressed}};

Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source, const std::string &name)
{
    std::string first(kMagicBytes, '\0');
    std::size_t have = 0;
    while (have < first.size()) {
        const Result<std::size_t> count = source->read(std::span(first).subspan(have));
        if (!count)
            return count.error();
        if (*count == 0)
            break;
        have += *count;
    }
    first.resize(have);
    for (const Compression &compression : kCompressions) {
        if (first.starts_with(compression.magic))
            return compression.open(std::make_unique<LookedAhead>(std::move(first), std::move(source)), name);
    }
    for (const Compression &compression : kCompressions) {
        if (name.ends_with(compression.extension))
            return Error{.what = "does not begin as a " + std::string(compression.extension) + " file does",
                .where = name,
                .accepted = "a compressed file, or another name",
                .fault = Fault::Damaged};
    }
    return std::unique_ptr<ByteSource>(std::make_unique<LookedAhead>(std::move(first), std::move(source)));
}

} // namespace

Result<Bytes> ByteSource::skip(Bytes count)
{
    std::vector<char> dropped(static_cast<std::size_t>(std::min<Bytes>(kMiB, count)));
    Bytes skipped = 0;
    while (skipped < count) {
        const auto wanted = static_cast<std::size_t>(std::min(std::ssize(dropped), count - skipped));
        const Result<std::size_t> got = read(std::span(dropped).first(wanted));
        if (!got)
            return got.error();
        if (*got == 0)
            break;
        skipped += static_cast<Bytes>(*got);
    }
    return skipped;
}

Result<std::unique_ptr<ByteSource>> openByteSource(const std::filesystem::path &path)
{
    Result<InputFile> file = InputFile::open(path);
    if (!file)
        return file.error();
    return decompressed(std::make_unique<FileSource>(*std::move(file)), path.string());
}

Result<std::unique_ptr<ByteSource>> byteSourceOf(
    int descriptor, const std::string &name, const std::atomic<bool> &stopped)
{
    return decompressed(std::make_unique<DescriptorSource>(descriptor, name, stopped), name);
}

} // namespace slipway
