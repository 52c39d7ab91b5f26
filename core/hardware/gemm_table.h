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

// `batch` GEMMs C[m,n] = A[m,k] B[k,n] by one kernel.
struct MeasuredGemm {
    GemmType type = GemmType::Half;
    std::int64_t m = 0, n = 0, k = 0, batch = 1;
    Seconds seconds = 0;
    [[nodiscard]] Flops flops() const { return 2.0 * double(m) * double(n) * double(k) * double(batch); }
    bool operator==(const MeasuredGemm &) const = default;
};

struct GemmTable {
    std::string gpu; // the catalogue's id
    std::vector<MeasuredGemm> gemms;
    std::vector<std::string> leftOut; // rows that are not used: their line and the reason
    bool operator==(const GemmTable &) const = default;
};

// Whether a table has the columns of GEMMs, not of runs.
bool isGemmTable(const CsvTable &table);

// Columns: gpu, type (fp32, bf16, fp8), m, n, k, seconds or tflops, and batch if it is not 1. Returns a table per GPU,
// with the mean of equal shapes. Rows that exceed the GPU's data sheet are left out, and rows so short that the launch
// dominates them. Errors name line and column.
Result<std::vector<GemmTable>> readGemmTables(const CsvTable &table, const Catalogue &catalogue);

// The same for several files: one table per GPU.
void addGemms(std::vector<GemmTable> &tables, const GemmTable &more);

// The same columns, for readGemmTables.
std::string toCsv(const std::vector<GemmTable> &tables);

} // namespace slipway
