// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/computation_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>

#include "base/text.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

// Joins the parts, such as "406.0 ms GEMM + 317.0 ms attention".
QString sumOf(const std::vector<LegendEntry> &parts)
{
    QStringList terms;
    for (const LegendEntry &part : parts)
        terms << part.value + u' ' + inSentence(part.name);
    return terms.join(QStringLiteral(" + "));
}

QString rangeText(const QString &low, const QString &high) { return tr("P10–P90: %1 to %2.").arg(low, high); }

Computation memoryComputation(const Prediction &p)
{
    const MemoryPrediction &memory = p.memory;
    const auto bytes = [](Bytes value) { return bytesText(static_cast<double>(value)); };
    return {tr("Peak memory"),
        tr("tensors at the peak + memory that the allocator reserves beyond them + memory outside the allocator"),
        sumOf(partsOf(memoryBar(p))) + QStringLiteral(" = ") + bytes(memory.peak),
        tr("Slipway replays every allocation of the step by the rules of PyTorch's caching allocator.") + u' ' +
            rangeText(bytes(memory.peakP10), bytes(memory.peakP90)) + u' ' +
            tr("The probability that the run needs more than %1 is %2 %.")
                .arg(bytes(memory.capacity), localNumber(100 * memory.oomProbability, 0))};
}

// What offloading takes on a node.
std::vector<Computation> hostComputations(const Prediction &p)
{
    const HostMemory &host = p.memory.host;
    const auto bytes = [](Bytes value) { return bytesText(static_cast<double>(value)); };
    QStringList parts;
    for (std::size_t role = 0; role < host.size(); ++role) {
        if (host[role] > 0)
            parts << bytes(host[role]) + u' ' + inSentence(roleName(static_cast<Role>(role)));
    }
    if (parts.isEmpty())
        return {};
    return {{tr("Host memory per node"), tr("offloaded tensors of all ranks of a node"),
        parts.join(QStringLiteral(" + ")) + QStringLiteral(" = ") + bytes(hostBytes(host)),
        tr("The sum is that of the node whose ranks need most. Buffers for copies and the data loader are not "
           "counted.")}};
}

std::vector<Computation> speedComputations(const Prediction &p)
{
    const SpeedPrediction &speed = p.speed;
    const auto seconds = [](Seconds value) { return localText(formatSeconds(value)); };
    const auto count = [](double value) { return localText(formatCount(value)); };
    const auto tokens = static_cast<double>(p.config.tokensPerStep());
    return {{tr("Step time"), tr("kernel times + exposed communication + idle time between kernels"),
                sumOf(partsOf(timeBar(p))) + QStringLiteral(" = ") + seconds(speed.step),
                tr("Speed is %1.").arg(originName(p.speedOrigin)) + u' ' +
                    rangeText(seconds(speed.stepP10), seconds(speed.stepP90))},
        {tr("Throughput"), tr("tokens per step ÷ step time"),
            tr("%1 tokens ÷ %2 = %3 tokens/s").arg(count(tokens), seconds(speed.step), count(speed.tokensPerSecond)),
            tr("Tokens per step: micro-batch %1 × accumulation %2 × %3 data-parallel ranks × %4 tokens.")
                .arg(p.config.microBatch)
                .arg(p.config.gradAccum)
                .arg(p.config.parallel.dataParallel())
                .arg(p.config.seqLen)},
        {tr("MFU"),
            p.config.trainsAdapters()
                ? tr("(4 × frozen matmul parameters + 6 × adapter parameters + 12 × layers × heads × head dimension × "
                     "sequence length) × tokens/s ÷ peak FLOP/s")
                : tr("(6 × matmul parameters + 12 × layers × heads × head dimension × sequence length) × tokens/s ÷ "
                     "peak FLOP/s"),
            tr("%1 tokens/s per GPU give %2 % of %3 FLOP/s")
                .arg(count(speed.tokensPerSecondPerGpu), localNumber(100 * speed.mfu, 1), count(p.gpu.bf16Flops)),
            (p.config.gpu == "cpu"
                    ? tr("Peak: fp32 rate of this CPU, measured or estimated.")
                    : tr("Peak: dense bf16 rate of the %1 according to its data sheet.").arg(qs(p.gpu.name))) +
                u' ' + tr("Formula: Chowdhery et al. 2022, appendix B.")}};
}

std::vector<Computation> costComputations(const Prediction &p)
{
    const CostPrediction &cost = p.cost;
    const auto count = [](double value) { return localText(formatCount(value)); };
    const auto money = [&](Usd amount) { return moneyText(amount, cost.relative); };
    const QString time = localText(formatSeconds(cost.hours * 3600));
    std::vector<Computation> all;
    if (cost.hours > 0)
        all.push_back({tr("Training time"), tr("token budget ÷ throughput"),
            tr("%1 tokens ÷ %2 tokens/s = %3")
                .arg(count(static_cast<double>(cost.tokens)), count(p.speed.tokensPerSecond), time),
            p.config.tokens || p.config.usdBudget || p.config.training.steps
                ? tr("The token budget follows from your settings.")
                : tr("Token budget: 20 tokens per active parameter (Hoffmann et al. 2022).")});
    if (!cost.usdPerHour)
        return all;
    const QString price = tr("Price: %1 per hour for all GPUs, from the price book '%2' (%3).")
                              .arg(money(*cost.usdPerHour), qs(cost.priceBook), localDate(cost.priceDate));
    if (cost.usdPerBillionTokens)
        all.push_back({tr("Per 1B tokens"), tr("price per hour ÷ tokens per hour"),
            tr("%1 ÷ %2 tokens × 1B = %3")
                .arg(money(*cost.usdPerHour), count(p.speed.tokensPerSecond * 3600), money(*cost.usdPerBillionTokens)),
            price});
    if (cost.usd)
        all.push_back({tr("Training cost"), tr("training time × price per hour"),
            tr("%1 × %2 = %3").arg(time, money(*cost.usdPerHour), money(*cost.usd)), price});
    return all;
}

} // namespace

std::vector<Computation> computationsOf(const Prediction &prediction)
{
    std::vector<Computation> all{memoryComputation(prediction)};
    for (std::vector<Computation> some :
        {hostComputations(prediction), speedComputations(prediction), costComputations(prediction)})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

ComputationDialog::ComputationDialog(const Prediction &prediction, QWidget *parent)
    : QDialog(parent),
      m_table(makePlainTable({tr("Figure"), tr("Formula"), tr("With this plan's numbers"), tr("Inputs")},
          tr("How the figures are computed")))
{
    setWindowTitle(tr("How the figures are computed"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(withinScreen(*this, {1080, 620}));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(10);
    column->addWidget(m_table, 1);
    const std::vector<Computation> all = computationsOf(prediction);
    m_table->setRowCount(static_cast<int>(all.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const Computation &one = all[static_cast<std::size_t>(row)];
        setCell(*m_table, row, 0, one.figure)->setFont(fontOf(TextKind::Strong));
        setCell(*m_table, row, 1, one.formula);
        setCell(*m_table, row, 2, one.numbers);
        setCell(*m_table, row, 3, one.inputs);
        for (int cell = 0; cell < m_table->columnCount(); ++cell)
            m_table->item(row, cell)->setTextAlignment(Qt::AlignLeft | Qt::AlignTop);
    }
    m_table->setWordWrap(true);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    // The longest title sets the minimum, because a stretched column could otherwise be narrower than its title.
    m_table->horizontalHeader()->setMinimumSectionSize(m_table->horizontalHeader()->sectionSizeHint(2));
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
}

} // namespace slipway::ui
