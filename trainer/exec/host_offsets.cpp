// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/host_offsets.h"

#include "exec/torch_op_table.h"

namespace slipway {

std::span<const std::int32_t> HostOffsets::at(const std::byte *address, std::int64_t count)
{
    const auto found = m_copies.find(address);
    if (found == m_copies.end())
        return {};
    std::vector<std::int32_t> &copy = found->second;
    if (copy.empty()) {
        m_waitsForDevice();
        copy.resize(static_cast<std::size_t>(count));
        tensorAt(reinterpret_cast<const std::byte *>(copy.data()), {count}, at::kInt, at::kCPU)
            .copy_(tensorAt(address, {count}, at::kInt, m_device));
    }
    return copy;
}

} // namespace slipway
