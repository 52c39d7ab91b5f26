// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/staging.h"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>

#include "exec/torch_op_table.h"

namespace slipway {

Staging::Staging(c10::Device memory, c10::Device streams, Bytes chunkBytes)
    : m_memory(memory),
      m_device(streams),
      m_chunkBytes(chunkBytes)
{
    const bool gpu = !streams.is_cpu();
    for (Chunk &chunk : m_chunks) {
        chunk.memory = at::empty({chunkBytes}, at::TensorOptions(at::kByte).pinned_memory(gpu));
        if (gpu)
            chunk.filled.emplace(streams.type());
    }
    if (!gpu)
        return;
    m_guard.emplace(streams.type());
    m_stream = m_guard->getStreamFromGlobalPool(streams, false);
    m_marked.emplace(streams.type());
}

void Staging::mark()
{
    if (m_guard)
        m_marked->record(m_guard->getStream(m_device));
}

void Staging::copy(std::span<const Source> sources, const Sink &sink)
{
    const c10::InferenceMode noGradients;
    // Restores the streams of the caller at the end.
    std::optional<c10::StreamGuard> onOwnStream;
    if (m_guard) {
        onOwnStream.emplace(*m_stream);
        m_marked->block(*m_stream);
    }
    Cursor cursor;
    fill(m_chunks[0], sources, cursor);
    for (std::size_t now = 0; !m_chunks[now].parts.empty(); now = 1 - now) {
        fill(m_chunks[1 - now], sources, cursor);
        empty(m_chunks[now], sink);
    }
}

void Staging::fill(Chunk &chunk, std::span<const Source> sources, Cursor &cursor)
{
    chunk.parts.clear();
    for (Bytes place = 0; cursor.source < sources.size() && place < m_chunkBytes;) {
        const Source &source = sources[cursor.source];
        const Bytes bytes = std::min(static_cast<Bytes>(source.size()) - cursor.offset, m_chunkBytes - place);
        chunk.memory.narrow(0, place, bytes)
            .copy_(tensorAt(source.data() + cursor.offset, {bytes}, at::kByte, m_memory), true);
        chunk.parts.push_back({cursor.source, cursor.offset, bytes, place});
        place += bytes;
        cursor.offset += bytes;
        if (cursor.offset == static_cast<Bytes>(source.size()))
            cursor = {cursor.source + 1, 0};
    }
    if (chunk.filled)
        chunk.filled->record(*m_stream);
}

void Staging::empty(Chunk &chunk, const Sink &sink)
{
    if (chunk.filled)
        chunk.filled->synchronize();
    const auto *const start = static_cast<const std::byte *>(chunk.memory.const_data_ptr());
    for (const Part &part : chunk.parts)
        sink(part.source, part.offset, {start + part.place, static_cast<std::size_t>(part.bytes)});
    chunk.parts.clear();
}

} // namespace slipway
