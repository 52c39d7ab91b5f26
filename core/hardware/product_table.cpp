// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/product_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.h"
#include "hardware/catalogue.h"

namespace slipway {

namespace {

constexpr double kMostOfPeak = 1.02;   // clocks above the data sheet's
constexpr Seconds kLeastOnGpu = 50e-6; // ten launches
constexpr double kMostCount = 1e9;

struct Row {
    const CsvTable &table;
    const CsvRow &row;

    [[nodiscard]] std::string_view text(std::string_view column) const { return trimmed(table.cell(row, column)); }
    [[nodiscard]] Error wrong(std::string_view column, std::string accepted) const
    {
        return {.what = std::string(column) + " is '" + std::string(text(column).substr(0, 40)) + "'",
            .where = table.place(row),
            .accepted = std::move(accepted)};
    }
    [[nodiscard]] Result<std::int64_t> count(std::string_view column) const
    {
        const std::optional<double> value = parseNumber(text(column));
        if (!value || !(*value >= 1 && *value <= kMostCount) || *value != std::floor(*value))
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

Result<MeasuredProduct> productOf(const Row &row)
{
    const std::optional<ProductType> type = enumFromName<ProductType>(row.text("type"));
    if (!type)
        return row.wrong("type", enumChoices<ProductType>());
    MeasuredProduct product{.type = *type};
    for (const auto &[column, field] :
        {std::pair{"m", &product.m}, {"n", &product.n}, {"k", &product.k}, {"batch", &product.batch}}) {
        if (field == &product.batch && row.text(column).empty())
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
    product.seconds = timed ? *figure : product.flops() / (*figure * 1e12);
    return product;
}

double peakFlops(const Gpu &gpu, ProductType type)
{
    return type == ProductType::Fp8                  ? gpu.fp8Flops.value_or(0)
           : type == ProductType::Half && !gpu.isCpu ? gpu.bf16Flops
                                                     : gpu.fp32Flops;
}

// Empty: it counts. A processor's clock varies too much to refuse anything.
std::string whyLeftOut(const MeasuredProduct &product, const Gpu &gpu)
{
    if (gpu.isCpu)
        return {};
    if (product.seconds < kLeastOnGpu)
        return "takes " + formatSeconds(product.seconds) + ", no longer than a kernel launch";
    // fp32 products may run on tensor cores, as TF32.
    const double peak = product.type == ProductType::Fp32 ? gpu.bf16Flops : peakFlops(gpu, product.type);
    return product.flops() / product.seconds > kMostOfPeak * peak ? "is faster than the GPU's peak rate" : "";
}

auto shapeOf(const MeasuredProduct &p) { return std::tuple(p.type, p.m, p.n, p.k, p.batch); }

// Sorted by shape, each once.
void settle(std::vector<MeasuredProduct> &products)
{
    std::stable_sort(products.begin(), products.end(),
        [](const MeasuredProduct &a, const MeasuredProduct &b) { return shapeOf(a) < shapeOf(b); });
    std::vector<MeasuredProduct> each;
    int times = 0;
    for (const MeasuredProduct &product : products) {
        times = !each.empty() && shapeOf(each.back()) == shapeOf(product) ? times + 1 : 1;
        if (times == 1)
            each.push_back(product);
        else
            each.back().seconds += (product.seconds - each.back().seconds) / times;
    }
    products = std::move(each);
}

} // namespace

bool isProductTable(const CsvTable &table)
{
    return table.column("m") && table.column("n") && table.column("k") && !table.column("n_layers");
}

Result<std::vector<ProductTable>> readProductTables(const CsvTable &table, const Catalogue &catalogue)
{
    for (const char *column : {"gpu", "type", "m", "n", "k"}) {
        if (!table.column(column))
            return Error{.what = std::string("has no column ") + column,
                .where = table.where,
                .accepted = "gpu, type, m, n, k, seconds or tflops, batch"};
    }
    std::vector<ProductTable> tables;
    std::map<std::string, ProductTable> byGpu;
    for (const CsvRow &record : table.rows) {
        const Row row{table, record};
        const Result<Gpu> gpu = catalogue.gpu(std::string(row.text("gpu")));
        if (!gpu)
            return Error{.what = gpu.error().what, .where = table.place(record), .accepted = gpu.error().accepted};
        const Result<MeasuredProduct> product = productOf(row);
        if (!product)
            return product.error();
        ProductTable &own = byGpu[gpu->id];
        own.gpu = gpu->id;
        if (const std::string why = whyLeftOut(*product, *gpu); why.empty())
            own.products.push_back(*product);
        else
            own.leftOut.push_back(table.place(record) + " " + why);
    }
    for (const auto &[id, own] : byGpu)
        addProducts(tables, own);
    return tables;
}

void addProducts(std::vector<ProductTable> &tables, const ProductTable &more)
{
    auto own = std::find_if(tables.begin(), tables.end(), [&](const ProductTable &t) { return t.gpu == more.gpu; });
    if (own == tables.end())
        own = tables.insert(tables.end(), ProductTable{.gpu = more.gpu});
    own->products.insert(own->products.end(), more.products.begin(), more.products.end());
    own->leftOut.insert(own->leftOut.end(), more.leftOut.begin(), more.leftOut.end());
    settle(own->products);
}

std::string toCsv(const std::vector<ProductTable> &tables)
{
    std::string csv = csvRecord(std::array<std::string, 7>{"gpu", "type", "m", "n", "k", "batch", "seconds"});
    for (const ProductTable &table : tables) {
        for (const MeasuredProduct &p : table.products)
            csv += csvRecord(std::array<std::string, 7>{table.gpu, std::string(enumName(p.type)), std::to_string(p.m),
                std::to_string(p.n), std::to_string(p.k), std::to_string(p.batch), formatExact(p.seconds)});
    }
    return csv;
}

} // namespace slipway
