// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Memory of one thread for copies that fit into its cache, at most a few hundred KiB for any model. It must not be used
// for tensors.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace slipway::cpu_ops {

class ThreadScratch {
public:
    // Memory for at least `elements` floats, valid until the next call on this object.
    float *get(std::int64_t elements)
    {
        if (elements > m_elements) {
            const auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
            m_memory.reset(static_cast<float *>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
            if (!m_memory)
                throw std::bad_alloc();
            m_elements = elements;
        }
        return m_memory.get();
    }

private:
    struct Free {
        void operator()(float *memory) const { std::free(memory); }
    };
    std::unique_ptr<float, Free> m_memory;
    std::int64_t m_elements = 0;
};

} // namespace slipway::cpu_ops
