// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/html.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

#include "report/svg_figure.h"

namespace slipway {

namespace {

// The policy holds browsers to what the file promises: nothing is loaded.
constexpr const char *kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Slipway">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
)";

// One rule or a few per text.
constexpr std::array<std::string_view, 15> kStyle{
    ":root{--page:#fff;--text:#1c2733;--muted:#566271;--border:#d5dbe2;--accent:#0b62c4;--raised:#f3f5f8}",
    "@media (prefers-color-scheme:dark){:root{--page:#171c22;--text:#e3e8ee;--muted:#9aa6b4;--border:#38424d;"
    "--accent:#6cabf5;--raised:#202730}}",
    "@media print{nav{display:none}section{break-inside:avoid-page}}",
    "body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:960px;padding:32px 24px;"
    "background:var(--page);color:var(--text)}",
    "h1{font-size:1.7em;margin:0}h2{font-size:1.25em;margin:2em 0 .4em;border-bottom:1px solid var(--border)}",
    "h3{font-size:1em;margin:1.3em 0 .3em}.subtitle{color:var(--muted);margin:.2em 0 1em}",
    ".headline{font-size:1.1em;padding:.7em 1em;background:var(--raised);border-radius:6px}",
    "nav a{color:var(--accent);margin-right:1em}a{color:var(--accent)}",
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.93em}",
    "th,td{padding:.32em .7em;border-bottom:1px solid var(--border);text-align:left;vertical-align:top}",
    "th{color:var(--muted);font-weight:600}.number{text-align:right;font-variant-numeric:tabular-nums}",
    ".figures{display:grid;gap:16px}.across2{grid-template-columns:repeat(auto-fit,minmax(380px,1fr))}",
    "figure{margin:1em 0}figure>svg{width:100%;height:auto}figcaption{font-weight:600}",
    ".key{list-style:none;display:flex;flex-wrap:wrap;gap:2px 16px;margin:.3em 0;padding:0;color:var(--muted);"
    "font-size:.9em}",
    "footer{margin-top:3em;color:var(--muted);font-size:.9em}",
};

std::string style()
{
    std::string css;
    for (const std::string_view rule : kStyle)
        css += std::string(rule) + "\n";
    return css + styleOfFigures();
}

std::string tableHtml(const ReportTable &table)
{
    const auto kind = [&](std::size_t column) {
        return column < table.numeric.size() && table.numeric[column] ? " class=\"number\"" : "";
    };
    std::string html = table.title.empty() ? "" : "<h3>" + htmlText(table.title) + "</h3>\n";
    html += "<div class=\"scroll\"><table>\n";
    if (!table.columns.empty()) {
        html += "<thead><tr>";
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            html += fmt::format("<th scope=\"col\"{}>{}</th>", kind(i), htmlText(table.columns[i]));
        html += "</tr></thead>\n";
    }
    html += "<tbody>\n";
    for (const std::vector<std::string> &row : table.rows) {
        html += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i)
            html += fmt::format("<td{}>{}</td>", kind(i), htmlText(row[i]));
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string sectionHtml(const ReportSection &section, std::size_t number)
{
    std::string html = fmt::format("<section id=\"section-{}\">\n<h2>{}</h2>\n", number, htmlText(section.title));
    for (const std::string &paragraph : section.paragraphs)
        html += "<p>" + htmlText(paragraph) + "</p>\n";
    for (const ReportTable &table : section.tables)
        html += tableHtml(table);
    if (!section.figures.empty()) {
        html += section.figuresAcross > 1 ? "<div class=\"figures across2\">\n" : "<div class=\"figures\">\n";
        for (const ReportFigure &figure : section.figures)
            html += svgFigure(figure);
        html += "</div>\n";
    }
    return html + "</section>\n";
}

} // namespace

std::string reportHtml(const Report &report)
{
    std::string html = kHead;
    html += "<title>" + htmlText(report.title) + "</title>\n<style>" + style() + "</style>\n</head>\n";
    html += "<body>\n<header>\n<h1>" + htmlText(report.title) + "</h1>\n";
    if (!report.subtitle.empty())
        html += "<p class=\"subtitle\">" + htmlText(report.subtitle) + "</p>\n";
    html += "<p class=\"headline\">" + htmlText(report.headline) + "</p>\n</header>\n<nav aria-label=\"Contents\">\n";
    for (std::size_t i = 0; i < report.sections.size(); ++i)
        html += fmt::format("<a href=\"#section-{}\">{}</a>\n", i + 1, htmlText(report.sections[i].title));
    html += "</nav>\n<main>\n";
    for (std::size_t i = 0; i < report.sections.size(); ++i)
        html += sectionHtml(report.sections[i], i + 1);
    return html + "</main>\n<footer>Written by Slipway.</footer>\n</body>\n</html>\n";
}

} // namespace slipway
