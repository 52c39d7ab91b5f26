// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/findings.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/progress_line.h"
#include "hardware/user_prices.h"

namespace slipway::cli {

int findings(const FindingsOptions &options)
{
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return fail(catalogue.error());
    ProgressLine progress("points", paperGrid().size());
    const Sweep sweep = paperSweep(*catalogue, [&](std::size_t, std::size_t) {
        progress.advance();
        return true;
    });
    progress.finish();
    const std::vector<Finding> found = paperFindings(sweep, *catalogue);
    if (!options.out.empty()) {
        const Result<void> written = writeNamedFile(options.out, findingsMarkdown(found, sweep));
        return written ? Done : fail(written.error());
    }
    if (!options.json) {
        print(findingsMarkdown(found, sweep));
        return Done;
    }
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Finding &f : found)
        list.push_back({{"claim", f.claim}, {"agreement", enumName(f.agreement)}, {"answer", f.answer},
            {"test", f.test}, {"why", f.why}, {"columns", f.columns}, {"rows", f.rows}});
    print(dumped({{"version", 1}, {"findings", list}}));
    return Done;
}

} // namespace slipway::cli
