// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <csignal>
#include <exception>

#include <malloc.h>

#include "cli/arguments.h"
#include "cli/console.h"

int main(int argc, char **argv)
{
    using namespace slipway;
    // Thousands of plans are created and freed. These limits keep freed memory in the process, so that the kernel does
    // not have to provide it again page by page.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    // Each write reports a closed pipe as an error. Only a write of the answer then ends the program (console.cpp).
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN); // the same of a file that exceeds the limit of its size
    try {
        return cli::finish(cli::runCommand(std::vector<std::string>(argv + 1, argv + argc)));
    } catch (const std::exception &exception) {
        return cli::fail(
            {.what = std::string("internal error in slipway: ") + exception.what(), .fault = Fault::Outside});
    }
}
