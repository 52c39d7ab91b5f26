// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "desktop/session.h"
#include "base/unknown_name.h"
#include "cli/listed_run.h"
#include "hardware/user_prices.h"
#include "predict/offers.h"
#include "predict/predict.h"
#include "report/compare_report.h"
#include "report/explore_report.h"
#include "report/report.h"
#include "runs/registry.h"
#include "runs/run_reader.h"
#include "ui/report/report_pdf.h"

namespace slipway::desktop {

namespace {

Result<Report> reportOfComparison(const std::vector<std::string> &subjects)
{
    const Registry registry;
    std::vector<RunData> read;
    for (const std::string &subject : subjects) {
        const Result<std::filesystem::path> directory = registry.find(subject);
        if (!directory)
            return directory.error();
        Result<RunData> run = cli::readListedRun(registry, subject, *directory);
        if (!run)
            return run.error();
        read.push_back(*std::move(run));
    }
    std::vector<const RunData *> runs;
    for (const RunData &run : read)
        runs.push_back(&run);
    const Result<RunComparison> comparison = compareRuns(runs);
    return comparison ? Result<Report>(comparisonReport(*comparison, runs)) : Result<Report>(comparison.error());
}

} // namespace

Result<Report> reportOf(const Options &options)
{
    if (options.kind == "comparison")
        return reportOfComparison(options.subjects);
    if (options.subjects.size() != 1)
        return Error{
            .what = "a report of this kind has one subject", .where = "SUBJECT", .accepted = "one name or file"};
    const std::string &subject = options.subjects.front();
    if (options.kind == "run") {
        const Registry registry;
        const Result<std::filesystem::path> directory = registry.find(subject);
        if (!directory)
            return directory.error();
        const Result<RunData> run = cli::readListedRun(registry, subject, *directory);
        return run ? Result<Report>(runReport(*run)) : Result<Report>(run.error());
    }
    if (options.kind != "plan" && options.kind != "sweep")
        return unknownName(
            "kind of report", options.kind, std::vector<std::string>{"plan", "run", "sweep", "comparison"}, "KIND");
    cli::ConfigSource source = options.source;
    if (options.kind == "plan")
        source.file = subject;
    const Result<RunConfig> config = cli::configFrom(source);
    if (!config)
        return config.error();
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return catalogue.error();
    if (options.kind == "sweep") {
        const Result<Grid> grid = readGrid(subject);
        return grid ? Result<Report>(
                          exploreReport(sweep({.base = *config, .grid = *grid, .catalogue = *catalogue}), *catalogue))
                    : Result<Report>(grid.error());
    }
    const Result<Prediction> prediction = predict(*config, *catalogue);
    if (!prediction)
        return prediction.error();
    const Result<MemoryOverStep> memory = memoryOverStep(*config, *catalogue);
    const Result<std::vector<Offer>> offers = offersFor(*config, *catalogue);
    return planReport(*prediction, memory ? std::optional(*memory) : std::nullopt, offers.valueOr({}));
}

int drawPdf(const Options &options, int &argc, char **argv)
{
    if (options.out.empty())
        return fail({.what = "the output file is missing", .where = "--out", .accepted = "FILE.pdf"});
    const auto paper = ui::paperNamed(QString::fromStdString(options.paper));
    if (!paper)
        return fail(unknownName("paper size", options.paper, std::vector<std::string>{"a4", "letter"}, "--paper"));
    const Result<Report> report = reportOf(options);
    if (!report)
        return fail(report.error());
    const OffscreenPlatform offscreen;
    const QApplication application(argc, argv);
    const Result<void> written = ui::writeReportPdf(*report, QString::fromStdString(options.out), {.paper = *paper});
    return written ? 0 : fail(written.error());
}

} // namespace slipway::desktop
