// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

#include "cli/unknown_argument.h"
#include "command.h"

namespace {

constexpr int kOutside = 3;

// Returns the exit status after output could not be written. A reader that has closed the pipe is no error to report,
// but a full disk is.
int unwritten(int error)
{
    if (error == EPIPE)
        return 128 + SIGPIPE;
    slipway::train_app::complain("standard output cannot be written: " + std::generic_category().message(error));
    return kOutside;
}

} // namespace

int main(int argc, char **argv)
{
    // Writing beyond a file size limit or to a closed pipe must be reported as an error and not end the process
    // silently.
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);

    int status = 0;
    CLI::App app("Tokenize text, train language models and sample from them.", "slipway-train");
    app.set_version_flag("--version", "slipway-train " SLIPWAY_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Exit status: 0 success; 1 internal error; 2 wrong usage or bad input; 3 out of memory or disk space, or "
        "permission denied;\n"
        "4 another rank failed; 5 damaged data or checkpoint; 6 loss not finite; 124 time limit; 130 or 143 "
        "stopped after a checkpoint.\n"
        "Example: slipway-train tokenize book.txt --out data && slipway-train run my-run");
    slipway::train_app::addRunCommand(app, status);
    slipway::train_app::addTokenizeCommand(app, status);
    slipway::train_app::addBenchCommand(app, status);
    slipway::train_app::addDevicesCommand(app, status);
    slipway::train_app::addConvertCommands(app, status);
    slipway::train_app::addSampleCommand(app, status);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &help) {
        return app.exit(help);
    } catch (const CLI::ParseError &error) {
        if (const auto explained = slipway::cli::argumentError(app, {argv + 1, argv + argc}, error))
            slipway::train_app::complain(explained->message());
        else
            app.exit(error);
        return 2;
    } catch (const std::system_error &error) {
        if (error.code() == std::errc::broken_pipe || error.code() == std::errc::no_space_on_device)
            return unwritten(error.code().value());
        slipway::train_app::complain(error.what());
        return 1;
    } catch (const std::exception &error) {
        slipway::train_app::complain(error.what());
        return 1;
    }
    // The result of a run is its checkpoints, so its exit status does not depend on the output.
    return std::fflush(stdout) == 0 || app.got_subcommand("run") ? status : unwritten(errno);
}
