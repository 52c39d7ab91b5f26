// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/svg_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "base/visible_text.h"

namespace slipway {

namespace {

constexpr double kWidth = 720, kHeight = 300, kLeft = 64, kRight = 16, kTop = 30, kBottom = 44;
constexpr std::size_t kColors = 10; // a bar of memory has ten parts

struct Frame {
    double xLow = 0, xHigh = 1, yLow = 0, yHigh = 1;
    [[nodiscard]] double px(double x) const { return kLeft + (x - xLow) / (xHigh - xLow) * (kWidth - kLeft - kRight); }
    [[nodiscard]] double py(double y) const
    {
        return kHeight - kBottom - (y - yLow) / (yHigh - yLow) * (kHeight - kTop - kBottom);
    }
};

bool isStacked(const ReportFigure &figure)
{
    return figure.kind == FigureKind::StackedBars || figure.kind == FigureKind::StackedAreas;
}

double along(const ReportFigure &figure, double x) { return figure.doublings ? std::log2(std::max(x, 1e-12)) : x; }

double xOf(const ReportFigure &figure, const ReportSeries &series, std::size_t i)
{
    return i < series.x.size() ? along(figure, series.x[i]) : static_cast<double>(i);
}

std::size_t positionsOf(const ReportFigure &figure)
{
    std::size_t most = 0;
    for (const ReportSeries &series : figure.series)
        most = std::max(most, series.y.size());
    return most;
}

double heightAt(const ReportFigure &figure, std::size_t position)
{
    double sum = 0;
    for (const ReportSeries &series : figure.series)
        sum += position < series.y.size() && std::isfinite(series.y[position]) ? series.y[position] : 0;
    return sum;
}

Frame frameOf(const ReportFigure &figure)
{
    double low = 1e300, high = -1e300, xLow = 1e300, xHigh = -1e300;
    const auto see = [&](double value) {
        low = std::isfinite(value) ? std::min(low, value) : low;
        high = std::isfinite(value) ? std::max(high, value) : high;
    };
    for (const ReportSeries &series : figure.series) {
        for (std::size_t i = 0; i < series.y.size(); ++i) {
            see(isStacked(figure) ? heightAt(figure, i) : series.y[i]);
            xLow = std::min(xLow, xOf(figure, series, i));
            xHigh = std::max(xHigh, xOf(figure, series, i));
        }
        std::for_each(series.low.begin(), series.low.end(), see);
        std::for_each(series.high.begin(), series.high.end(), see);
        for (const double x : series.missingX) {
            xLow = std::min(xLow, along(figure, x));
            xHigh = std::max(xHigh, along(figure, x));
        }
    }
    if (figure.limit)
        see(*figure.limit);
    if (high < low)
        low = 0, high = 1;
    // Starts at zero if that hides little. Otherwise a constant line would show as magnified noise.
    if (figure.kind != FigureKind::Lines || (low > 0 && (low < 0.4 * high || low > 0.98 * high)))
        low = std::min(low, 0.0);
    const double air = high > low ? (high - low) * 0.07 : 1.0;
    Frame frame{.yLow = low == 0.0 ? 0.0 : low - air, .yHigh = high + air};
    if (xLow < xHigh) {
        frame.xLow = xLow - (figure.doublings ? 0.3 : 0);
        frame.xHigh = xHigh + (figure.doublings ? 0.3 : 0);
    }
    return frame;
}

std::vector<double> ticksOf(double low, double high, int about, double least = 0)
{
    const double rough = (high - low) / about, power = std::pow(10.0, std::floor(std::log10(rough)));
    const double step = std::max(least, power * (rough / power < 1.5      ? 1
                                                    : rough / power < 3.5 ? 2
                                                    : rough / power < 7.5 ? 5
                                                                          : 10));
    std::vector<double> ticks;
    const double first = std::ceil(low / step) * step;
    for (int i = 0; i < 50 && first + i * step <= high + step * 1e-9; ++i) {
        const double tick = first + i * step;
        ticks.push_back(std::abs(tick) < step * 1e-9 ? 0 : tick);
    }
    return ticks;
}

std::string number(double value)
{
    if (value == 0)
        return "0";
    if (std::abs(value) < 1000)
        return fmt::format("{:.4g}", value);
    std::string text = formatCount(value); // such as 15.0K: the zeros after the point say nothing
    if (text.find('.') == std::string::npos)
        return text;
    const std::size_t end = text.find_last_of(kDigits) + 1, last = text.find_last_not_of('0', end - 1);
    const std::size_t kept = text[last] == '.' ? last : last + 1;
    return text.erase(kept, end - kept);
}

std::string words(double x, double y, const char *anchor, std::string_view text, const char *kind = "axis")
{
    return fmt::format(
        R"(<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", kind, x, y, anchor, htmlText(text));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view kind)
{
    return fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", kind, x1, y1, x2, y2);
}

std::string axes(const ReportFigure &figure, const Frame &frame)
{
    std::string svg;
    for (const double tick : ticksOf(frame.yLow, frame.yHigh, 5)) {
        svg += line(kLeft, frame.py(tick), kWidth - kRight, frame.py(tick), "grid");
        svg += words(kLeft - 8, frame.py(tick) + 4, "end", number(tick));
    }
    const double foot = kHeight - kBottom;
    svg += line(kLeft, foot, kWidth - kRight, foot, "base");
    if (figure.doublings) {
        const int step = frame.xHigh - frame.xLow > 10 ? 2 : 1;
        for (int power = static_cast<int>(std::ceil(frame.xLow)); power <= frame.xHigh; power += step)
            svg += words(frame.px(power), foot + 17, "middle", fmt::format("{:.7g}", std::exp2(power)));
    } else {
        for (const double tick : ticksOf(frame.xLow, frame.xHigh, 8, atWholeNumbers(figure) ? 1 : 0))
            svg += words(frame.px(tick), foot + 17, "middle", number(tick));
    }
    svg += words((kLeft + kWidth - kRight) / 2, foot + 36, "middle", figure.xLabel);
    return svg + words(kLeft - 56, kTop - 12, "start", figure.yLabel);
}

std::string point(double x, double y) { return fmt::format("{:.1f},{:.1f} ", x, y); }

// The class of a line. Lines differ in their dashes, not in their colors alone.
std::string_view dashClass(std::size_t s)
{
    constexpr std::array<std::string_view, 4> kDashes{"", " dashed", " dotted", " dashdot"};
    return kDashes[s % kDashes.size()];
}

std::string lines(const ReportFigure &figure, const Frame &frame)
{
    std::string svg;
    for (std::size_t s = 0; s < figure.series.size(); ++s) {
        const ReportSeries &series = figure.series[s];
        const std::size_t color = s % kColors;
        if (!series.low.empty() && series.low.size() == series.high.size()) {
            std::string band;
            const auto add = [&](std::size_t i, double y) {
                if (std::isfinite(y))
                    band += point(frame.px(xOf(figure, series, i)), frame.py(y));
            };
            for (std::size_t i = 0; i < series.high.size(); ++i)
                add(i, series.high[i]);
            for (std::size_t i = series.low.size(); i-- > 0;)
                add(i, series.low[i]);
            svg += fmt::format(R"(<polygon class="band f{}" points="{}"/>)", color, band);
        }
        std::string path;
        bool begun = false; // a value that is not finite is a gap
        for (std::size_t i = 0; i < series.y.size(); ++i) {
            if (!std::isfinite(series.y[i])) {
                begun = false;
                continue;
            }
            const double x = frame.px(xOf(figure, series, i)), y = frame.py(series.y[i]);
            path += fmt::format("{}{:.1f} {:.1f}", begun ? "L" : "M", x, y);
            begun = true;
            if (figure.doublings)
                svg += fmt::format(R"(<circle class="f{}" cx="{:.1f}" cy="{:.1f}" r="3.2"/>)", color, x, y);
        }
        if (figure.joined)
            svg += fmt::format(R"(<path class="line s{}{}" d="{}"/>)", color, dashClass(s), path);
        for (const double missing : series.missingX) {
            const double x = frame.px(along(figure, missing)) + 7 * static_cast<double>(s), y = kHeight - kBottom - 7;
            svg += line(x - 3, y - 3, x + 3, y + 3, fmt::format("line s{}", color));
            svg += line(x - 3, y + 3, x + 3, y - 3, fmt::format("line s{}", color));
        }
    }
    return svg;
}

std::string areas(const ReportFigure &figure, const Frame &frame)
{
    const std::size_t count = positionsOf(figure);
    std::vector<double> top(count);
    for (std::size_t i = 0; i < count; ++i)
        top[i] = heightAt(figure, i);
    std::string svg;
    // Each area reaches down to zero and is covered by those below it. If two areas only touched, the background would
    // shine through between them.
    for (std::size_t s = figure.series.size(); s-- > 0;) {
        const ReportSeries &series = figure.series[s];
        std::string outline;
        for (std::size_t i = 0; i < count; ++i)
            outline += point(frame.px(xOf(figure, series, i)), frame.py(top[i]));
        if (count > 0)
            outline += point(frame.px(xOf(figure, series, count - 1)), frame.py(0)) +
                       point(frame.px(xOf(figure, series, 0)), frame.py(0));
        for (std::size_t i = 0; i < count; ++i)
            top[i] -= i < series.y.size() && std::isfinite(series.y[i]) ? series.y[i] : 0;
        svg += fmt::format(R"(<polygon class="f{}" points="{}"/>)", s % kColors, outline);
    }
    return svg;
}

std::string limitLine(const ReportFigure &figure, const Frame &frame)
{
    if (!figure.limit)
        return {};
    return line(kLeft, frame.py(*figure.limit), kWidth - kRight, frame.py(*figure.limit), "limit dashed") +
           words(kWidth - kRight, frame.py(*figure.limit) - 5, "end", figure.limitLabel);
}

// Horizontal bars, because the names of categories need width.
std::string bars(const ReportFigure &figure, double &height)
{
    constexpr double kRow = 26, kNames = 170, kEnd = kWidth - 130;
    const std::size_t rows = std::max<std::size_t>(1, figure.categories.size());
    const Frame frame = frameOf(figure);
    const auto at = [&](double v) { return kNames + std::max(0.0, v) / frame.yHigh * (kEnd - kNames); };
    std::string svg;
    for (std::size_t row = 0; row < rows; ++row) {
        const double top = 24 + kRow * static_cast<double>(row);
        if (row < figure.categories.size())
            svg += words(kNames - 8, top + 16, "end", figure.categories[row], "name");
        double sum = 0;
        for (std::size_t s = 0; s < figure.series.size(); ++s) {
            const double own = row < figure.series[s].y.size() ? figure.series[s].y[row] : 0;
            const double value = std::isfinite(own) ? own : 0;
            svg += fmt::format(R"(<rect class="f{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="18"/>)", s % kColors,
                at(sum), top + 2, std::max(0.0, at(sum + value) - at(sum)));
            sum += value;
        }
        svg += words(at(sum) + 6, top + 16, "start", number(sum) + " " + figure.yLabel, "name");
    }
    height = 30 + kRow * static_cast<double>(rows);
    if (figure.limit) {
        svg += line(at(*figure.limit), 18, at(*figure.limit), height - 2, "limit dashed");
        svg +=
            words(at(*figure.limit), 13, "end", figure.limitLabel + " " + number(*figure.limit) + " " + figure.yLabel);
    }
    return svg;
}

} // namespace

std::string htmlText(std::string_view text)
{
    std::string safe;
    for (const char c : visibleText(text, "\n\t")) {
        switch (c) {
        case '&':
            safe += "&amp;";
            break;
        case '<':
            safe += "&lt;";
            break;
        case '>':
            safe += "&gt;";
            break;
        case '"':
            safe += "&quot;";
            break;
        case '\'':
            safe += "&#39;";
            break;
        default:
            safe += c == '\n' || c == '\t' ? ' ' : c;
        }
    }
    return safe;
}

std::string svgFigure(const ReportFigure &figure)
{
    double height = kHeight;
    std::string inside;
    if (figure.kind == FigureKind::Bars || figure.kind == FigureKind::StackedBars) {
        inside = bars(figure, height);
    } else {
        const Frame frame = frameOf(figure);
        inside = axes(figure, frame) +
                 (figure.kind == FigureKind::StackedAreas ? areas(figure, frame) : lines(figure, frame)) +
                 limitLine(figure, frame);
    }
    std::string key;
    const bool isLines = figure.kind == FigureKind::Lines && figure.joined;
    if (figure.listsSeries()) {
        key = "<ul class=\"key\">";
        for (std::size_t s = 0; s < figure.series.size(); ++s)
            key += fmt::format(R"(<li><svg width="{0}" height="12" aria-hidden="true">{1}</svg> {2}</li>)",
                isLines ? 24 : 12,
                isLines ? line(0, 6, 24, 6, fmt::format("line s{}{}", s % kColors, dashClass(s)))
                        : fmt::format(R"(<rect class="f{}" width="12" height="12"/>)", s % kColors),
                htmlText(figure.series[s].name));
        key += "</ul>";
    }
    return fmt::format("<figure><figcaption>{0}</figcaption>{1}<svg viewBox=\"0 0 {2:.0f} {3:.0f}\" role=\"img\" "
                       "aria-label=\"{0}\">{4}</svg></figure>\n",
        htmlText(figure.title), key, kWidth, height, inside);
}

std::string styleOfFigures()
{
    // Okabe and Ito's hues: people with color blindness can tell them apart.
    constexpr std::string_view colors[kColors] = {
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7f7f7f", "#c3cad1", "#46505a"};
    std::string css = "figure svg text{font-size:12px;fill:var(--muted)}figure svg text.name{fill:var(--text)}"
                      ".grid{stroke:var(--border);stroke-width:.7}.base{stroke:var(--muted);stroke-width:1}"
                      ".line{fill:none;stroke-width:1.6}.dashed{stroke-dasharray:6 4}.dotted{stroke-dasharray:2 3}"
                      ".dashdot{stroke-dasharray:7 3 2 3}.band{opacity:.2}"
                      ".limit{stroke:var(--text);stroke-width:1.3}\n";
    for (std::size_t i = 0; i < kColors; ++i)
        css += fmt::format(".f{0}{{fill:{1}}}.s{0}{{stroke:{1}}}", i, colors[i]);
    return css + "\n";
}

} // namespace slipway
