// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "frameworks/log_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/ascii.h"
#include "base/text.h"
#include "base/units.h"

namespace slipway {

namespace {

constexpr double kMib = double(kMiB), kGib = double(kGiB);
constexpr double kSurelyBytes = 1e7, kMostBytes = 1e15;

// Between words and their number.
constexpr std::string_view kBetween = " :=\t'\"()";

bool isWordPart(char c) { return isLower(c) || isDigit(c) || c == '_'; }

// Where `words` stand alone in the line; npos where they do not.
std::size_t findForm(std::string_view line, std::string_view words)
{
    for (std::size_t at = line.find(words); at != std::string_view::npos; at = line.find(words, at + 1)) {
        const char before = at > 0 ? line[at - 1] : ' ';
        const char after = at + words.size() < line.size() ? line[at + words.size()] : ' ';
        // A number may touch a unit: "1.23s/it", "338ms".
        const bool begins = !isWordPart(words.front()) || !(isWordPart(before) || before == '/') || isDigit(before);
        if (begins && !isWordPart(after) && after != '/')
            return at;
    }
    return std::string_view::npos;
}

struct Figure {
    double value = 0;
    std::string_view unit; // letters after the number, with at most one space between
};

// Parses "1,234.5 MiB". `nan` and `inf` are also parsed, but cannot be used. Empty: no number begins here.
std::optional<Figure> figureAt(std::string_view text)
{
    std::string digits;
    std::size_t end = 0;
    for (; end < text.size() && digits.size() < 40; ++end) {
        const char c = text[end];
        const bool exponent = c == 'e' && end + 1 < text.size() &&
                              (isDigit(text[end + 1]) || text[end + 1] == '+' || text[end + 1] == '-');
        const bool grouped =
            c == ',' && end > 0 && end + 3 < text.size() && isDigit(text[end + 1]) && isDigit(text[end + 3]);
        const bool sign = (c == '-' || c == '+') && (end == 0 || text[end - 1] == 'e');
        if (grouped)
            continue;
        if (!isDigit(c) && c != '.' && !exponent && !sign)
            break;
        digits += c;
    }
    if (digits.empty())
        return text.starts_with("nan") || text.starts_with("inf") ? std::optional(Figure{.value = std::nan("")})
                                                                  : std::nullopt;
    Figure figure;
    const auto [rest, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), figure.value);
    if (failure == std::errc::result_out_of_range)
        return Figure{.value = std::nan("")}; // no number that anybody means, but the one that stands there
    if (failure != std::errc() || (*rest != '\0' && *rest != '.'))
        return std::nullopt;
    std::size_t unit = end < text.size() && text[end] == ' ' ? end + 1 : end;
    const std::size_t begin = unit;
    while (unit < text.size() && text[unit] >= 'a' && text[unit] <= 'z')
        ++unit;
    figure.unit = text.substr(begin, unit - begin);
    return figure;
}

// Behind the words, past kBetween; where none is, or only a percentage, the number that ends right before them.
std::optional<Figure> figureNear(std::string_view line, std::size_t at, std::size_t length)
{
    const std::size_t behind = line.find_first_not_of(kBetween, at + length);
    if (behind != std::string_view::npos) {
        const std::string_view rest = line.substr(behind);
        const std::size_t end = rest.find_first_not_of("0123456789.");
        const std::optional<Figure> figure = figureAt(rest);
        if (figure && (end == std::string_view::npos || rest[end] != '%'))
            return figure;
    }
    std::size_t end = at;
    while (end > 0 && line[end - 1] == ' ')
        --end;
    std::size_t begin = end;
    if (begin > 1 && (line[begin - 1] == 'k' || line[begin - 1] == 'm') && isDigit(line[begin - 2]))
        --begin; // "131.1k tok/s"
    while (begin > 0 && (isDigit(line[begin - 1]) || line[begin - 1] == '.' || line[begin - 1] == ','))
        --begin;
    return begin < end ? figureAt(line.substr(begin, end - begin)) : std::nullopt;
}

std::optional<double> timeScale(std::string_view unit)
{
    if (unit == "ms" || unit == "milliseconds")
        return 1e-3;
    if (unit == "us")
        return 1e-6;
    return unit == "s" || unit == "sec" || unit == "seconds" ? std::optional(1.0) : std::nullopt;
}

// "163.8k" of tokens or samples.
double countScale(std::string_view unit) { return unit == "k" ? 1e3 : unit == "m" ? 1e6 : 1; }

std::optional<double> memoryScale(std::string_view unit)
{
    constexpr std::array<std::pair<std::string_view, double>, 8> units{
        {{"gib", kGib}, {"mib", kMib}, {"gb", 1e9}, {"mb", 1e6}, {"g", 1e9}, {"m", 1e6}, {"bytes", 1.0}, {"b", 1.0}}};
    const auto found =
        std::find_if(units.begin(), units.end(), [unit](const auto &known) { return known.first == unit; });
    return found == units.end() ? std::nullopt : std::optional(found->second);
}

constexpr double kUnusable = std::numeric_limits<double>::quiet_NaN();
// A speed or bytes beyond these are no measurement, and fit no integer.
constexpr double kSmallestFigure = 1e-12, kLargestFigure = 1e18;

double speedOf(const Figure &figure, const LogForm &form)
{
    const double own = form.scale > 0 ? form.scale : 1;
    return figure.value *
           (form.is == LogQuantity::StepSeconds ? timeScale(figure.unit).value_or(own) : own * countScale(figure.unit));
}

double bytesOf(const Figure &figure, const LogForm &form)
{
    const bool saysBinary = figure.unit.ends_with("ib");
    const double scale = form.scale > 0 && !saysBinary
                             ? form.scale
                             : memoryScale(figure.unit).value_or(figure.value >= kSurelyBytes ? 1 : 0);
    const double bytes = figure.value * scale;
    return bytes < kMostBytes ? bytes : kUnusable;
}

// The number behind the words, be it a percentage or in brackets: "lr=[0.0001]", "mfu: 41.7%".
std::optional<Figure> plainFigureBehind(std::string_view line, std::size_t end)
{
    const std::size_t behind = line.find_first_not_of(" :=\t'\"([", end);
    return behind == std::string_view::npos ? std::nullopt : figureAt(line.substr(behind));
}

// "mfu 40.1%", "41.2% bf16 mfu", "mfu: 47.9", "mfu: 0.479": a fraction is never above 1.5, and a percentage seldom
// below.
std::optional<double> utilisationAt(std::string_view line, std::size_t at, std::size_t length)
{
    std::optional<Figure> figure = plainFigureBehind(line, at + length);
    if (!figure) {
        const std::size_t percent = line.find_last_not_of(' ', at == 0 ? 0 : at - 1);
        if (percent == std::string_view::npos || line[percent] != '%')
            return std::nullopt;
        std::size_t begin = percent;
        while (begin > 0 && (isDigit(line[begin - 1]) || line[begin - 1] == '.'))
            --begin;
        figure = figureAt(line.substr(begin, percent - begin));
    }
    if (!figure)
        return std::nullopt;
    constexpr double kMostFraction = 1.5;
    const double fraction = figure->value > kMostFraction ? figure->value / 100 : figure->value;
    return fraction >= 0 && fraction <= kMostFraction ? fraction : kUnusable;
}

// "10%|#   | 10/100 [00:12<01:48": what tqdm draws. One with a description before it is not the training's.
std::optional<ProgressBar> barOf(std::string_view line)
{
    const std::size_t percent = line.find_first_not_of(" 0123456789\r\n\t");
    if (percent == std::string_view::npos || !line.substr(percent).starts_with("%|"))
        return std::nullopt;
    for (std::size_t at = line.find(" ["); at != std::string_view::npos; at = line.find(" [", at + 1)) {
        std::size_t slash = at;
        while (slash > 0 && isDigit(line[slash - 1]))
            --slash;
        if (slash == at || slash < 2 || line[slash - 1] != '/')
            continue;
        std::size_t begin = slash - 1;
        while (begin > 0 && isDigit(line[begin - 1]))
            --begin;
        const auto now = parseInteger(line.substr(begin, slash - 1 - begin)),
                   total = parseInteger(line.substr(slash, at - slash));
        if (now && total && *now <= *total && *total > 0)
            return ProgressBar{.at = *now, .of = *total};
    }
    return std::nullopt;
}

bool applies(std::string_view folded, const LogForm &form)
{
    return (form.beside.empty() || folded.find(form.beside) != std::string_view::npos) &&
           (form.without.empty() || folded.find(form.without) == std::string_view::npos);
}

} // namespace

bool LogFigures::empty() const
{
    return std::none_of(values.begin(), values.end(), [](const auto &value) { return value.has_value(); });
}

std::string normalizedLogLine(std::string_view line)
{
    std::string folded;
    folded.reserve(std::min(line.size(), kLongestLogLine));
    for (std::size_t at = 0; at < line.size() && folded.size() < kLongestLogLine; ++at) {
        const char c = line[at];
        if (c == '\x1b') { // colours: ESC [ ... m
            const std::size_t end = line.find('m', at);
            if (end == std::string_view::npos)
                break;
            at = end;
            continue;
        }
        folded += lowerChar(c);
    }
    return folded;
}

// Colours, bells and what moves a terminal's cursor are printed.
bool isPrintedLine(std::string_view line)
{
    return std::all_of(line.begin(), line.end(),
        [](char c) { return static_cast<unsigned char>(c) >= 0x20 || (c >= '\a' && c <= '\r') || c == '\x1b'; });
}

std::optional<std::int64_t> stepOfForm(std::string_view line, const LogForm &form)
{
    const std::size_t at = applies(line, form) ? findForm(line, form.words) : std::string_view::npos;
    const std::size_t begin =
        at == std::string_view::npos ? at : line.find_first_not_of(" :=\t'\"", at + form.words.size());
    if (begin == std::string_view::npos)
        return std::nullopt;
    const std::size_t end = std::min(line.find_first_not_of(kDigits, begin), line.size());
    const auto step = parseInteger(line.substr(begin, end - begin));
    const bool whole =
        end == line.size() ||
        !(isWordPart(line[end]) || (line[end] == '.' && end + 1 < line.size() && isWordPart(line[end + 1])));
    constexpr std::int64_t kMostSteps = 1'000'000'000'000;
    return step && whole && *step <= kMostSteps ? step : std::nullopt;
}

std::optional<double> figureOfForm(std::string_view line, const LogForm &form)
{
    const std::size_t at = applies(line, form) ? findForm(line, form.words) : std::string_view::npos;
    if (at == std::string_view::npos)
        return std::nullopt;
    if (form.is == LogQuantity::Ignored)
        return 0;
    if (form.is == LogQuantity::Mfu)
        return utilisationAt(line, at, form.words.size());
    if (isLogSpeed(form.is) || isLogMemory(form.is)) {
        const std::optional<Figure> figure = figureNear(line, at, form.words.size());
        if (!figure)
            return std::nullopt;
        const double value = isLogSpeed(form.is) ? speedOf(*figure, form) : bytesOf(*figure, form);
        return value >= kSmallestFigure && value <= kLargestFigure ? value : kUnusable;
    }
    const std::optional<Figure> figure = plainFigureBehind(line, at + form.words.size());
    return figure ? std::optional(figure->value) : std::nullopt;
}

LogFigures readLogLine(std::string_view line, const LogGrammar &grammar, const LogPattern *pattern)
{
    LogFigures figures;
    if (!isPrintedLine(line.substr(0, kLongestLogLine)))
        return figures;
    if (pattern)
        figures = pattern->match(line);
    const std::string folded = normalizedLogLine(line);
    for (const LogForm &form : grammar.forms) {
        std::optional<double> &value = figures.of(form.is);
        if (value)
            continue;
        if (form.is == LogQuantity::Step) {
            if (const auto step = stepOfForm(folded, form))
                value = static_cast<double>(*step);
        } else if (const auto figure = figureOfForm(folded, form)) {
            const bool mayBeNan = form.is == LogQuantity::Loss || form.is == LogQuantity::GradNorm;
            if (form.is == LogQuantity::Ignored)
                return {};
            if (mayBeNan || std::isfinite(*figure))
                value = figure;
        }
    }
    figures.bar = barOf(folded);
    return figures;
}

} // namespace slipway
