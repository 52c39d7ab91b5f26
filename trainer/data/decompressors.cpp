// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// gzip, Zstandard and xz as byte sources. A file that requires more memory than the limits below is rejected.
#include <string>
#include <utility>
#include <vector>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "data/byte_source.h"

namespace slipway {

namespace {

constexpr std::size_t kPackedBuffer = std::size_t{256} * 1024; // bytes
constexpr int kLargestZstdWindow = 27;                         // 2^27 bytes, the limit of zstd without --long
constexpr std::uint64_t kMostXzMemory = std::uint64_t{256} * 1024 * 1024; // bytes; xz -9 requires 65 MiB

// Reads packed bytes into a buffer and passes them to a library, which reports how many it has consumed.
class Decompressor : public ByteSource {
public:
    Decompressor(std::unique_ptr<ByteSource> packed, std::string name, const char *kind)
        : m_packed(std::move(packed)),
          m_name(std::move(name)),
          m_kind(kind),
          m_buffer(kPackedBuffer)
    {
    }

    Result<std::size_t> read(std::span<char> out) final
    {
        while (!m_ended) {
            if (m_have.empty() && !m_drained) {
                const Result<std::size_t> count = m_packed->read(m_buffer);
                if (!count)
                    return count.error();
                m_have = std::span(m_buffer).first(*count);
                m_drained = *count == 0;
            }
            const Result<std::size_t> made = decompress(m_have, m_drained, out);
            if (!made || *made > 0)
                return made;
        }
        return std::size_t{0};
    }
    [[nodiscard]] Bytes taken() const final { return m_packed->taken(); }

protected:
    // Consumes bytes from the front of `packed`, writes the decompressed bytes to the front of `out`, and returns their
    // number. Calls end() at the end. Each call consumes bytes, produces bytes, ends, or fails.
    virtual Result<std::size_t> decompress(std::span<char> &packed, bool last, std::span<char> out) = 0;

    void end() { m_ended = true; }
    [[nodiscard]] Error damaged(const std::string &what) const
    {
        return {.what = what,
            .where = m_name,
            .accepted = "a whole " + std::string(m_kind) + " file",
            .fault = Fault::Damaged};
    }
    [[nodiscard]] Error cut() const { return damaged("is truncated: its end is missing"); }
    [[nodiscard]] Error broken(const char *reason) const
    {
        return damaged("is damaged" + (reason ? ": " + std::string(reason) : std::string()));
    }

private:
    std::unique_ptr<ByteSource> m_packed;
    std::string m_name;
    const char *m_kind;
    std::vector<char> m_buffer;
    std::span<char> m_have;
    bool m_drained = false, m_ended = false;
};

class Gunzip final : public Decompressor {
public:
    Gunzip(std::unique_ptr<ByteSource> packed, std::string name)
        : Decompressor(std::move(packed), std::move(name), "gzip"),
          m_ready(inflateInit2(&m_stream, 15 + 16) == Z_OK) // largest window, gzip header
    {
    }
    ~Gunzip() override { inflateEnd(&m_stream); }

protected:
    Result<std::size_t> decompress(std::span<char> &packed, bool last, std::span<char> out) override
    {
        if (!m_ready)
            return broken("zlib cannot start");
        if (packed.empty() && last) {
            if (!m_atMemberEnd)
                return cut();
            end();
            return std::size_t{0};
        }
        // A gzip file may consist of several members.
        if (std::exchange(m_atMemberEnd, false))
            inflateReset(&m_stream);
        m_stream.next_in = reinterpret_cast<Bytef *>(packed.data());
        m_stream.avail_in = static_cast<uInt>(packed.size());
        m_stream.next_out = reinterpret_cast<Bytef *>(out.data());
        m_stream.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), 1U << 30U));
        const uInt room = m_stream.avail_out;
        const int status = inflate(&m_stream, Z_NO_FLUSH);
        packed = packed.last(m_stream.avail_in);
        if (status == Z_STREAM_END)
            m_atMemberEnd = true;
        else if (status != Z_OK && status != Z_BUF_ERROR)
            return broken(m_stream.msg);
        return static_cast<std::size_t>(room - m_stream.avail_out);
    }

private:
    z_stream m_stream{};
    bool m_ready, m_atMemberEnd = false;
};

class Unzstd final : public Decompressor {
public:
    Unzstd(std::unique_ptr<ByteSource> packed, std::string name)
        : Decompressor(std::move(packed), std::move(name), "Zstandard"),
          m_stream(ZSTD_createDCtx())
    {
        ZSTD_DCtx_setParameter(m_stream, ZSTD_d_windowLogMax, kLargestZstdWindow);
    }
    ~Unzstd() override { ZSTD_freeDCtx(m_stream); }

protected:
    Result<std::size_t> decompress(std::span<char> &packed, bool last, std::span<char> out) override
    {
        ZSTD_inBuffer in{packed.data(), packed.size(), 0};
        ZSTD_outBuffer made{out.data(), out.size(), 0};
        if (packed.empty() && last && m_atFrameEnd) {
            end();
            return std::size_t{0};
        }
        const std::size_t status = ZSTD_decompressStream(m_stream, &made, &in);
        if (ZSTD_isError(status))
            return broken(ZSTD_getErrorName(status));
        if (in.pos == 0 && made.pos == 0 && last)
            return cut();
        packed = packed.subspan(in.pos);
        m_atFrameEnd = status == 0;
        return made.pos;
    }

private:
    ZSTD_DCtx *m_stream;
    bool m_atFrameEnd = false;
};

const char *reasonOf(lzma_ret status)
{
    switch (status) {
    case LZMA_MEMLIMIT_ERROR:
        return "it needs more than 256 MiB of memory";
    case LZMA_FORMAT_ERROR:
        return "a part of it is not in xz format";
    case LZMA_OPTIONS_ERROR:
        return "it uses a filter that is not supported";
    default:
        return "its data is corrupt";
    }
}

class Unxz final : public Decompressor {
public:
    Unxz(std::unique_ptr<ByteSource> packed, std::string name)
        : Decompressor(std::move(packed), std::move(name), "xz"),
          m_started(lzma_stream_decoder(&m_stream, kMostXzMemory, LZMA_CONCATENATED))
    {
    }
    ~Unxz() override { lzma_end(&m_stream); }

protected:
    Result<std::size_t> decompress(std::span<char> &packed, bool last, std::span<char> out) override
    {
        if (m_started != LZMA_OK)
            return broken("liblzma cannot start");
        m_stream.next_in = reinterpret_cast<const std::uint8_t *>(packed.data());
        m_stream.avail_in = packed.size();
        m_stream.next_out = reinterpret_cast<std::uint8_t *>(out.data());
        m_stream.avail_out = out.size();
        const lzma_ret status = lzma_code(&m_stream, last ? LZMA_FINISH : LZMA_RUN);
        packed = packed.last(m_stream.avail_in);
        if (status == LZMA_STREAM_END)
            end();
        else if (status == LZMA_BUF_ERROR && last)
            return cut();
        else if (status != LZMA_OK && status != LZMA_BUF_ERROR)
            return broken(reasonOf(status));
        return out.size() - m_stream.avail_out;
    }

private:
    lzma_stream m_stream = LZMA_STREAM_INIT;
    lzma_ret m_started;
};

} // namespace

std::unique_ptr<ByteSource> gzipDecompressed(std::unique_ptr<ByteSource> packed, std::string name)
{
    return std::make_unique<Gunzip>(std::move(packed), std::move(name));
}
std::unique_ptr<ByteSource> zstdDecompressed(std::unique_ptr<ByteSource> packed, std::string name)
{
    return std::make_unique<Unzstd>(std::move(packed), std::move(name));
}
std::unique_ptr<ByteSource> xzDecompressed(std::unique_ptr<ByteSource> packed, std::string name)
{
    return std::make_unique<Unxz>(std::move(packed), std::move(name));
}

} // namespace slipway
