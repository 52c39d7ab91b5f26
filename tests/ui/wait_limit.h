// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace slipway::ui {

// For what comes from another thread; a healthy machine takes a fraction of a second.
inline constexpr int kLimitMs = 60'000;

} // namespace slipway::ui
