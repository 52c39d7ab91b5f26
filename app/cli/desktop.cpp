// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <cerrno>
#include <cstdlib>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "config/config_io.h"
#include "hosts/child_process.h"
#include "hosts/local_host.h"

namespace slipway::cli {

namespace {

constexpr std::chrono::minutes kDrawingLimit{2};

Error noDesktop()
{
    return {
        .what =
            "slipway-desktop was found neither next to this program nor in PATH; windows, images and PDF files need it",
        .accepted = "an installation that includes the desktop",
        .fault = Fault::Outside};
}

bool screenThere()
{
    for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        const char *const value = std::getenv(name);
        if (value && *value)
            return true;
    }
    return false;
}

} // namespace

int desktop(const std::vector<std::string> &arguments)
{
    if (arguments.empty() && !screenThere())
        return fail({.what = "cannot open the desktop: no display is available",
            .accepted = "a command; slipway --help lists all commands",
            .fault = Fault::Outside});
    const std::string program = siblingProgram("slipway-desktop").string();
    if (program.empty())
        return fail(noDesktop());
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    return fail({.what = "cannot be started: " + systemMessage(errno), .where = program, .fault = Fault::Outside});
}

int drawPdf(const PdfRequest &request)
{
    const std::string program = siblingProgram("slipway-desktop").string();
    if (program.empty())
        return fail(noDesktop());
    std::vector<std::string> words{program, "pdf", request.kind};
    words.insert(words.end(), request.subjects.begin(), request.subjects.end());
    words.insert(words.end(), {"--out", request.file});
    if (!request.plan.empty())
        words.insert(words.end(), {"--plan", request.plan});
    if (!request.paper.empty())
        words.insert(words.end(), {"--paper", request.paper});
    const Result<ChildResult> drawn = runChild(words, kDrawingLimit);
    if (!drawn)
        return fail(drawn.error());
    if (!drawn->err.empty())
        note(drawn->err.substr(0, drawn->err.find_last_not_of('\n') + 1));
    if (drawn->exitStatus > OutsideFault)
        return fail({.what = "rendering failed with exit status " + std::to_string(drawn->exitStatus),
            .where = request.file,
            .fault = Fault::Outside});
    return drawn->exitStatus;
}

int drawConfigPdf(const std::string &kind, const std::string &subject, const RunConfig &config, const std::string &file)
{
    const Result<TemporaryFile> made = makeTemporaryFile(file + ".yaml");
    if (!made) { // the user named the PDF, whose folder is the same
        Error error = made.error();
        error.where = file;
        return fail(error);
    }
    const std::string configFile = made->path.string();
    if (const Result<void> written = writeRunConfig(configFile, config); !written)
        return fail(written.error());
    const int status = subject.empty()
                           ? drawPdf({.kind = kind, .subjects = {configFile}, .file = file})
                           : drawPdf({.kind = kind, .subjects = {subject}, .file = file, .plan = configFile});
    ::unlink(configFile.c_str());
    return status;
}

} // namespace slipway::cli
