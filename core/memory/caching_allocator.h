// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// PyTorch's caching allocator for CUDA, without the memory: what it asks of the device for a sequence of allocations.
//
// Its rules (c10/cuda/CUDACachingAllocator.cpp): sizes are rounded up to 512 bytes. Up to 1 MiB they come from segments
// of 2 MiB, up to 10 MiB from segments of 20 MiB, larger ones get a segment of their own, rounded up to 2 MiB. The
// smallest free block of the same stream and kind that is large enough is taken, of equals the one at the lowest
// address (segments lie one behind the other as they were reserved); what is left of it stays a block of its own, where
// it is more than 1 MiB (small ones and those of expandable segments: 512 bytes). Neighbours that are free are one
// block. What is free stays reserved until the device has no more: then all segments that are wholly free go back,
// which costs a synchronisation, and it tries again.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/units.h"
#include "memory/free_blocks.h"

namespace slipway {

struct CachingOptions {
    Bytes limit = std::numeric_limits<Bytes>::max(); // what the device has for it
    bool expandable = false; // expandable_segments: one segment a stream and kind, which grows by 2 or 20 MiB
};

class CachingAllocator {
public:
    static constexpr int kStreams = 4;
    using BlockId = FreeBlocks::BlockId;

    explicit CachingAllocator(CachingOptions options = {}) : m_options(options) {}

    // Nothing where the device has no room for it. A block of 0 bytes is one of 512.
    std::optional<BlockId> allocate(Bytes bytes, int stream = 0);
    void free(BlockId block);

    [[nodiscard]] Bytes allocated() const { return m_allocated; } // rounded sizes of live blocks
    [[nodiscard]] Bytes reserved() const { return m_reserved; }
    [[nodiscard]] Bytes peakAllocated() const { return m_peakAllocated; }
    [[nodiscard]] Bytes peakReserved() const { return m_peakReserved; }
    [[nodiscard]] int retries() const { return m_retries; } // times that it gave free segments back to get on

    [[nodiscard]] Bytes addressOf(BlockId block) const { return m_blocks[static_cast<std::size_t>(block)].address; }
    // A number for the blocks that there are: two states with the same one answer the same requests alike.
    [[nodiscard]] std::uint64_t layout() const;

private:
    struct Block {
        Bytes size = 0, address = 0;      // no bytes: of no block any more
        BlockId previous = -1, next = -1; // neighbours in the segment
        std::int8_t pool = 0;             // of one stream and kind
        bool free = false;
    };

    BlockId newBlock(Bytes size, Bytes address, int pool);
    [[nodiscard]] BlockId newSegment(Bytes size, int pool); // -1: no room
    [[nodiscard]] BlockId growSegment(Bytes size, int pool);
    bool reserve(Bytes bytes);
    void releaseFreeSegments();
    void split(BlockId block, Bytes size);
    void addFree(BlockId block);
    void removeFree(BlockId block);
    void absorbNext(BlockId block);
    void drop(BlockId block);
    FreeBlocks &freeOf(int pool) { return m_free[static_cast<std::size_t>(pool)]; }
    BlockId &tailOf(int pool) { return m_tails[static_cast<std::size_t>(pool)]; }
    Block &at(BlockId id) { return m_blocks[static_cast<std::size_t>(id)]; }

    CachingOptions m_options;
    std::vector<Block> m_blocks;
    std::vector<BlockId> m_unused; // ids of blocks that are no more
    std::array<FreeBlocks, 2 * kStreams> m_free;
    std::array<BlockId, 2 * kStreams> m_tails{-1, -1, -1, -1, -1, -1, -1, -1}; // last block of each expandable segment
    Bytes m_allocated = 0, m_reserved = 0, m_peakAllocated = 0, m_peakReserved = 0;
    Bytes m_nextAddress = 0; // of a segment
    int m_retries = 0;
};

} // namespace slipway
