// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Copies device memory to the host while the device computes: on a separate stream, through two page-locked chunks, one
// of which is filled while the other is emptied. The amount of page-locked memory does not depend on the size of the
// copy.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "base/units.h"

namespace slipway {

class Staging {
public:
    static constexpr Bytes kChunkBytes = 32 * kMiB;
    using Source = std::span<const std::byte>; // device memory
    // Receives bytes of sources[number], beginning at `offset`.
    using Sink = std::function<void(std::size_t number, Bytes offset, std::span<const std::byte> bytes)>;

    explicit Staging(c10::Device device, Bytes chunkBytes = kChunkBytes) : Staging(device, device, chunkBytes) {}
    // Uses the memory of one device and the streams of another, for tests.
    Staging(c10::Device memory, c10::Device streams, Bytes chunkBytes = kChunkBytes);

    // copy() then copies the state after all work that this thread has enqueued on its current stream so far.
    void mark();
    // Any thread may call it, one call at a time. The sink gets the sources in order.
    void copy(std::span<const Source> sources, const Sink &sink);

private:
    struct Part {
        std::size_t source;
        Bytes offset, bytes, place; // offset and size in the source; position in the chunk
    };
    struct Chunk {
        at::Tensor memory;
        std::optional<c10::Event> filled;
        std::vector<Part> parts;
    };
    struct Cursor {
        std::size_t source = 0;
        Bytes offset = 0;
    };
    void fill(Chunk &chunk, std::span<const Source> sources, Cursor &cursor);
    void empty(Chunk &chunk, const Sink &sink);

    c10::Device m_memory, m_device;
    std::optional<c10::impl::VirtualGuardImpl> m_guard; // of a GPU; empty on the CPU, which has no streams
    std::optional<c10::Stream> m_stream;
    std::optional<c10::Event> m_marked;
    Bytes m_chunkBytes;
    std::array<Chunk, 2> m_chunks;
};

} // namespace slipway
