// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/tables.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/yaml_row.h"
#include "model/model_yaml.h"
#include "model/validate_model.h"

namespace slipway {

namespace {

std::optional<double> times(std::optional<double> value, double factor)
{
    return value ? std::optional(*value * factor) : std::nullopt;
}

std::optional<Bytes> bytesOf(std::optional<double> value, double unit)
{
    return value ? std::optional(static_cast<Bytes>(*value * unit)) : std::nullopt;
}

// Reads every record of a table with one function. A file that is not a list is an error.
template<typename Record, typename Read>
Result<std::vector<Record>> readRows(const YamlNode &list, const std::string &where, Read read)
{
    if (list.kind != YamlNode::Kind::Sequence)
        return Error{.what = "is not a list",
            .where = where + ":" + std::to_string(list.line),
            .accepted = "a list of records (- key: value)"};
    std::vector<Record> records;
    records.reserve(list.items.size());
    for (const YamlNode &item : list.items) {
        YamlRow row(item, where);
        records.push_back(read(row, item));
        if (const Result<void> finished = row.finish(); !finished)
            return finished.error();
    }
    return records;
}

// The memory that torch reports. If it is not known, the driver's value, or the one in the name.
Bytes memoryOf(std::optional<double> torchGib, std::optional<double> driverMib, double nominalGb)
{
    if (torchGib)
        return static_cast<Bytes>(*torchGib * static_cast<double>(kGiB));
    if (driverMib)
        return static_cast<Bytes>(*driverMib * static_cast<double>(kMiB));
    return static_cast<Bytes>(nominalGb * static_cast<double>(kGiB));
}

// Tables of earlier versions describe the links in words.
std::optional<LinkKind> linkKindInWords(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, LinkKind>, 9> kWords{
        {{"NVLS", LinkKind::SwitchSharp}, {"NVSwitch", LinkKind::Switch}, {"pairs only", LinkKind::Pairs},
            {"hybrid cube mesh", LinkKind::CubeMesh}, {"all-to-all", LinkKind::AllToAll}, {"bridge", LinkKind::Bridge},
            {"PCIe", LinkKind::Pcie}, {"NVLink", LinkKind::Links}, {"xGMI", LinkKind::Links}}};
    const auto found = std::find_if(kWords.begin(), kWords.end(),
        [text](const auto &word) { return text.find(word.first) != std::string_view::npos; });
    if (found != kWords.end())
        return found->second;
    return text.empty() || text.starts_with("none") ? std::optional(LinkKind::None) : std::nullopt;
}

void readLink(YamlRow &row, int line, LinkKind &kind, std::string &link)
{
    const std::string text = row.text("link_kind");
    link = row.text("link");
    if (const auto known = enumFromName<LinkKind>(text)) {
        kind = *known;
        return;
    }
    const std::optional<LinkKind> described = linkKindInWords(text);
    if (!described)
        row.fail(line, "'link_kind' is '" + text.substr(0, 60) + "'", enumChoices<LinkKind>());
    kind = described.value_or(LinkKind::None);
    link = link.empty() ? text : link;
}

Gpu gpuOf(YamlRow &row, const YamlNode &item)
{
    constexpr double giga = 1e9, tera = 1e12;
    Gpu gpu;
    gpu.id = row.requiredText("id");
    gpu.name = row.requiredText("name");
    gpu.vendor = row.text("vendor");
    gpu.aliases = row.texts("aliases");
    gpu.priceListNames = row.texts("price_list_names");
    gpu.inSmallMachines = row.text("in_small_machines");
    gpu.arch = row.text("arch");
    gpu.computeCapability = row.text("compute_capability");
    gpu.nominalGb = row.requiredAmount("nominal_gb");
    const auto driverMib = row.amount("memory_driver_mib");
    gpu.memoryBytes = memoryOf(row.amount("memory_torch_gib"), driverMib, gpu.nominalGb);
    gpu.memoryBandwidth = row.requiredAmount("bandwidth_gb_s") * giga;
    gpu.memoryBandwidthMeasured = times(row.amount("bandwidth_measured_gb_s"), giga);
    const auto bf16 = row.amount("bf16_tflops"), fp16 = row.amount("fp16_tflops");
    if (!bf16 && !fp16)
        row.fail(item.line, "neither 'bf16_tflops' nor 'fp16_tflops' is given", "one of them");
    gpu.bf16Flops = bf16.value_or(fp16.value_or(0)) * tera;
    gpu.fp8Flops = times(row.amount("fp8_tflops"), tera);
    gpu.tf32Flops = times(row.amount("tf32_tflops"), tera);
    gpu.fp32Flops = row.requiredAmount("fp32_tflops") * tera;
    gpu.matmulAchievedFlops = times(row.amount("matmul_tflops"), tera);
    gpu.multiprocessors = row.requiredInteger("multiprocessors");
    gpu.l2Bytes = bytesOf(row.amount("l2_mb"), static_cast<double>(kMiB));
    gpu.linkBandwidth = row.amount("link_gb_s").value_or(0) * giga;
    readLink(row, item.line, gpu.linkKind, gpu.link);
    gpu.pcieGeneration = row.integer("pcie_generation");
    gpu.tdpWatts = row.amount("tdp_w");
    gpu.contextBytes = bytesOf(row.amount("context_mib"), static_cast<double>(kMiB));
    gpu.source = row.requiredText("source");
    gpu.notes = row.text("notes");
    row.ignore({"bandwidth_measured_how", "matmul_how"});
    return gpu;
}

Node nodeOf(YamlRow &row, const YamlNode &item)
{
    constexpr double giga = 1e9;
    Node node;
    node.id = row.requiredText("id");
    node.provider = row.text("provider");
    node.gpu = row.text("gpu");
    node.gpus = row.requiredInteger("gpus");
    readLink(row, item.line, node.linkKind, node.link);
    node.linkBandwidth = times(row.amount("link_gb_s"), giga);
    node.networkKind = row.text("network");
    node.networkBandwidth = times(row.amount("network_gbps"), giga / 8);
    node.allReduceBusBandwidth = times(row.amount("all_reduce_gb_s"), giga);
    node.allReduceBusBandwidth16MiB = times(row.amount("all_reduce_16mib_gb_s"), giga);
    node.allReduceBusBandwidth1MiB = times(row.amount("all_reduce_1mib_gb_s"), giga);
    node.multiNodeAllReduceBusBandwidth = times(row.amount("multi_node_all_reduce_gb_s"), giga);
    node.multiNodes = row.integer("multi_nodes");
    node.measuredHow = row.text("measured_how");
    node.source = row.requiredText("source");
    node.notes = row.text("notes");
    row.ignore({"nics", "host_to_device_gb_s", "nvswitch"});
    return node;
}

CatalogueModel modelOf(YamlRow &row, const YamlNode &item)
{
    CatalogueModel model;
    model.spec = modelFromRow(row);
    model.preset = row.boolean("preset", false);
    model.family = row.text("family");
    model.huggingFaceId = row.text("hugging_face");
    model.source = row.requiredText("source");
    const double published = row.requiredNumber("params");
    row.ignore({"notes"});
    if (model.spec.name.empty())
        row.fail(item.line, "the key 'name' is missing", "");
    if (const Result<void> valid = validateModel(model.spec); !valid)
        row.fail(item.line, valid.error().where + ": " + valid.error().what, valid.error().accepted);
    else if (static_cast<double>(parameterCount(model.spec)) != published)
        row.fail(item.line,
            "the shape of " + model.spec.name + " has " + std::to_string(parameterCount(model.spec)) +
                " parameters, which differs from 'params'",
            "");
    return model;
}

Price priceOf(
    YamlRow &row, int line, const PriceBook &book, bool spot, const std::map<std::string, std::string> &sources)
{
    Price price;
    price.book = book.id;
    price.spot = spot;
    price.gpu = row.requiredText("gpu");
    price.usdPerGpuHour = row.requiredNumber("usd");
    if (price.usdPerGpuHour < 0)
        row.fail(line, "'usd' is negative", "US dollars per GPU-hour, 0 or more");
    price.gpus = row.integer("gpus").value_or(0);
    price.instance = row.text("instance");
    price.region = row.text("region");
    price.asOf = row.text("as_of");
    if (price.asOf.empty())
        price.asOf = book.asOf;
    price.source = row.requiredText("source");
    if (const auto named = sources.find(price.source); named != sources.end())
        price.source = named->second;
    price.notes = row.text("notes");
    return price;
}

// Reads the records that `read` recognizes. The others belong to another table.
template<typename Law, typename Read>
Result<std::vector<Law>> readLaws(const YamlNode &file, const std::string &where, Read read)
{
    if (file.kind != YamlNode::Kind::Sequence)
        return Error{.what = "is not a list", .where = where, .accepted = "a list of records (- key: value)"};
    std::vector<Law> laws;
    for (const YamlNode &item : file.items) {
        YamlRow row(item, where);
        std::optional<Law> law = read(row, row.requiredText("id"));
        if (!law)
            continue;
        if (const Result<void> finished = row.finish(); !finished)
            return finished.error();
        laws.push_back(*std::move(law));
    }
    return laws;
}

} // namespace

Result<std::vector<Gpu>> gpusOf(const YamlNode &file, const std::string &where)
{
    return readRows<Gpu>(file, where, gpuOf);
}

Result<std::vector<Node>> nodesOf(const YamlNode &file, const std::string &where)
{
    return readRows<Node>(file, where, nodeOf);
}

Result<std::vector<CatalogueModel>> modelsOf(const YamlNode &file, const std::string &where)
{
    return readRows<CatalogueModel>(file, where, modelOf);
}

Result<std::vector<PriceBook>> priceBooksOf(const YamlNode &file, const std::string &where)
{
    YamlRow top(file, where);
    std::map<std::string, std::string> sources;
    if (const YamlNode *table = top.child("sources")) {
        for (std::size_t i = 0; i < table->keys.size(); ++i)
            sources[table->keys[i]] = table->items[i].scalar;
    }
    const YamlNode *books = top.child("books");
    if (const Result<void> finished = top.finish(); !finished)
        return finished.error();
    if (!books)
        return Error{.what = "the key 'books' is missing", .where = where};
    std::optional<Error> failure;
    auto read = readRows<PriceBook>(*books, where, [&](YamlRow &row, const YamlNode &) {
        PriceBook book;
        book.id = row.requiredText("id");
        book.title = row.requiredText("title");
        book.asOf = row.requiredText("as_of");
        book.notes = row.text("notes");
        book.ratiosOnly = row.boolean("ratios_only", false);
        book.medians = row.boolean("medians", false);
        const bool spot = row.boolean("spot", false);
        if (const YamlNode *list = row.child("prices")) {
            std::map<std::string, int> lines; // line by what the row prices
            auto prices = readRows<Price>(*list, where, [&](YamlRow &priceRow, const YamlNode &item) {
                Price price = priceOf(priceRow, item.line, book, spot, sources);
                const auto [first, isNew] = lines.emplace(
                    price.gpu + '|' + std::to_string(price.gpus) + '|' + price.instance + '|' + price.region,
                    item.line);
                if (!isNew)
                    priceRow.fail(item.line,
                        "prices " + price.gpu + " as line " + std::to_string(first->second) + " does",
                        "one row for each GPU, instance and region");
                return price;
            });
            if (prices)
                book.prices = *std::move(prices);
            else if (!failure)
                failure = prices.error();
        }
        return book;
    });
    if (failure)
        return *failure;
    return read;
}

Result<std::vector<ScalingLaw>> scalingLawsOf(const YamlNode &file, const std::string &where)
{
    return readLaws<ScalingLaw>(file, where, [](YamlRow &row, const std::string &id) -> std::optional<ScalingLaw> {
        const std::string form = row.text("form");
        const bool sum = form == "L(N,D)=E+A/N^alpha+B/D^beta",
                   kaplan = form == "L(N,D)=[(Nc/N)^(alphaN/alphaD)+Dc/D]^alphaD";
        if (!sum && !kaplan)
            return std::nullopt; // laws of batch size, learning rate and allocation have other columns
        ScalingLaw law{.id = id, .title = row.requiredText("title"), .form = sum ? LossForm::Sum : LossForm::Kaplan};
        if (sum)
            law.e = row.requiredNumber("E");
        law.a = row.requiredNumber(sum ? "A" : "Nc");
        law.b = row.requiredNumber(sum ? "B" : "Dc");
        law.alpha = row.requiredNumber("alpha");
        law.beta = row.requiredNumber("beta");
        law.seE = row.number("se_E");
        law.seAlpha = row.number("se_alpha");
        law.seBeta = row.number("se_beta");
        law.parametersLow = row.number("fit_params_low").value_or(0);
        law.parametersHigh = row.number("fit_params_high").value_or(0);
        law.tokensLow = row.number("fit_tokens_low").value_or(0);
        law.tokensHigh = row.number("fit_tokens_high").value_or(0);
        law.fitRange = row.text("fit_range");
        law.source = row.requiredText("source");
        row.ignore({"kind", "units", "se_A", "se_B", "N_opt_exponent_a", "verified", "notes"});
        return law;
    });
}

Result<std::vector<BatchLaw>> batchLawsOf(const YamlNode &file, const std::string &where)
{
    return readLaws<BatchLaw>(file, where, [](YamlRow &row, const std::string &id) -> std::optional<BatchLaw> {
        const std::string kind = row.text("kind");
        const auto exponent = row.number("batch_exponent");
        if (!exponent)
            return std::nullopt;
        BatchLaw law{.id = id, .title = row.requiredText("title"), .critical = kind == "critical_batch"};
        law.of = row.choice("batch_of", BatchVariable::OfTokens);
        law.coefficient = row.number("batch_coefficient");
        law.exponent = *exponent;
        law.fitRange = row.text("fit_range");
        law.source = row.requiredText("source");
        row.ignore({"form", "units", "verified", "notes", "alpha", "beta", "eta_coef", "b_low", "b_high"});
        return law;
    });
}

} // namespace slipway
