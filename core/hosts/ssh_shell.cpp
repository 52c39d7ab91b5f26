// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hosts/ssh_shell.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/text.h"
#include "hosts/host_text.h"
#include "hosts/shell_quote.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr int kSshFailed = 255;
constexpr std::string_view kBegin = "\x1eslipway\x1e"; // text that a login prints comes before this marker

// A folder with mode 0700 of this user, short enough for the name of a socket. The name may have 108 bytes. Of these,
// ssh needs 59 for the value of %C and for the name that it creates first.
fs::path socketFolder()
{
    constexpr std::size_t kLongest = 108 - 60;
    const char *const runtime = std::getenv("XDG_RUNTIME_DIR");
    std::vector<fs::path> places;
    if (runtime && *runtime == '/')
        places.emplace_back(fs::path(runtime) / "slipway-ssh");
    places.emplace_back("/tmp/slipway-ssh-" + std::to_string(::getuid()));
    for (const fs::path &place : places) {
        ::mkdir(place.c_str(), 0700);
        struct stat status{};
        const bool ours = ::lstat(place.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                          status.st_uid == ::getuid() && (status.st_mode & 077) == 0;
        if (ours && place.native().size() <= kLongest && place.native().find_first_of(" \t\"'%") == std::string::npos)
            return place;
    }
    return {};
}

std::vector<std::string> sshOptions()
{
    std::vector<std::string> ssh{"ssh"};
    if (const char *const file = std::getenv("SLIPWAY_SSH_CONFIG"); file && *file)
        ssh.insert(ssh.end(), {"-F", file});
    // Options given here take precedence over the user's configuration. Debian's ssh raises ServerAliveInterval if
    // BatchMode is set, so both are given.
    for (const char *option : {"BatchMode=yes", "StrictHostKeyChecking=yes", "ForwardAgent=no", "ForwardX11=no",
             "ConnectTimeout=10", "ServerAliveInterval=15", "ServerAliveCountMax=3"})
        ssh.insert(ssh.end(), {"-o", option});
    if (const fs::path folder = socketFolder(); !folder.empty()) {
        for (const std::string &option : {std::string("ControlMaster=auto"), "ControlPath=" + folder.string() + "/%C",
                 std::string("ControlPersist=60")})
            ssh.insert(ssh.end(), {"-o", option});
    }
    return ssh;
}

// The word after `marker`, up to white space.
std::string wordAfter(const std::string &text, const std::string &marker)
{
    const std::size_t found = text.find(marker);
    if (found == std::string::npos)
        return "";
    const std::size_t begin = text.find_first_not_of(" \t\r\n", found + marker.size());
    const std::size_t end = begin == std::string::npos ? begin : text.find_first_of(" \t\r\n", begin);
    return begin == std::string::npos ? "" : text.substr(begin, end - begin);
}

std::string withoutFullStop(std::string text)
{
    while (!text.empty() && text.back() == '.')
        text.pop_back();
    return text;
}

// ssh writes warnings before the line with the reason.
std::string lastLine(const std::string &text)
{
    const std::string_view all = trimmed(text);
    const std::size_t newline = all.rfind('\n');
    return std::string(trimmed(newline == std::string_view::npos ? all : all.substr(newline + 1)));
}

Error changedKey(const std::string &alias, const std::string &text)
{
    const std::string now = withoutFullStop(wordAfter(text, "sent by the remote host is"));
    const std::string known = wordAfter(text, "key in ");
    return {.what = "its host key has changed, so nothing was sent to it. Either the machine was reinstalled, or "
                    "another machine answers in its place. The key that was received is " +
                    (now.empty() ? "not shown" : now) + "; the known one is in " +
                    (known.empty() ? "known_hosts" : known),
        .where = alias,
        .accepted = "the known key. Where the host's administrator confirms the new one: remove the old one with "
                    "ssh-keygen -R, "
                    "connect once with ssh " +
                    alias + ", and compare its fingerprint",
        .fault = Fault::Outside};
}

} // namespace

Error sshError(const std::string &alias, const std::string &text)
{
    const auto says = [&](const char *words) { return text.find(words) != std::string::npos; };
    if (says("HOST IDENTIFICATION HAS CHANGED"))
        return changedKey(alias, text);
    if (says("Host key verification failed") || says("host key is known for"))
        return {.what = "its host key is not known here, so nothing was sent to it",
            .where = alias,
            .accepted = "a known key: connect once with ssh " + alias +
                        ", compare the fingerprint that it shows with the host's own, and confirm",
            .fault = Fault::Outside};
    if (says("Permission denied")) {
        // A connection that the user opened on our socket is used, however it was authenticated.
        const fs::path folder = socketFolder();
        const std::string own =
            folder.empty() ? std::string()
                           : "; or a connection that you open yourself, which is then used: ssh -MNf -o ControlPath=" +
                                 folder.string() + "/%C " + alias;
        const bool asks = says("password") || says("keyboard-interactive");
        return {.what = (asks ? "asks for a password or a second factor, which Slipway does not prompt for: "
                              : "refuses the login: ") +
                        lastLine(text),
            .where = alias,
            .accepted = "a key or an agent with which ssh " + alias + " needs no prompt" + own,
            .fault = Fault::Outside};
    }
    if (says("Could not resolve hostname"))
        return {.what = "is not a host that this machine knows: " + lastLine(text),
            .where = alias,
            .accepted = "local, an alias of your ssh configuration, user@host, slurm:, slurm:ALIAS",
            .fault = Fault::Outside};
    return {.what = "cannot be reached" + (trimmed(text).empty() ? std::string() : ": " + lastLine(text)),
        .where = alias,
        .fault = Fault::Outside};
}

Result<std::unique_ptr<SshShell>> SshShell::to(const std::string &alias)
{
    const auto allowed = [](char c) {
        return isLetterOrDigit(c) || c == '.' || c == '_' || c == '-' || c == '@' || c == '+' || (c & 0x80) != 0;
    };
    // rsync passes the part after the @ to ssh as a separate word.
    const std::string host = alias.substr(alias.rfind('@') + 1);
    if (host.empty() || alias.front() == '-' || host.front() == '-' ||
        !std::all_of(alias.begin(), alias.end(), allowed))
        return Error{.what = "is not a valid host name",
            .where = alias.empty() ? "''" : alias,
            .accepted = "local, an alias of your ssh configuration, user@host, slurm:, slurm:ALIAS"};
    return std::unique_ptr<SshShell>(new SshShell(alias, sshOptions()));
}

// ssh joins its words into one line for the user's login shell, which may be any shell. So the line is constant.
std::vector<std::string> SshShell::runCommand() const
{
    std::vector<std::string> argv = m_ssh;
    argv.insert(argv.end(), {"-T", "--", m_alias, "exec /bin/sh"});
    return argv;
}

std::string SshShell::runInput(const std::string &script, const std::vector<std::string> &arguments) const
{
    return "printf '\\036slipway\\036'\n" + shellInput(script, arguments);
}

Result<ChildResult> SshShell::run(
    const std::string &script, const std::vector<std::string> &arguments, const ChildLimits &limits)
{
    Result<ChildResult> done = runChild(runCommand(), limits, runInput(script, arguments));
    if (!done)
        return Error{
            .what = "did not answer as expected: ssh " + done.error().what, .where = m_alias, .fault = Fault::Outside};
    done->err = shownErrors(done->err);
    if (done->exitStatus == kSshFailed)
        return sshError(m_alias, done->err);
    const std::size_t begin = done->out.find(kBegin);
    if (begin == std::string::npos)
        return Error{.what = "has no POSIX shell that answers: " +
                             shownLine(lastLine(done->err.empty() ? done->out : done->err)),
            .where = m_alias,
            .accepted = "a login that runs commands with /bin/sh",
            .fault = Fault::Outside};
    done->out.erase(0, begin + kBegin.size());
    return done;
}

std::vector<std::string> SshShell::rsyncOptions() const
{
    // rsync splits the value of -e at spaces. It knows quotes, in which a doubled quote stands for one.
    std::string ssh;
    for (const std::string &word : m_ssh) {
        std::string quoted;
        for (const char c : word)
            quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
        ssh +=
            (ssh.empty() ? "" : " ") + (word.find_first_of(" \t'\"") == std::string::npos ? word : '"' + quoted + '"');
    }
    return {"-s", "-e", ssh}; // -s: paths are not passed to the host's shell
}

std::optional<Error> SshShell::connectionError(const std::string &errors) const
{
    for (const char *words : {"Host key verification failed", "Permission denied (p", "Permission denied (k",
             "Could not resolve hostname"}) {
        if (errors.find(words) != std::string::npos)
            return sshError(m_alias, errors);
    }
    return std::nullopt;
}

std::string SshShell::shown(const std::string &command) const
{
    return "ssh " + shellQuoted(m_alias) + " " + shellQuoted(command);
}

} // namespace slipway
