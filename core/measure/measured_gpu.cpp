// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/measured_gpu.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "hardware/gpu_name.h"
#include "measure/note_text.h"

namespace slipway {

namespace {

// Whether any column tells the form factor of the GPU.
bool saysForm(const RowReader &r)
{
    constexpr std::array<const char *, 5> kColumns{
        "gpu", "interconnect", "source_path_or_section", "model_name", "notes"};
    return std::any_of(
        kColumns.begin(), kColumns.end(), [&](const char *column) { return mentionsFormFactor(r.text(column)); });
}

// NVLink bridges exist for this GPU. A row that names only the bus has none.
void readBridges(RowReader &r, Gpu &gpu)
{
    const std::string cell = toLower(r.text("interconnect"));
    const auto names = [&](std::string_view word) { return cell.find(word) != std::string::npos; };
    if (names("pci") && !names("nvlink") && !names("bridge") && gpu.linkKind == LinkKind::Pairs &&
        gpu.linkBandwidth > 0) {
        gpu.linkBandwidth = 0;
        r.assume("GPUs connected over PCIe");
    }
}

// "aws-p4d.24xlarge" -> "p4d.24xlarge", the provider's own name.
std::string instanceOf(const Node &node)
{
    const std::string id = toLower(node.id), provider = toLower(node.provider) + "-";
    return id.starts_with(provider) ? id.substr(provider.size()) : id;
}

// If a row names the instance, it has the network of the instance. It also has its links where these are not the GPU's
// own.
void readInstance(RowReader &r, const Catalogue &catalogue, MeasuredRow &out)
{
    const std::string text = r.lowered({"interconnect", "source_path_or_section", "model_name", "notes"});
    RunConfig &c = out.resolved.config;
    const auto node = std::find_if(catalogue.nodes.begin(), catalogue.nodes.end(), [&](const Node &n) {
        return n.gpu == out.resolved.gpu.id && n.gpus == c.parallel.gpusPerNode && has(text, instanceOf(n));
    });
    if (node == catalogue.nodes.end())
        return;
    if (node->linkBandwidth && *node->linkBandwidth != out.resolved.gpu.linkBandwidth) {
        out.resolved.gpu.linkBandwidth = *node->linkBandwidth;
        out.resolved.gpu.linkKind = node->linkKind;
        out.resolved.gpu.link = node->link;
        r.assume("links of " + node->id);
    }
    if (node->networkBandwidth && !c.networkGbps && c.parallel.gpus > c.parallel.gpusPerNode) {
        c.networkGbps = *node->networkBandwidth * 8 / 1e9;
        r.assume("network of " + node->id);
    }
}

} // namespace

std::map<std::string, int, std::less<>> largestRuns(const CsvTable &table)
{
    std::map<std::string, int, std::less<>> largest;
    for (const CsvRow &row : table.rows) {
        const auto gpus = parseInteger(trimmed(table.cell(row, "n_gpus")));
        int &most = largest[std::string(trimmed(table.cell(row, "source_repo_or_paper")))];
        if (gpus && *gpus > most)
            most = static_cast<int>(std::min<std::int64_t>(*gpus, 1'000'000));
    }
    return largest;
}

void readGpu(RowReader &r, const Catalogue &catalogue, int largestRun, MeasuredRow &out)
{
    out.gpu = std::string(r.text("gpu"));
    const Result<Gpu> named = catalogue.gpu(out.gpu);
    if (!named) {
        r.skip("gpu '" + out.gpu + "' is not in the catalogue");
        return;
    }
    out.resolved.gpu = *named;
    const bool nothingSaid = !r.has("attention") && !r.has("compiled");
    if (!named->inSmallMachines.empty() && nothingSaid && largestRun > 0 && largestRun <= kSmallMachine &&
        named->id != r.word("gpu") && !saysForm(r)) {
        if (const Result<Gpu> usual = catalogue.gpu(named->inSmallMachines)) {
            out.resolved.gpu = *usual;
            r.assume("gpu " + usual->id + ", which is usual in machines with up to four GPUs");
        }
    }
    readBridges(r, out.resolved.gpu);
    readInstance(r, catalogue, out);
}

} // namespace slipway
