// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/measured_card.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "hardware/card_name.h"

namespace slipway {

namespace {

// Whether a row says anywhere how its card is mounted.
bool saysForm(const RowReader &r)
{
    constexpr std::array<const char *, 5> kColumns{"gpu", "interconnect", "source_path_or_section", "model_name", "notes"};
    return std::any_of(kColumns.begin(), kColumns.end(), [&](const char *column) { return namesForm(r.text(column)); });
}

// Bridges are sold for the card; a row that names the bus alone has none.
void readBridges(RowReader &r, Gpu &gpu)
{
    const std::string cell = toLower(r.text("interconnect"));
    const auto names = [&](std::string_view word) { return cell.find(word) != std::string::npos; };
    if (names("pci") && !names("nvlink") && !names("bridge") && gpu.linkKind.find("pairs only") != std::string::npos && gpu.linkBandwidth > 0) {
        gpu.linkBandwidth = 0;
        r.assume("cards that meet over the bus");
    }
}

} // namespace

std::map<std::string, int, std::less<>> largestRuns(const CsvTable &table)
{
    std::map<std::string, int, std::less<>> largest;
    for (const CsvRow &row : table.rows) {
        const auto cards = parseInteger(trimmed(table.cell(row, "n_gpus")));
        int &most = largest[std::string(trimmed(table.cell(row, "source_repo_or_paper")))];
        if (cards && *cards > most)
            most = static_cast<int>(std::min<std::int64_t>(*cards, 1'000'000));
    }
    return largest;
}

void readCard(RowReader &r, const Catalogue &catalogue, int largestRun, MeasuredRow &out)
{
    out.gpu = std::string(r.text("gpu"));
    const Result<Gpu> named = catalogue.gpu(out.gpu);
    if (!named) {
        r.skip("gpu '" + out.gpu + "' is not in the catalogue");
        return;
    }
    out.subject.gpu = *named;
    const bool nothingSaid = !r.has("attention") && !r.has("compiled");
    if (!named->inSmallMachines.empty() && nothingSaid && largestRun > 0 && largestRun <= kSmallMachine && named->id != r.word("gpu") && !saysForm(r)) {
        if (const Result<Gpu> usual = catalogue.gpu(named->inSmallMachines)) {
            out.subject.gpu = *usual;
            r.assume("gpu " + usual->id + ", as machines of up to four have it");
        }
    }
    readBridges(r, out.subject.gpu);
}

} // namespace slipway
