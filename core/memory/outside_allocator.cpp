// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "memory/outside_allocator.h"

namespace slipway {

namespace {

Bytes gib(double n) { return static_cast<Bytes>(n * double(kGiB)); }

} // namespace

OutsideAllocator outsideAllocator(const Gpu &gpu, int ranks)
{
    if (gpu.isCpu)
        return {.bytes = gib(0.25), .p10 = gib(0.15), .p90 = gib(0.5)};
    const Bytes context = gpu.contextBytes.value_or(gib(0.55));
    OutsideAllocator outside{.bytes = context, .p10 = context * 8 / 10, .p90 = context * 17 / 10};
    if (ranks > 1) {
        outside.bytes += gib(1.0);
        outside.p10 += gib(0.5);
        outside.p90 += gib(1.6);
    }
    return outside;
}

} // namespace slipway
