// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Timings of single GEMMs on a GPU. `slipway-train bench ops --gemms` writes such a table, and a calibration contains
// it in addition to its fitted constants.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/enum_names.h"
#include "base/result.h"
#include "base/units.h"

namespace slipway {

struct Catalogue;

// The type of the operands. Half: bf16 or fp16, which have the same rates.
enum class GemmType : std::uint8_t { Fp32, Half, Fp8 };
template<>
struct EnumNames<GemmType> {
    static constexpr std::array<std::string_view, 3> names{"fp32", "bf16", "fp8"};
};

inline constexpr double kLargestGemmSize = 1e9; // of m, n, k and the batch

// `batch` GEMMs C[m,n] = A[m,k] B[k,n] by one kernel.
struct MeasuredGemm {
    GemmType type = GemmType::Half;
    std::int64_t m = 0, n = 0, k = 0, batch = 1;
    Seconds seconds = 0;
    [[nodiscard]] Flops flops() const { return 2.0 * double(m) * double(n) * double(k) * double(batch); }
    bool operator==(const MeasuredGemm &) const = default;
};

struct GemmTable {
    std::string gpu; // id in the catalogue
    std::vector<MeasuredGemm> gemms;
    std::vector<std::string> leftOut; // rows that are not used: line and reason
    bool operator==(const GemmTable &) const = default;
};

// Whether a table has the columns for GEMMs, as opposed to those for runs.
bool isGemmTable(const CsvTable &table);

// Columns: gpu, type (fp32, bf16, fp8), m, n, k, seconds or tflops, and batch if it is not 1. Returns one table per
// GPU; rows with equal shapes are averaged. Rows that exceed the data sheet of the GPU, or that are so short that the
// launch dominates, are left out. Errors name line and column.
Result<std::vector<GemmTable>> readGemmTables(const CsvTable &table, const Catalogue &catalogue);

// Merges the table of another file, so that there is one table per GPU.
void addGemms(std::vector<GemmTable> &tables, const GemmTable &more);

// Writes the columns that readGemmTables reads.
std::string toCsv(const std::vector<GemmTable> &tables);

} // namespace slipway
