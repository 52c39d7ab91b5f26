// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/mapped_memory.h"

#include <cerrno>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace {

Bytes physicalMemory() { return Bytes{sysconf(_SC_PHYS_PAGES)} * Bytes{sysconf(_SC_PAGESIZE)}; }

// Memory that this process uses.
Bytes inUse()
{
    const Result<std::string> pages = readFile("/proc/self/statm");
    const std::vector<std::string_view> fields = split(pages ? std::string_view(*pages) : std::string_view(), ' ');
    return fields.size() > 1 ? Bytes{parseInteger(fields[1]).value_or(0)} * Bytes{sysconf(_SC_PAGESIZE)} : 0;
}

Error slabOutOfMemory(Bytes wanted, const std::string &why)
{
    return {.what = "out of memory: the step needs " + formatBytes(wanted) + ", " + formatBytes(inUse()) +
                    " are in use, " + why,
        .accepted = "a smaller --micro-batch or --seq-len, --recompute full, or a smaller model",
        .fault = Fault::Outside};
}

} // namespace

// The system grants more memory than it has, and kills a process that writes to it. So a request that exceeds the
// memory is rejected here.
Result<MappedMemory> MappedMemory::map(Bytes bytes)
{
    if (bytes > physicalMemory())
        return slabOutOfMemory(bytes, "and this machine has " + formatBytes(physicalMemory()));
    void *memory = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return slabOutOfMemory(bytes, "and the system refuses: " + systemMessage(errno));
    // Optional: without huge pages, the result is the same but slower.
    madvise(memory, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
    return MappedMemory(static_cast<std::byte *>(memory), bytes);
}

MappedMemory::~MappedMemory()
{
    if (m_data)
        munmap(m_data, static_cast<std::size_t>(m_size));
}

void MappedMemory::discardPages() const
{
    if (m_data)
        madvise(m_data, static_cast<std::size_t>(m_size), MADV_DONTNEED);
}

MappedMemory::MappedMemory(MappedMemory &&other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)),
      m_size(std::exchange(other.m_size, 0))
{
}

} // namespace slipway
