// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "runs/run_directory.h"

namespace slipway {

// Adds a line to events.jsonl. Best effort: whoever has something to say says it to the user too, and a full disk
// shows elsewhere.
void appendEvent(const RunPaths &paths, const RunEvent &event);

} // namespace slipway
