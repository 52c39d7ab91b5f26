// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a host answers when it is asked about run directories.
#include "hosts/run_query.h"

#include "fuzz_input.h"
#include "hosts/slurm_state.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<std::vector<RunQueryResult>> looks =
        parseRunQueries(std::string(textOf(data, size)), 1'700'000'000, 0.5);
    if (!looks)
        return 0;
    for (const RunQueryResult &look : *looks) {
        (void)statusFrom(look.facts);
        (void)slurmStatus(look, parseSlurmJob(look.jobRecord, look.jobProblem), {});
        for (const FilePart &part : look.files)
            require(part.from >= 0, "a part of a file begins in the file");
    }
    return 0;
}
