// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The model that a row of a measurement table names.
#pragma once

#include "hardware/catalogue.h"
#include "measure/row_reader.h"
#include "model/model_spec.h"

namespace slipway {

inline constexpr int kDefaultSequence = 1024; // of a row that says none

// Where the row has no shape: the catalogue's model of that name, else the paper's family at the row's `params`.
ModelSpec readMeasuredModel(RowReader &row, const Catalogue &catalogue);

} // namespace slipway
