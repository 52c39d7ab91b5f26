// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Exports of W&B and TensorBoard. The first line of the input is the file's name, which says its form.
#include "runs/imported_run.h"

#include <algorithm>

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const TemporaryDirectory folder;
    const auto [name, text] = splitChoice(textOf(data, size));
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 127 && c != '/'; });
    if (name.empty() || name.size() > 60 || name == "." || name == ".." || !plain)
        return 0;
    const std::filesystem::path file = folder.path() / name;
    writeText(file, text);
    const Result<ImportedMetrics> read = readExports({file});
    std::filesystem::remove(file);
    if (!read)
        return 0;
    const auto bySteps = [](const StepMetrics &a, const StepMetrics &b) { return a.step < b.step; };
    require(std::is_sorted(read->metrics.begin(), read->metrics.end(), bySteps), "steps rise");
    for (const StepMetrics &metrics : read->metrics)
        require(static_cast<bool>(stepMetricsFromJson(toJsonLine(metrics))), "imported metrics can be read again");
    return 0;
}
