// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/gemm_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.h"
#include "hardware/catalogue.h"

namespace slipway {

namespace {

constexpr double kMostOfPeak = 1.02;   // clocks can exceed the data sheet's
constexpr Seconds kLeastOnGpu = 50e-6; // the time of ten kernel launches

struct Row {
    const CsvTable &table;
    const CsvRow &row;

    [[nodiscard]] std::string_view text(std::string_view column) const { return trimmed(table.cell(row, column)); }
    [[nodiscard]] Error wrong(std::string_view column, std::string accepted) const
    {
        return {.what = std::string(column) + " is '" + std::string(text(column).substr(0, 40)) + "'",
            .where = table.location(row),
            .accepted = std::move(accepted)};
    }
    [[nodiscard]] Result<std::int64_t> count(std::string_view column) const
    {
        const std::optional<double> value = parseNumber(text(column));
        if (!value || !(*value >= 1 && *value <= kLargestGemmSize) || *value != std::floor(*value))
            return wrong(column, "an integer from 1 to 1e9");
        return static_cast<std::int64_t>(*value);
    }
    [[nodiscard]] Result<double> positive(std::string_view column) const
    {
        const std::optional<double> value = parseNumber(text(column));
        if (!value || !std::isfinite(*value) || *value <= 0)
            return wrong(column, "a number above 0");
        return *value;
    }
};

Result<MeasuredGemm> gemmOf(const Row &row)
{
    const std::optional<GemmType> type = enumFromName<GemmType>(row.text("type"));
    if (!type)
        return row.wrong("type", enumChoices<GemmType>());
    MeasuredGemm gemm{.type = *type};
    for (const auto &[column, field] :
        {std::pair{"m", &gemm.m}, {"n", &gemm.n}, {"k", &gemm.k}, {"batch", &gemm.batch}}) {
        if (field == &gemm.batch && row.text(column).empty())
            continue;
        const Result<std::int64_t> value = row.count(column);
        if (!value)
            return value.error();
        *field = *value;
    }
    const bool timed = !row.text("seconds").empty();
    const Result<double> figure = row.positive(timed ? "seconds" : "tflops");
    if (!figure)
        return figure.error();
    gemm.seconds = timed ? *figure : gemm.flops() / (*figure * 1e12);
    return gemm;
}

double peakFlops(const Gpu &gpu, GemmType type)
{
    return type == GemmType::Fp8                  ? gpu.fp8Flops.value_or(0)
           : type == GemmType::Half && !gpu.isCpu ? gpu.bf16Flops
                                                  : gpu.fp32Flops;
}

// Returns why a GEMM is left out; empty if it is used. No GEMM of a CPU is left out, because its clock varies too much.
std::string whyLeftOut(const MeasuredGemm &gemm, const Gpu &gpu)
{
    if (gpu.isCpu)
        return {};
    if (gemm.seconds < kLeastOnGpu)
        return "takes " + formatSeconds(gemm.seconds) + ", no longer than a kernel launch";
    // fp32 GEMMs may run on tensor cores, as TF32.
    const double peak = gemm.type == GemmType::Fp32 ? gpu.bf16Flops : peakFlops(gpu, gemm.type);
    return gemm.flops() / gemm.seconds > kMostOfPeak * peak ? "is faster than the GPU's peak rate" : "";
}

auto shapeOf(const MeasuredGemm &p) { return std::tuple(p.type, p.m, p.n, p.k, p.batch); }

// Sorts by shape and keeps one GEMM of each shape.
void settle(std::vector<MeasuredGemm> &gemms)
{
    std::stable_sort(gemms.begin(), gemms.end(),
        [](const MeasuredGemm &a, const MeasuredGemm &b) { return shapeOf(a) < shapeOf(b); });
    std::vector<MeasuredGemm> each;
    int times = 0;
    for (const MeasuredGemm &gemm : gemms) {
        times = !each.empty() && shapeOf(each.back()) == shapeOf(gemm) ? times + 1 : 1;
        if (times == 1)
            each.push_back(gemm);
        else
            each.back().seconds += (gemm.seconds - each.back().seconds) / times;
    }
    gemms = std::move(each);
}

} // namespace

bool isGemmTable(const CsvTable &table)
{
    return table.column("m") && table.column("n") && table.column("k") && !table.column("n_layers");
}

Result<std::vector<GemmTable>> readGemmTables(const CsvTable &table, const Catalogue &catalogue)
{
    for (const char *column : {"gpu", "type", "m", "n", "k"}) {
        if (!table.column(column))
            return Error{.what = std::string("has no column ") + column,
                .where = table.where,
                .accepted = "gpu, type, m, n, k, seconds or tflops, batch"};
    }
    std::vector<GemmTable> tables;
    std::map<std::string, GemmTable> byGpu;
    for (const CsvRow &record : table.rows) {
        const Row row{table, record};
        const Result<Gpu> gpu = catalogue.gpu(row.text("gpu"));
        if (!gpu)
            return Error{.what = gpu.error().what, .where = table.location(record), .accepted = gpu.error().accepted};
        const Result<MeasuredGemm> gemm = gemmOf(row);
        if (!gemm)
            return gemm.error();
        GemmTable &own = byGpu[gpu->id];
        own.gpu = gpu->id;
        if (const std::string why = whyLeftOut(*gemm, *gpu); why.empty())
            own.gemms.push_back(*gemm);
        else
            own.leftOut.push_back(table.location(record) + " " + why);
    }
    for (const auto &[id, own] : byGpu)
        addGemms(tables, own);
    return tables;
}

void addGemms(std::vector<GemmTable> &tables, const GemmTable &more)
{
    auto own = std::find_if(tables.begin(), tables.end(), [&](const GemmTable &t) { return t.gpu == more.gpu; });
    if (own == tables.end())
        own = tables.insert(tables.end(), GemmTable{.gpu = more.gpu});
    own->gemms.insert(own->gemms.end(), more.gemms.begin(), more.gemms.end());
    own->leftOut.insert(own->leftOut.end(), more.leftOut.begin(), more.leftOut.end());
    settle(own->gemms);
}

std::string toCsv(const std::vector<GemmTable> &tables)
{
    std::string csv = csvRecord(std::array<std::string, 7>{"gpu", "type", "m", "n", "k", "batch", "seconds"});
    for (const GemmTable &table : tables) {
        for (const MeasuredGemm &p : table.gemms)
            csv += csvRecord(std::array<std::string, 7>{table.gpu, std::string(enumName(p.type)), std::to_string(p.m),
                std::to_string(p.n), std::to_string(p.k), std::to_string(p.batch), formatExact(p.seconds)});
    }
    return csv;
}

} // namespace slipway
