// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Documents kept apart by ops that know sequences alone: each document is a sequence of its own to them, as long as it
// is.
#pragma once

#include <functional>
#include <span>

#include "exec/op_table.h"

namespace slipway {

// Whether the op looks at where a token stands.
bool seesSequences(OpKind kind);

// Calls run for each document of such an op's micro-batch with that document's part of every operand. Whole sequences
// that follow each other go together. `starts`: where in its sequence each token's document begins. Statistics of
// attention are laid out document by document, for the same documents to read.
void forEachDocument(
    const OpCall &call, std::span<const std::int32_t> starts, const std::function<void(const OpCall &)> &run);

} // namespace slipway
