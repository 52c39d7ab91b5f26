// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "hardware/user_prices.h"
#include "measure/calibrate.h"
#include "measure/leave_one_out.h"
#include "measure/validate.h"
#include "measure/validate_serving.h"

namespace slipway::cli {

namespace {

template<typename Validated>
int printValidation(const Validated &validation, const ValidateOptions &options)
{
    if (!options.csv.empty()) {
        if (const Result<void> written = writeNamedFile(options.csv, toCsv(validation)); !written)
            return fail(written.error());
    }
    print(options.json ? dumped(toJson(validation)) : toText(validation));
    return Done;
}

int validateServed(
    CsvTable table, const std::optional<RowFilter> &only, const Catalogue &catalogue, const ValidateOptions &options)
{
    if (!options.calibration.empty())
        return fail({.what = "a calibration does not apply to a table of serving",
            .where = "--calibration",
            .accepted = "a table of training runs"});
    if (only && !table.column(only->column))
        return fail(unknownName("column", only->column, table.header, "--only"));
    if (only)
        std::erase_if(table.rows,
            [&](const CsvRow &row) { return trimmed(table.cell(row, only->column)) != trimmed(only->value); });
    const Result<Frameworks> frameworks = loadServingFrameworks();
    return frameworks ? printValidation(validateServing(table, catalogue, *frameworks), options)
                      : fail(frameworks.error());
}

// Prints the results of leave-one-out validation. Each row is used with the software that it names, and again with
// unknown software. Annotations of sources are not used.
int tellLeftOut(const CsvTable &table, const std::optional<RowFilter> &only, const Catalogue &catalogue, bool json)
{
    std::vector<PredictedRow> predicted;
    for (const CsvTable &each : {table, withoutSoftware(table)}) {
        Result<std::vector<MeasuredRow>> rows = readMeasurements(each, catalogue, only, AnnotationUse::None);
        if (!rows)
            return fail(rows.error());
        std::vector<PredictedRow> some = validate(*std::move(rows), catalogue).rows;
        // Rows that name no software occur only among those with unknown software.
        std::copy_if(std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()),
            std::back_inserter(predicted),
            [](const PredictedRow &p) { return !p.row.resolved.config.software.empty(); });
    }
    const std::vector<LeftOut> classes = leaveOneOut(predicted);
    print(json ? dumped({{"version", 1}, {"classes", toJson(classes)}}) : toText(classes));
    return Done;
}

} // namespace

int validateTable(const ValidateOptions &options)
{
    std::optional<RowFilter> only;
    if (!options.only.empty()) {
        const std::size_t equals = options.only.find('=');
        if (equals == std::string::npos)
            return fail({.what = "'" + options.only + "' has no '='", .where = "--only", .accepted = "COLUMN=VALUE"});
        only = RowFilter{options.only.substr(0, equals), options.only.substr(equals + 1)};
    }
    const std::optional<AnnotationUse> annotations =
        options.annotations.empty() ? AnnotationUse::All : enumFromName<AnnotationUse>(options.annotations);
    if (!annotations)
        return fail(
            unknownName("value", options.annotations, namesOf(EnumNames<AnnotationUse>::names), "--annotations"));
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    Result<CsvTable> table = readCsv(options.table, {.keepsBrokenRecords = true});
    if (table && isServingTable(*table))
        return validateServed(*std::move(table), only, *catalogue, options);
    if (options.leaveOneOut)
        return table ? tellLeftOut(*table, only, *catalogue, options.json) : fail(table.error());
    Result<std::vector<MeasuredRow>> rows = readMeasurements(options.table, *catalogue, only, *annotations);
    if (!rows)
        return fail(rows.error());
    const Result<Calibration> calibration = catalogue->calibration(options.calibration);
    if (!calibration)
        return fail(calibration.error());
    applyCalibration(*rows, *calibration);
    return printValidation(validate(*std::move(rows), *catalogue), options);
}

} // namespace slipway::cli
