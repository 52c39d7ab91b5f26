// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/plan_display.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "config/resolve_model.h"
#include "predict/predict.h"
#include "ui/charts/ticks.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

QString span(const QString &low, const QString &high) { return low + QStringLiteral(" – ") + high; }

// Formats both ends in the unit of `value`, so that the range stays short: "14.5 – 31.0 h".
QString secondsSpan(Seconds low, Seconds high, Seconds value)
{
    struct Unit {
        double seconds;
        const char *name;
    };
    static constexpr std::array units{Unit{86400, QT_TRANSLATE_NOOP("slipway::ui", "days")}, Unit{3600, "h"},
        Unit{60, "min"}, Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}};
    const auto unit = std::find_if(units.begin(), units.end() - 1,
        [value](const Unit &u) { return value >= u.seconds * (u.seconds == 86400 ? 2 : 1); });
    const auto digits = [&](Seconds end) {
        return localNumber(end / unit->seconds, high / unit->seconds >= 99.5 ? 0 : 1);
    };
    return span(digits(low), digits(high)) + u' ' +
           (unit == units.begin() ? tr(unit->name) : QString::fromUtf8(unit->name));
}

QString priced(const std::string &dollars, bool relative)
{
    return relative ? tr("%1 units").arg(localText(qs(dollars).remove(u'$'))) : localText(dollars);
}

// Formats a range of amounts, with cents only below $100.
QString moneySpan(Usd low, Usd high, bool relative)
{
    if (high < 100)
        return span(moneyText(low, relative), moneyText(high, relative));
    const auto whole = [relative](Usd amount) {
        const std::string dollars = formatUsd(std::round(amount));
        return priced(dollars.ends_with(".00") ? dollars.substr(0, dollars.size() - 3) : dollars, relative);
    };
    return span(whole(low), whole(high));
}

QString percent(double fraction) { return localNumber(fraction * 100.0, fraction < 0.0995 ? 2 : 1); }

QString instantText(const Instant &instant)
{
    QString text = qs(instant.op);
    if (instant.layer >= 0)
        text += tr(", layer %1").arg(instant.layer);
    return tr("%1 phase (%2)").arg(inSentence(phaseName(instant.phase)), text);
}

VerdictDisplay verdictDisplay(const MemoryPrediction &memory)
{
    VerdictDisplay view;
    const QString capacity = bytesText(static_cast<double>(memory.capacity));
    const QString room = bytesText(std::abs(static_cast<double>(memory.headroom)));
    switch (memory.verdict) {
    case Verdict::Fits:
        view = {tr("Fits"), Pill::Tone::Good, tr("%1 of %2 remains free at peak").arg(room, capacity), {}};
        break;
    case Verdict::Tight:
        view = {tr("Tight"), Pill::Tone::Warn,
            memory.headroom >= 0 ? tr("Only %1 of %2 remains free at peak").arg(room, capacity)
                                 : tr("Peak memory exceeds the available %1 by %2").arg(capacity, room),
            {}};
        break;
    case Verdict::Oom:
        view = {tr("Out of memory"), Pill::Tone::Bad,
            tr("Peak memory exceeds the available %1 by %2").arg(capacity, room), {}};
        break;
    }
    view.detail =
        tr("Peak memory is %1 (P10–P90: %2), reached in the %3.")
            .arg(bytesText(static_cast<double>(memory.peak)),
                span(bytesText(static_cast<double>(memory.peakP10)), bytesText(static_cast<double>(memory.peakP90))),
                instantText(memory.peakAt));
    view.detail += u' ' + (memory.maxMicroBatch > 0
                                  ? tr("The largest micro-batch that fits is %1.").arg(grouped(memory.maxMicroBatch))
                                  : tr("No micro-batch size fits."));
    return view;
}

// Marks a figure of a plan that does not fit, because no GPU of this kind reaches it.
QString ifItFits(const Prediction &p, const QString &label)
{
    return p.memory.verdict == Verdict::Oom ? tr("%1 if it fitted").arg(label) : label;
}

MetricDisplay priceFigure(const Prediction &p)
{
    const CostPrediction &cost = p.cost;
    MetricDisplay figure{
        .label = ifItFits(p, tr("Per 1B tokens")), .value = QStringLiteral("–"), .source = Source::Quoted};
    if (cost.usdPerBillionTokens)
        figure.value = moneyText(*cost.usdPerBillionTokens, cost.relative);
    figure.detail = cost.usdPerHour ? tr("at %1/h").arg(moneyText(*cost.usdPerHour, cost.relative)) : tr("no price");
    figure.tip = tr("Hourly price from the price book '%1' (%2), divided by the predicted throughput.")
                     .arg(qs(cost.priceBook), localDate(cost.priceDate));
    return figure;
}

// The factors that lead from a value proportional to the step time to its p10 and p90.
struct StepScale {
    double low = 1.0, high = 1.0;
};

StepScale stepScale(const SpeedPrediction &speed)
{
    return speed.step > 0 ? StepScale{speed.stepP10 / speed.step, speed.stepP90 / speed.step} : StepScale{};
}

MetricDisplay timeFigure(const Prediction &p)
{
    const StepScale scale = stepScale(p.speed);
    const Seconds seconds = p.cost.hours * 3600.0;
    MetricDisplay figure{.label = ifItFits(p, tr("Training time")), .value = QStringLiteral("–")};
    if (seconds > 0) {
        figure.value = localText(formatSeconds(seconds));
        figure.detail = secondsSpan(seconds * scale.low, seconds * scale.high, seconds);
    }
    figure.tip = tr("Time to train on %1 tokens at this throughput, without evaluation, checkpoints and restarts.")
                     .arg(localText(formatCount(static_cast<double>(p.cost.tokens))));
    return figure;
}

MetricDisplay moneyFigure(const Prediction &p)
{
    MetricDisplay figure{
        .label = ifItFits(p, tr("Training cost")), .value = QStringLiteral("–"), .source = Source::Quoted};
    figure.tip = tr("All GPUs for the training time at the quoted price, without storage and idle time.");
    if (p.cost.usd) {
        const StepScale scale = stepScale(p.speed);
        figure.value = moneyText(*p.cost.usd, p.cost.relative);
        figure.detail = moneySpan(*p.cost.usd * scale.low, *p.cost.usd * scale.high, p.cost.relative);
    }
    return figure;
}

// Frozen weights need no weight-gradient GEMMs, so adapters have a formula of their own.
QString mfuTip(const Prediction &p)
{
    const QString formula =
        p.config.trainsAdapters()
            ? tr("MFU = (4 × frozen matmul parameters + 6 × adapter parameters + 12 × layers × heads × head dimension "
                 "× "
                 "sequence length) × tokens/s ÷ dense peak FLOP/s.")
            : tr("MFU = (6 × matmul parameters + 12 × layers × heads × head dimension × sequence length) × tokens/s ÷ "
                 "dense peak FLOP/s.");
    return formula + u' ' +
           tr("It is %1 % if only the causal half of attention is counted. HFU also counts recomputation.")
               .arg(percent(p.speed.mfuCausal));
}

std::vector<MetricDisplay> figures(const Prediction &p)
{
    const SpeedPrediction &s = p.speed;
    const auto tokens = static_cast<double>(p.config.tokensPerStep());
    std::vector<MetricDisplay> all;
    all.push_back({.label = ifItFits(p, tr("Throughput")),
        .value = localText(formatCount(s.tokensPerSecond)),
        .unit = tr("tokens/s"),
        .detail = s.stepP10 > 0
                      ? span(localText(formatCount(tokens / s.stepP90)), localText(formatCount(tokens / s.stepP10)))
                      : QString(),
        .tip = tr("Throughput of all GPUs, with its P10–P90 range. Each GPU processes %1 tokens/s.")
            .arg(localText(formatCount(s.tokensPerSecondPerGpu)))});
    all.push_back({.label = ifItFits(p, tr("MFU")),
        .value = percent(s.mfu),
        .unit = QStringLiteral("%"),
        .detail = tr("HFU %1 %").arg(percent(s.hfu)),
        .tip = mfuTip(p)});
    all.push_back({.label = ifItFits(p, s.launchBound ? tr("Step time (launch-bound)")
                                        : s.cudaGraph ? tr("Step time (CUDA graph)")
                                                      : tr("Step time")),
        .value = localText(formatSeconds(s.step)),
        .unit = {},
        .detail = secondsSpan(s.stepP10, s.stepP90, s.step),
        .tip = tr("Time of one training step over %1 tokens, with its P10–P90 range.")
            .arg(localText(formatCount(tokens)))});
    all.push_back(timeFigure(p));
    all.push_back(priceFigure(p));
    all.push_back(moneyFigure(p));
    return all;
}

QString lossSentence(const CostPrediction &cost)
{
    if (!cost.expectedLoss)
        return {};
    QString text =
        u' ' + tr("Expected loss after the token budget: %1 nats/token").arg(localNumber(*cost.expectedLoss, 2));
    if (cost.loss && cost.loss->low && cost.loss->high)
        text += tr(" (P10–P90: %1–%2)").arg(localNumber(*cost.loss->low, 2), localNumber(*cost.loss->high, 2));
    if (cost.loss)
        text += tr(", by %1%2")
                    .arg(coreText(cost.loss->lawTitle),
                        cost.loss->withinFit ? QString() : tr(", outside its fitted range"));
    text += u'.';
    if (cost.target)
        text +=
            u' ' +
            (cost.target->tokens
                    ? tr("Reaching a loss of %1 takes %2 tokens%3.")
                          .arg(QLocale().toString(cost.target->loss))
                          .arg(localText(formatCount(*cost.target->tokens)),
                              cost.target->usd ? tr(" and costs %1").arg(moneyText(*cost.target->usd, cost.relative))
                                               : QString())
                    : tr("A model of this size cannot reach a loss of %1.").arg(QLocale().toString(cost.target->loss)));
    return text;
}

QString faultSentence(const CostPrediction &cost)
{
    if (!(cost.hoursWithFaults > 0))
        return {};
    return u' ' + tr("Goodput with the assumed failures and checkpoints: %1 %. Training then takes %2%3.")
                      .arg(localNumber(100 * cost.goodput, 1))
                      .arg(localText(formatSeconds(cost.hoursWithFaults * 3600)),
                          cost.usdWithFaults ? tr(" and costs %1").arg(moneyText(*cost.usdWithFaults, cost.relative))
                                             : QString());
}

SuggestionDisplay suggestionDisplay(const Suggestion &suggestion, const Prediction &now, const Catalogue *tables)
{
    SuggestionDisplay view{.settings = suggestion.change};
    QStringList changes;
    for (const auto &[key, value] : suggestion.change)
        changes << settingName(key) + QStringLiteral(" → ") + namedValue(key, value, tables);
    view.change = changes.join(QStringLiteral(", "));
    view.why = withFieldNames(coreText(suggestion.why));
    const auto with = [](const QString &value, const QString &change) {
        return change.isEmpty() ? value : value + QStringLiteral("\n") + change;
    };
    view.peak = with(bytesText(static_cast<double>(suggestion.peak)),
        differenceText(static_cast<double>(suggestion.peak), static_cast<double>(now.memory.peak)));
    view.speed = with(tr("%1 tokens/s").arg(localText(formatCount(suggestion.tokensPerSecond))),
        differenceText(suggestion.tokensPerSecond, now.speed.tokensPerSecond));
    if (suggestion.usdPerBillionTokens)
        view.cost = with(tr("%1/1B tokens").arg(moneyText(*suggestion.usdPerBillionTokens, now.cost.relative)),
            differenceText(*suggestion.usdPerBillionTokens, now.cost.usdPerBillionTokens.value_or(0)));
    return view;
}

// Says what comes nearest to a plan that fits, if the search found none.
QString nothingFitsDisplay(const Prediction &prediction, const Catalogue *tables)
{
    if (!prediction.leastFound)
        return {};
    QStringList changes;
    for (const auto &[key, value] : prediction.leastFound->change)
        changes << settingName(key) + QStringLiteral(" → ") + namedValue(key, value, tables);
    const QString peak = bytesText(static_cast<double>(prediction.leastFound->peak));
    return tr("No configuration was found that fits in %1.")
               .arg(bytesText(static_cast<double>(prediction.memory.capacity))) +
           u' ' +
           (changes.isEmpty()
                   ? tr("The lowest peak found is %1, that of this plan.").arg(peak)
                   : tr("The lowest peak found is %1, with %2.").arg(peak, changes.join(QStringLiteral(", "))));
}

constexpr QRgb kRestLight = 0xffc9d1d9, kRestDark = 0xff4a5562, kOutsideLight = 0xff5f6b78, kOutsideDark = 0xffa9b4c0;

} // namespace

QString bytesText(double bytes) { return localText(formatBytes(static_cast<Bytes>(std::llround(bytes)))); }

QString moneyText(Usd amount, bool relative) { return priced(formatUsd(amount), relative); }

QString originName(Origin origin)
{
    switch (origin) {
    case Origin::Calibrated:
        return tr("calibrated on this device");
    case Origin::Published:
        return tr("based on published runs on this device");
    case Origin::Datasheet:
        return tr("estimated from the data sheet only");
    }
    return {};
}

QString differenceText(double after, double before)
{
    if (!(before > 0))
        return {};
    const double change = after / before - 1.0;
    if (std::abs(change) < 0.0005)
        return tr("same");
    const QString digits = localNumber(std::abs(change) * 100.0, std::abs(change) < 0.0995 ? 1 : 0);
    return (change < 0 ? QStringLiteral("−") : QStringLiteral("+")) + digits + QStringLiteral(" %");
}

QString namedValue(const std::string &key, const std::string &value, const Catalogue *tables)
{
    if (tables && key == "gpu") {
        const Result<Gpu> gpu = tables->gpu(value); // a grid or a file may name it by an alias
        return gpu ? qs(gpu->name) : qs(value);
    }
    if (tables && key == "prices") {
        const auto book = std::find_if(tables->priceBooks.begin(), tables->priceBooks.end(),
            [&](const PriceBook &one) { return one.id == value; });
        return book == tables->priceBooks.end() || book->title.empty() ? qs(value) : coreText(book->title);
    }
    return valueName(key, qs(value));
}

PlanDisplay planDisplay(const Prediction &prediction, const Catalogue *tables)
{
    PlanDisplay view;
    const ModelSpec &model = prediction.model;
    const QString size = localText(formatCount(static_cast<double>(parameterCount(model))));
    view.model =
        (isCustom(model) ? tr("Custom shape · %1 parameters · %2 layers · hidden size %3").arg(size)
                         : tr("%1 · %2 parameters · %3 layers · hidden size %4").arg(coreText(model.name), size))
            .arg(model.layers)
            .arg(model.hidden);
    view.hardware = tr("%1 × %2").arg(prediction.config.parallel.gpus).arg(qs(prediction.gpu.name));
    view.verdict = verdictDisplay(prediction.memory);
    view.figures = figures(prediction);
    for (const Suggestion &suggestion : prediction.suggestions)
        view.suggestions.push_back(suggestionDisplay(suggestion, prediction, tables));
    view.nothingFits = nothingFitsDisplay(prediction, tables);
    view.origin = prediction.memoryOrigin == prediction.speedOrigin
                      ? tr("Memory and speed are %1. Ranges are P10–P90.").arg(originName(prediction.memoryOrigin))
                      : tr("Memory is %1, speed is %2. Ranges are P10–P90.")
                            .arg(originName(prediction.memoryOrigin), originName(prediction.speedOrigin));
    if (prediction.memory.verdict == Verdict::Oom)
        view.origin.prepend(tr("The plan does not fit. Time and cost are those of the same GPU with enough memory. "));
    view.origin += lossSentence(prediction.cost) + faultSentence(prediction.cost);
    for (const std::string &assumed : prediction.cost.assumed)
        view.notes.push_back(tr("Cost assumption: %1.").arg(withFieldNames(coreText(assumed))));
    for (const std::string &note : prediction.notes)
        view.notes.push_back(withFieldNames(coreText(note)));
    return view;
}

std::vector<LegendEntry> partsOf(const BarData &bar)
{
    const double sum = stackedEdges(bar.parts).back();
    std::vector<LegendEntry> entries;
    for (const BarPart &part : bar.parts) {
        if (part.value > 0)
            entries.push_back({part.name, bar.text(part.value),
                localNumber(100.0 * part.value / sum, part.value < 0.0995 * sum ? 1 : 0) + QStringLiteral(" %"),
                part.light, part.dark});
    }
    return entries;
}

BarData phaseBar(const Prediction &prediction)
{
    BarData bar = timeBar(prediction);
    bar.parts.clear();
    constexpr std::array classes{CostClass::Gemm, CostClass::Attention, CostClass::Communication, CostClass::Optimizer};
    double sum = 0;
    for (std::size_t i = 0; i < prediction.speed.phases.size(); ++i) {
        bar.parts.push_back({phaseName(static_cast<Phase>(i)), prediction.speed.phases[i], costColor(classes[i], false),
            costColor(classes[i], true)});
        sum += prediction.speed.phases[i];
    }
    if (prediction.speed.step > sum * 1.001)
        bar.parts.push_back({tr("Idle (launch, wait)"), prediction.speed.step - sum, QColor::fromRgb(kRestLight),
            QColor::fromRgb(kRestDark)});
    return bar;
}

BarData memoryBar(const Prediction &prediction)
{
    const MemoryPrediction &memory = prediction.memory;
    const ByteUnit unit = byteUnit(static_cast<double>(std::max(memory.capacity, memory.peak)));
    BarData bar;
    Bytes known = 0;
    for (std::size_t i = 0; i < memory.atPeak.size(); ++i) {
        const auto role = static_cast<Role>(i);
        known += memory.atPeak[i];
        bar.parts.push_back({roleName(role), static_cast<double>(memory.atPeak[i]) / unit.bytes, roleColor(role, false),
            roleColor(role, true)});
    }
    const Bytes rest = std::max<Bytes>(0, memory.peak - memory.outsideAllocator - known);
    bar.parts.push_back({tr("Reserved, unallocated"), static_cast<double>(rest) / unit.bytes,
        QColor::fromRgb(kRestLight), QColor::fromRgb(kRestDark)});
    bar.parts.push_back({tr("Outside the allocator"), static_cast<double>(memory.outsideAllocator) / unit.bytes,
        QColor::fromRgb(kOutsideLight), QColor::fromRgb(kOutsideDark)});
    bar.limit = static_cast<double>(memory.capacity) / unit.bytes;
    bar.limitName = tr("capacity %1").arg(bytesText(static_cast<double>(memory.capacity)));
    bar.low = static_cast<double>(memory.peakP10) / unit.bytes;
    bar.high = static_cast<double>(memory.peakP90) / unit.bytes;
    bar.text = [unit](double value) { return bytesText(value * unit.bytes); };
    bar.tick = compactNumber;
    bar.axisTitle = qs(unit.name);
    return bar;
}

BarData timeBar(const Prediction &prediction)
{
    const SpeedPrediction &speed = prediction.speed;
    BarData bar;
    // Overlapped communication takes no time of its own, so only the exposed part is counted.
    for (std::size_t i = 0; i < speed.seconds.size(); ++i) {
        const auto kind = static_cast<CostClass>(i);
        const Seconds seconds = kind == CostClass::Communication ? speed.communicationExposed : speed.seconds[i];
        bar.parts.push_back({costName(kind), seconds, costColor(kind, false), costColor(kind, true)});
    }
    const double sum = stackedEdges(bar.parts).back();
    if (speed.step > sum * 1.001)
        bar.parts.push_back(
            {tr("Idle (launch, wait)"), speed.step - sum, QColor::fromRgb(kRestLight), QColor::fromRgb(kRestDark)});
    bar.low = speed.stepP10;
    bar.high = speed.stepP90;
    bar.text = [](double seconds) { return localText(formatSeconds(seconds)); };
    const bool fast = speed.step < 1.0;
    bar.tick = [fast](double seconds, double step) {
        return fast ? compactNumber(seconds * 1e3, step * 1e3) : compactNumber(seconds, step);
    };
    bar.axisTitle = fast ? QStringLiteral("ms") : QStringLiteral("s");
    return bar;
}

} // namespace slipway::ui
