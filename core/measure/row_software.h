// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <vector>

#include "config/run_config.h"
#include "hardware/catalogue.h"
#include "measure/measurement.h"
#include "measure/row_reader.h"
#include "measure/software_notes.h"
#include "model/model_spec.h"

namespace slipway {

// The data for reading all rows of a table.
struct RowContext {
    const Catalogue &catalogue;
    const std::vector<Annotation> &annotations;
    AnnotationUse use = AnnotationUse::All;
};

// What ran, and what is known of it beside the columns: an entry of the catalogue by the column `framework` or by what
// is known of the source, else a planner's engine by what the row says.
SoftwareNotes readFramework(RowReader &r, const RowContext &context, const ModelSpec &model, RunConfig &c);

// After readFramework: which kernels an optimizer has depends on it.
void readOptimizer(RowReader &r, RunConfig &c);

// Once the software's settings are applied: what people leave out because their software leaves no choice.
void readImpliedAttention(RowReader &r, RunConfig &c);
void readImpliedModules(RowReader &r, RunConfig &c, const ModelSpec &model);

} // namespace slipway
