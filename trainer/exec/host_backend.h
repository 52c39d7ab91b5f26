// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Our own ops (trainer/cpu_ops) on the CPU, in fp32. They are synchronous.
#pragma once

#include "exec/backend.h"

namespace slipway {

Result<std::unique_ptr<Backend>> makeHostBackend(Bytes arenaBytes);

} // namespace slipway
