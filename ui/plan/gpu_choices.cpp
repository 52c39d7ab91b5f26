// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/gpu_choices.h"

#include <QCollator>

#include <algorithm>

#include "base/text.h"
#include "ui/language/local_text.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

// A card is listed before its variants: "GeForce RTX 4090 PCIe" before "GeForce RTX 4090 48GB (modified)".
QString withoutBus(const QString &name)
{
    const QString bus = QStringLiteral(" PCIe");
    return name.endsWith(bus) ? name.chopped(bus.size()) : name;
}

} // namespace

std::vector<Choice> gpuChoices(const Catalogue &catalogue)
{
    std::vector<Choice> choices;
    for (const Gpu &gpu : catalogue.gpus)
        choices.push_back(
            {qs(gpu.id), qs(gpu.name), localText(formatBytes(gpu.memoryBytes)) + QStringLiteral(" · ") + qs(gpu.id)});
    QCollator order{QLocale(QLocale::English)}; // the titles are the same in every language
    order.setNumericMode(true);                 // sorts A10 before A100
    order.setCaseSensitivity(Qt::CaseInsensitive);
    const auto processor = std::stable_partition(
        choices.begin(), choices.end(), [](const Choice &choice) { return choice.value != QStringLiteral("cpu"); });
    std::stable_sort(choices.begin(), processor, [&order](const Choice &a, const Choice &b) {
        return order.compare(withoutBus(a.shown), withoutBus(b.shown)) < 0;
    });
    return choices;
}

} // namespace slipway::ui
