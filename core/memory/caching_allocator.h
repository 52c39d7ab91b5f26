// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A simulation of PyTorch's caching allocator for CUDA: what it reserves on the device for a sequence of allocations.
//
// The rules of c10/cuda/CUDACachingAllocator.cpp:
// - Sizes are rounded up to 512 bytes. Blocks of up to 1 MiB come from segments of 2 MiB, and blocks of less than
//   10 MiB from segments of 20 MiB. Larger blocks get their own segment, rounded up to 2 MiB.
// - The allocator takes the smallest free block of the same stream and pool that is large enough, of equal ones that at
//   the lowest address. Segments have ascending addresses in the order in which they were reserved.
// - The block is split if the rest is more than 1 MiB; in the small pool and in expandable segments, if it is at least
//   512 bytes. Adjacent free blocks are merged.
// - Free blocks stay reserved. If the device has no memory left, all segments without a used block are released, which
//   synchronizes the device, and the allocation is tried again.
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
    Bytes limit = std::numeric_limits<Bytes>::max(); // memory of the device that it may reserve
    bool expandable = false; // expandable_segments: one segment per stream and pool, which grows by 2 or 20 MiB
};

class CachingAllocator {
public:
    static constexpr int kStreams = 4;
    using BlockId = FreeBlocks::BlockId;

    explicit CachingAllocator(CachingOptions options = {}) : m_options(options) {}

    // Empty if the device has no memory left. A block of 0 bytes takes 512.
    std::optional<BlockId> allocate(Bytes bytes, int stream = 0);
    void free(BlockId block);

    [[nodiscard]] Bytes allocated() const { return m_allocated; } // rounded sizes of live blocks
    [[nodiscard]] Bytes reserved() const { return m_reserved; }
    [[nodiscard]] Bytes peakAllocated() const { return m_peakAllocated; }
    [[nodiscard]] Bytes peakReserved() const { return m_peakReserved; }
    [[nodiscard]] int retries() const { return m_retries; } // how often it released free segments to continue

    [[nodiscard]] Bytes addressOf(BlockId block) const { return m_blocks[static_cast<std::size_t>(block)].address; }
    // A hash of all blocks. States with the same hash behave alike.
    [[nodiscard]] std::uint64_t layout() const;

private:
    struct Block {
        Bytes size = 0, address = 0;      // no bytes: of no block any more
        BlockId previous = -1, next = -1; // neighbors in the segment
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
    std::vector<BlockId> m_unused;                                   // ids of blocks that are no more
    static constexpr std::size_t kLists = 2 * std::size_t{kStreams}; // small and large blocks of each stream
    std::array<FreeBlocks, kLists> m_free;
    std::array<BlockId, kLists> m_tails{-1, -1, -1, -1, -1, -1, -1, -1}; // last block of each expandable segment
    Bytes m_allocated = 0, m_reserved = 0, m_peakAllocated = 0, m_peakReserved = 0;
    Bytes m_nextAddress = 0; // of a segment
    int m_retries = 0;
};

} // namespace slipway
