// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "report/report.h"

#include "base/file.h"
#include "base/read_failures.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/listed_run.h"
#include "config/config_io.h"
#include "hardware/user_prices.h"
#include "predict/predict.h"
#include "report/csv.h"
#include "report/html.h"
#include "runs/registry.h"

namespace slipway::cli {

namespace {

std::string toText(const Report &report)
{
    std::string text = report.title + "\n";
    if (!report.subtitle.empty())
        text += report.subtitle + "\n";
    text += report.headline + "\n";
    for (const ReportSection &section : report.sections) {
        text += "\n" + section.title + "\n";
        for (const std::string &paragraph : section.paragraphs)
            text += paragraph + "\n";
        for (const ReportTable &table : section.tables) {
            std::vector<std::vector<std::string>> rows{table.columns};
            rows.insert(rows.end(), table.rows.begin(), table.rows.end());
            text += alignedTable(rows, table.numeric);
        }
    }
    return text;
}

int deliver(const ReportOptions &options, const char *kind, const std::string &subject, const Report &report,
    const std::string &csv)
{
    if (options.csv.empty() && options.pdf.empty() && options.html.empty())
        print(toText(report));
    if (!options.html.empty()) {
        if (const Result<void> written = writeNamedFile(options.html, reportHtml(report)); !written)
            return fail(written.error());
    }
    if (!options.csv.empty()) {
        if (const Result<void> written = writeNamedFile(options.csv, csv); !written)
            return fail(written.error());
    }
    return options.pdf.empty()
               ? Done
               : drawPdf({.kind = kind, .subjects = {subject}, .file = options.pdf, .paper = options.paper});
}

int reportPlan(const ReportOptions &options)
{
    const Result<Planned> planned = planFrom({.file = options.subject});
    if (!planned)
        return fail(planned.error());
    const Result<std::vector<Offer>> offers = offersFor(planned->config, planned->catalogue);
    const Result<MemoryOverStep> memory =
        options.html.empty() ? MemoryOverStep() : memoryOverStep(planned->config, planned->catalogue); // HTML only
    const bool drawn = !options.html.empty() && memory;
    return deliver(options, "plan", options.subject,
        planReport(planned->prediction, drawn ? std::optional(*memory) : std::nullopt, offers.valueOr({})),
        planCsv(planned->prediction));
}

} // namespace

int report(const ReportOptions &options)
{
    std::error_code ignored;
    if (std::filesystem::is_regular_file(options.subject, ignored))
        return reportPlan(options);
    const Registry registry;
    const Result<std::filesystem::path> directory = registry.find(options.subject);
    if (!directory) {
        Error error = directory.error();
        error.accepted += ", or a configuration file";
        return fail(error);
    }
    const Result<RunData> run = readListedRun(registry, options.subject, *directory);
    if (!run)
        return fail(run.error());
    const Report made = runReport(*run);
    if (const std::optional<Error> failure = firstReadFailure()) // the report would be incomplete
        return fail(*failure);
    return deliver(options, "run", options.subject, made, runCsv(*run));
}

} // namespace slipway::cli
