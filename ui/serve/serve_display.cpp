// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/serve/serve_display.h"

#include <algorithm>

#include "base/text.h"
#include "config/settings.h"
#include "hosts/shell_quote.h"
#include "ui/charts/ticks.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

QString seconds(Seconds value) { return localText(formatSeconds(value)); }
QString count(double value) { return localText(formatCount(value)); }

// Returns the n-th dot of a panel, counted through its lines in order.
const ServeDot &dotAt(const ServePanel &panel, std::size_t n, std::string *line = nullptr)
{
    std::size_t l = 0;
    while (n >= panel.lines[l].dots.size())
        n -= panel.lines[l++].dots.size();
    if (line != nullptr)
        *line = panel.lines[l].name;
    return panel.lines[l].dots[n];
}

QStringList describe(const ServeFigure &figure, const ServePanel &panel, std::size_t n)
{
    std::string line;
    const ServeDot &dot = dotAt(panel, n, &line);
    QStringList lines{coreText(line), coreText(figure.placeLabel) + u'\t' + qs(dot.name)};
    if (!figure.joined)
        lines << tr("Memory") + u'\t' + localText(formatServeUnit(dot.x, ServeUnit::Memory));
    lines << (dot.fits ? coreText(panel.yLabel) + u'\t' + localText(formatServeUnit(dot.y, panel.unit))
                       : tr("Does not fit"));
    return lines;
}

ScatterData chartOf(const ServeFigure &figure, const ServePanel &panel)
{
    ScatterData data{.title = coreText(panel.title.empty() ? figure.title : panel.title),
        .xTitle = coreText(figure.xLabel),
        .yTitle = coreText(panel.yLabel),
        .logX = figure.doublings};
    std::size_t id = 0;
    for (std::size_t l = 0; l < panel.lines.size(); ++l) {
        // Draws larger dots below smaller ones, so that overlapping lines stay visible.
        ScatterSeries series{.name = coreText(panel.lines[l].name),
            .light = seriesColor(l, false),
            .dark = seriesColor(l, true),
            .joined = figure.joined,
            .radius = 3.2 + (figure.joined ? 0.7 * static_cast<double>(panel.lines.size() - 1 - l) : 0.6),
            .shape = l,
            .dots = {}};
        for (const ServeDot &dot : panel.lines[l].dots)
            series.dots.push_back({.x = dot.x, .y = dot.y, .id = id++, .missing = !dot.fits});
        data.series.push_back(std::move(series));
    }
    data.describe = [figure, panel](std::size_t n) { return describe(figure, panel, n); };
    return data;
}

QString gpuName(const Catalogue &catalogue, const std::string &id)
{
    const auto found =
        std::find_if(catalogue.gpus.begin(), catalogue.gpus.end(), [&id](const Gpu &gpu) { return gpu.id == id; });
    return qs(found == catalogue.gpus.end() ? id : found->name);
}

QString changeText(const std::vector<std::pair<std::string, std::string>> &changes, const Catalogue &catalogue)
{
    QStringList texts;
    for (const auto &[key, value] : changes)
        texts << settingName(key) + QStringLiteral(" → ") +
                     (key == "contiguous" ? tr("Paged")
                         : key == "gpu"   ? gpuName(catalogue, value)
                                          : qs(value));
    return texts.join(QStringLiteral(", "));
}

// Describes the benefit of a suggestion.
QString gainText(const ServeSuggestion &s)
{
    const QString percent = localNumber(100 * s.gain, 0) + QStringLiteral(" %");
    switch (s.goal) {
    case ServeGoal::Speed:
        return tr("%1 faster").arg(percent);
    case ServeGoal::Cost:
        return tr("%1 cheaper").arg(percent);
    case ServeGoal::Latency:
        return tr("meets the target");
    case ServeGoal::Fit:
        break;
    }
    return bytesText(static_cast<double>(s.then.peak));
}

} // namespace

QString serveSettingTip(const std::string &key)
{
    if (const Setting *shared = findSetting(key); shared && key != "framework")
        return tr("%1\nAccepted: %2\nCommand-line option: %3")
            .arg(capitalized(coreText(shared->help)), qs(shared->accepted()), qs(shared->flag()));
    for (const ServeSetting &setting : serveSettings()) {
        if (setting.key == key)
            return tr("%1\nCommand-line option: %2").arg(withFieldNames(coreText(setting.help)), qs(setting.flag()));
    }
    return {};
}

QString serveSubtitle(const ServePrediction &p)
{
    return QStringLiteral("%1 · %2 × %3 · %4")
        .arg(coreText(p.serving.model.name), QString::number(p.serving.ranks()), qs(p.serving.gpu.name),
            qs(p.serving.software.title));
}

VerdictDisplay serveVerdict(const ServePrediction &p)
{
    VerdictDisplay display;
    const ServingMemory &m = p.memory;
    const QString usable = localText(formatBytes(m.usable)), peak = localText(formatBytes(m.peak));
    const std::int64_t batch = p.serving.config.batch;
    display.word = p.verdict == Verdict::Oom     ? tr("Out of memory")
                   : p.verdict == Verdict::Tight ? tr("Tight")
                                                 : tr("Fits");
    display.tone = p.verdict == Verdict::Oom     ? Pill::Tone::Bad
                   : p.verdict == Verdict::Tight ? Pill::Tone::Warn
                                                 : Pill::Tone::Good;
    display.sentence = p.verdict == Verdict::Oom
                           ? tr("A batch of %1 needs %2 of %3 usable memory").arg(batch).arg(peak, usable)
                           : tr("%1 tokens/s with a batch of %2").arg(count(p.speed.tokensPerSecond)).arg(batch);
    display.detail =
        tr("%1 of %2 usable memory on each GPU. %L3 sequences of %L4 tokens fit. %5 of the cache is unused "
           "on average.")
            .arg(peak, usable)
            .arg(p.maxSequences)
            .arg(p.serving.config.length())
            .arg(QString(localNumber(100 * m.wasteFraction, 1) + QStringLiteral(" %")));
    return display;
}

BarData serveMemoryBar(const ServePrediction &p)
{
    const ServingMemory &m = p.memory;
    BarData bar;
    const auto add = [&bar](const QString &name, Bytes bytes, Role role) {
        bar.parts.push_back({name, static_cast<double>(bytes) / kGiB, roleColor(role, false), roleColor(role, true)});
    };
    add(tr("Weights"), m.weights, Role::Parameter);
    add(tr("KV cache"), m.cache, Role::Activation);
    add(tr("Activations"), m.activations, Role::Logits);
    add(tr("Outside the allocator"), m.outside, Role::Workspace);
    bar.limit = static_cast<double>(m.usable) / kGiB;
    bar.limitName = tr("usable %1").arg(bytesText(static_cast<double>(m.usable)));
    bar.text = [](double gib) { return bytesText(gib * static_cast<double>(kGiB)); };
    bar.tick = compactNumber;
    bar.axisTitle = QStringLiteral("GiB");
    return bar;
}

std::vector<MetricDisplay> serveMetrics(const ServePrediction &p)
{
    const ServeSpeed &s = p.speed;
    const QString batch = QString::number(p.serving.config.batch);
    const auto apart = [](const std::string &text) { // splits "1.2 ms" into number and unit
        const QString shown = localText(text);
        const qsizetype space = shown.indexOf(u' ');
        return std::pair(shown.left(space), space < 0 ? QString() : shown.mid(space + 1));
    };
    const auto [ttft, ttftUnit] = apart(formatSeconds(s.ttft));
    const auto [tpot, tpotUnit] = apart(formatSeconds(s.tpot));
    const auto ifItFits = [&p](const QString &label) {
        return p.verdict == Verdict::Oom ? tr("%1 if it fitted").arg(label) : label;
    };
    const ServePrice *price = p.prices.empty() ? nullptr : &p.prices.front();
    const auto money = [](const std::optional<Usd> &usd) {
        return usd ? localText(formatUsd(*usd)) : QStringLiteral("–");
    };
    return {{tr("Time to first token"), ttft, ttftUnit, tr("at an idle server"),
                tr("Time from the arrival of a request at an idle server to its first token.")},
        {ifItFits(tr("Time per output token")), tpot, tpotUnit, tr("%1 alone").arg(seconds(s.tpotAlone)),
            tr("Time of one decode step with this batch, in the middle of the answers.")},
        {ifItFits(tr("Throughput")), count(s.tokensPerSecond), tr("tokens/s"),
            tr("batch %1; %2 alone").arg(batch, count(s.tokensPerSecondAlone)),
            tr("Output tokens per second. The time of a sequence is its own prefill and its share of the decode "
               "steps.")},
        {tr("Highest throughput"), s.bestBatch > 0 ? count(s.tokensPerSecondMost) : QStringLiteral("–"), tr("tokens/s"),
            s.bestBatch > 0 ? tr("batch %1").arg(s.bestBatch) : tr("nothing fits"),
            tr("Output tokens per second with the fastest batch that fits.")},
        {tr("Sequences that fit"), grouped(p.maxSequences), tr("of %L1 tokens").arg(p.serving.config.length()),
            p.serving.config.contiguous ? tr("contiguous")
                                        : tr("contiguous: %1").arg(grouped(p.maxSequencesContiguous)),
            tr("Sequences of full length that fit at once, so that none is preempted.")},
        {tr("Bandwidth-bound up to"), s.computeBoundBatch > 0 ? grouped(s.computeBoundBatch - 1) : tr("any"),
            tr("sequences"), tr("GEMMs"),
            tr("Up to this batch, reading the weights takes longer than the arithmetic of the GEMMs.")},
        {ifItFits(tr("Cost")), price ? money(price->atBatch) : QStringLiteral("–"), tr("per 1M tokens"),
            price ? tr("%1/h, %2").arg(localText(formatUsd(price->usdPerHour)), qs(price->price.book)) : tr("no price"),
            tr("Price of the rented GPUs, divided by the throughput with this batch."), Source::Predicted},
        {tr("Lowest cost"), price ? money(price->atBest) : QStringLiteral("–"), tr("per 1M tokens"),
            s.bestBatch > 0 ? tr("batch %1").arg(s.bestBatch) : tr("nothing fits"),
            tr("Price of the rented GPUs, divided by the highest throughput."), Source::Predicted}};
}

std::vector<SuggestionDisplay> serveSuggestions(const ServePrediction &p, const Catalogue &catalogue)
{
    std::vector<SuggestionDisplay> displays;
    for (const ServeSuggestion &s : p.suggestions) {
        const ServeOutcome &then = s.then;
        displays.push_back({changeText(s.change, catalogue), coreText(s.why), gainText(s),
            tr("%1 tokens/s").arg(count(then.tokensPerSecond)),
            then.usdPerMillionTokens ? tr("%1\nper 1M tokens").arg(localText(formatUsd(*then.usdPerMillionTokens)))
                                     : tr("%1\nper token").arg(seconds(then.tpot)),
            s.change});
    }
    return displays;
}

std::vector<ScatterData> serveCharts(const ServeFigure &figure)
{
    std::vector<ScatterData> charts;
    for (const ServePanel &panel : figure.panels)
        charts.push_back(chartOf(figure, panel));
    return charts;
}

std::vector<LegendEntry> serveLegend(const ServeFigure &figure)
{
    std::vector<LegendEntry> entries;
    if (figure.panels.empty())
        return entries;
    bool missing = false;
    for (const ServePanel &panel : figure.panels) {
        for (const ServeLine &line : panel.lines)
            missing =
                missing || std::any_of(line.dots.begin(), line.dots.end(), [](const ServeDot &d) { return !d.fits; });
    }
    const std::vector<ServeLine> &lines = figure.panels.front().lines;
    for (std::size_t l = 0; l < lines.size(); ++l)
        entries.push_back({coreText(lines[l].name), {}, {}, seriesColor(l, false), seriesColor(l, true),
            figure.joined ? LegendMark::Line : LegendMark::Dot, l});
    if (missing)
        entries.push_back({tr("Does not fit"), {}, {}, themeColor(ThemeColor::Muted, false),
            themeColor(ThemeColor::Muted, true), LegendMark::Cross});
    return entries;
}

std::vector<std::pair<std::string, std::string>> settingsOf(
    const ServeFigure &figure, std::size_t panel, std::size_t dot)
{
    const ServeDot &chosen = dotAt(figure.panels[panel], dot);
    switch (figure.chart) {
    case ServeChart::Models:
        return {{"model", chosen.name}};
    case ServeChart::Heads:
    case ServeChart::Experts:
    case ServeChart::Attention:
        return {{"batch", chosen.name}};
    case ServeChart::Load:
        return {{"requests_per_s", chosen.name}};
    case ServeChart::Cache:
        break;
    }
    return {};
}

std::string serveCommand(const ServeConfig &config)
{
    std::string command = "slipway serve-plan";
    const ServeConfig plain;
    const auto add = [&](std::string_view key, const std::string &flag, bool isSwitch) {
        const std::string text = serveSettingText(config, key);
        if (text.empty() || text == serveSettingText(plain, key))
            return;
        command += isSwitch ? ' ' + flag : ' ' + flag + ' ' + shellQuoted(text);
    };
    for (const std::string_view key : sharedSettingKeys())
        add(key, findSetting(key)->flag(), false);
    for (const ServeSetting &setting : serveSettings())
        add(setting.key, setting.flag(), setting.isSwitch);
    return command;
}

} // namespace slipway::ui
