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
    // Plans are made and dropped by the thousand: what they took stays, and does not come back from the kernel page by
    // page.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    std::signal(SIGPIPE, SIG_IGN); // each write tells of it, and only that of the answer ends the program (console.cpp)
    try {
        return cli::finish(cli::runCommand(std::vector<std::string>(argv + 1, argv + argc)));
    } catch (const std::exception &exception) {
        return cli::fail(
            {.what = std::string("internal error in slipway: ") + exception.what(), .fault = Fault::Outside});
    }
}
