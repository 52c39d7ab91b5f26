// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/caching_allocator.h"

#include <algorithm>

#include "base/split_mix.h"

namespace slipway {

namespace {

constexpr Bytes kRound = 512;
constexpr Bytes kSmall = Bytes{1} << 20; // the largest small allocation
constexpr Bytes kSmallSegment = Bytes{2} << 20;
constexpr Bytes kLargeSegment = Bytes{20} << 20; // shared by allocations below kOwnSegment
constexpr Bytes kOwnSegment = Bytes{10} << 20;
constexpr Bytes kSegmentRound = Bytes{2} << 20;

bool isSmall(int pool) { return pool % 2 == 0; }

Bytes segmentSize(Bytes size)
{
    if (size <= kSmall)
        return kSmallSegment;
    return size < kOwnSegment ? kLargeSegment : roundUp(size, kSegmentRound);
}

} // namespace

std::optional<CachingAllocator::BlockId> CachingAllocator::allocate(Bytes bytes, int stream)
{
    const Bytes size = std::max(kRound, roundUp(bytes, kRound));
    const int pool = 2 * stream + (size <= kSmall ? 0 : 1);
    BlockId id = freeOf(pool).take(size);
    if (id < 0)
        id = m_options.expandable ? growSegment(size, pool) : newSegment(size, pool);
    if (id < 0)
        return std::nullopt;
    at(id).free = false;
    split(id, size);
    m_allocated += at(id).size;
    m_peakAllocated = std::max(m_peakAllocated, m_allocated);
    return id;
}

void CachingAllocator::free(BlockId id)
{
    m_allocated -= at(id).size;
    if (const BlockId next = at(id).next; next >= 0 && at(next).free) {
        removeFree(next);
        absorbNext(id);
    }
    if (const BlockId previous = at(id).previous; previous >= 0 && at(previous).free) {
        removeFree(previous);
        absorbNext(previous);
        id = previous;
    }
    addFree(id);
}

CachingAllocator::BlockId CachingAllocator::newSegment(Bytes size, int pool)
{
    const Bytes segment = segmentSize(size);
    if (!reserve(segment))
        return -1;
    m_nextAddress += segment;
    return newBlock(segment, m_nextAddress - segment, pool);
}

CachingAllocator::BlockId CachingAllocator::growSegment(Bytes size, int pool)
{
    const BlockId tail = tailOf(pool);
    const bool extends = tail >= 0 && at(tail).free;
    const Bytes missing = size - (extends ? at(tail).size : 0);
    const Bytes grown = roundUp(missing, isSmall(pool) ? kSmallSegment : kLargeSegment);
    if (!reserve(grown))
        return -1;
    if (extends) {
        removeFree(tail);
        at(tail).size += grown;
        return tail;
    }
    const BlockId block = newBlock(grown, tail >= 0 ? at(tail).address + at(tail).size : 0, pool);
    at(block).previous = tail;
    if (tail >= 0)
        at(tail).next = block;
    tailOf(pool) = block;
    return block;
}

bool CachingAllocator::reserve(Bytes bytes)
{
    if (m_reserved + bytes > m_options.limit) {
        ++m_retries;
        releaseFreeSegments();
        if (m_reserved + bytes > m_options.limit)
            return false;
    }
    m_reserved += bytes;
    m_peakReserved = std::max(m_peakReserved, m_reserved);
    return true;
}

void CachingAllocator::releaseFreeSegments()
{
    for (FreeBlocks &pool : m_free) {
        pool.removeIf([&](BlockId id) {
            const Block &block = at(id);
            if (block.previous >= 0 || block.next >= 0 || m_options.expandable)
                return false;
            m_reserved -= block.size;
            drop(id);
            return true;
        });
    }
}

void CachingAllocator::split(BlockId id, Bytes size)
{
    const int pool = at(id).pool;
    const Bytes rest = at(id).size - size;
    if (isSmall(pool) || m_options.expandable ? rest < kRound : rest <= kSmall)
        return;
    const BlockId remaining = newBlock(rest, at(id).address + size, pool);
    Block &block = at(id);
    at(remaining).previous = id;
    at(remaining).next = block.next;
    if (block.next >= 0)
        at(block.next).previous = remaining;
    block.next = remaining;
    block.size = size;
    if (tailOf(pool) == id)
        tailOf(pool) = remaining;
    addFree(remaining);
}

CachingAllocator::BlockId CachingAllocator::newBlock(Bytes size, Bytes address, int pool)
{
    BlockId id = static_cast<BlockId>(m_blocks.size());
    if (m_unused.empty()) {
        m_blocks.emplace_back();
    } else {
        id = m_unused.back();
        m_unused.pop_back();
    }
    at(id) = {.size = size, .address = address, .pool = static_cast<std::int8_t>(pool)};
    return id;
}

void CachingAllocator::addFree(BlockId id)
{
    at(id).free = true;
    freeOf(at(id).pool).add(at(id).size, {at(id).address, id});
}

void CachingAllocator::removeFree(BlockId id) { freeOf(at(id).pool).remove(at(id).size, {at(id).address, id}); }

void CachingAllocator::absorbNext(BlockId id)
{
    Block &block = at(id);
    const BlockId gone = block.next;
    block.size += at(gone).size;
    block.next = at(gone).next;
    if (block.next >= 0)
        at(block.next).previous = id;
    if (tailOf(block.pool) == gone)
        tailOf(block.pool) = id;
    drop(gone);
}

void CachingAllocator::drop(BlockId id)
{
    at(id).size = 0;
    m_unused.push_back(id);
}

// A hash that does not depend on the order of blocks: the mixed hash of each block (SplitMix64), summed.
std::uint64_t CachingAllocator::layout() const
{
    std::uint64_t sum = 0;
    for (const Block &block : m_blocks) {
        if (block.size > 0)
            sum += splitMix64(splitMix64(static_cast<std::uint64_t>(block.address)) ^
                              static_cast<std::uint64_t>(block.size) << 8 ^
                              static_cast<std::uint64_t>(2 * block.pool + (block.free ? 1 : 0)));
    }
    return sum;
}

} // namespace slipway
