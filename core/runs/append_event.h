// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "runs/run_directory.h"

namespace slipway {

// Appends a line to events.jsonl. Best effort: callers report the event to the user as well, and a full disk is
// detected elsewhere.
void appendEvent(const RunPaths &paths, const RunEvent &event);

} // namespace slipway
