// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a host answers when it is asked what it has.
#include "hosts/host_probe.h"

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    (void)parseProbe(std::string(textOf(data, size)), 1'700'000'000, 0.5);
    return 0;
}
