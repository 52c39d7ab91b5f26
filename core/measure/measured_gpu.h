// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The GPU of a row in the catalogue, and the links between its GPUs.
#pragma once

#include <map>
#include <string>

#include "measure/row_reader.h"

namespace slipway {

// The most GPUs that any row of a source has: by its name. What an empty cell or text in it may mean is not counted.
std::map<std::string, int, std::less<>> largestRuns(const CsvTable &table);

// Sets the row's GPU. A name that says no form is the GPU that the catalogue lists under it; where a source has no
// more than four GPUs and the row does not tell what ran on them either, it is the one of `in_small_machines`, as
// assumed. Skips a row of a GPU that the catalogue does not have.
void readGpu(RowReader &r, const Catalogue &catalogue, int largestRun, MeasuredRow &out);

} // namespace slipway
