// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One measured training run: a row of a measurement table, and what it says about a configuration.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/result.h"
#include "hardware/catalogue.h"
#include "predict/assess.h"

namespace slipway {

enum class MemoryKind { Allocated, Reserved, Device, Unknown };
template<>
struct EnumNames<MemoryKind> {
    static constexpr std::array<std::string_view, 4> names{"allocated", "reserved", "nvidia-smi", "unknown"};
};

struct Measured {
    std::optional<double> tokensPerSecondPerGpu;
    std::optional<double> peakGib;
    MemoryKind memoryKind = MemoryKind::Unknown;
    bool fromFirstNode = false; // read there, where a pipeline's last stage may not be
    std::optional<bool> oom;
    bool fromHours = false;  // tokens/s follow from how long the whole run took, not from its steps
    bool onlyPasses = false; // they are of forward and backward, without the optimizer
};

struct MeasuredRow {
    std::string id, source, gpu, framework; // framework as the configuration has it
    ResolvedConfig resolved;
    Measured measured;
    std::vector<std::string> assumed;  // what empty cells were taken for: "grad_accum 1"
    std::vector<std::string> warnings; // what its author should look at, with its place; it is answered all the same
    bool recomputeUnstated = false;
    std::string place;   // "table.csv:12"
    std::string skipped; // why this row cannot be expressed; empty where it can
};

// Which annotations of sources count: all, those that no column of the table contradicts, or none. What words in notes
// mean always counts.
enum class AnnotationUse { All, Consistent, None };
template<>
struct EnumNames<AnnotationUse> {
    static constexpr std::array<std::string_view, 3> names{"all", "consistent", "none"};
};

// Every row of the table in its order; a row with text in a number's cell or an unknown choice is `skipped` with line
// and column, and so is a line that is no record of the table. An error where the file is no such table: the columns
// that are missing. Of the rows whose column has the value, where a filter is given.
struct RowFilter {
    std::string column, value;
};
Result<std::vector<MeasuredRow>> readMeasurements(const std::filesystem::path &path, const Catalogue &catalogue,
    const std::optional<RowFilter> &only = {}, AnnotationUse annotations = AnnotationUse::All);
Result<std::vector<MeasuredRow>> readMeasurements(const CsvTable &table, const Catalogue &catalogue,
    const std::optional<RowFilter> &only = {}, AnnotationUse annotations = AnnotationUse::All);

} // namespace slipway
