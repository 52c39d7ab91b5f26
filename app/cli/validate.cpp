// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "hardware/user_prices.h"
#include "measure/calibrate.h"
#include "measure/validate.h"

namespace slipway::cli {

int validateTable(const ValidateOptions &options)
{
    std::optional<RowFilter> only;
    if (!options.only.empty()) {
        const std::size_t equals = options.only.find('=');
        if (equals == std::string::npos)
            return fail({.what = "'" + options.only + "' has no '='", .where = "--only", .accepted = "COLUMN=VALUE"});
        only = RowFilter{options.only.substr(0, equals), options.only.substr(equals + 1)};
    }
    const Result<Catalogue> catalogue = loadUserCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    Result<std::vector<MeasuredRow>> rows = readMeasurements(options.table, *catalogue, only);
    if (!rows)
        return fail(rows.error());
    const Result<Calibration> calibration = catalogue->calibration(options.calibration);
    if (!calibration)
        return fail(calibration.error());
    applyCalibration(*rows, *calibration);
    const Validation validation = validate(*std::move(rows), *catalogue);
    if (!options.csv.empty()) {
        if (const Result<void> written = writeNamedFile(options.csv, toCsv(validation)); !written)
            return fail(written.error());
    }
    print(options.json ? dumped(toJson(validation)) : toText(validation));
    return Done;
}

} // namespace slipway::cli
