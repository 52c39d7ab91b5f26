// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A real sshd on a free port of this machine, with keys and configuration of its own.
#pragma once

#include <cstdlib>
#include <string>

#include "hosts/child_process.h"
#include "support/daemon.h"
#include "support/temporary_directory.h"
#include "support/wait_until.h"

namespace slipway {

class SshServer {
public:
    // `environment`: of each session, "A=b"; `settings`: further lines of sshd_config; `alias`: what ssh calls it.
    // Sessions have a home of their own, so that nothing of the user's is read or written, and no .bashrc of theirs
    // makes every question slow.
    explicit SshServer(
        const std::string &environment = {}, const std::string &settings = {}, const std::string &alias = "testnode")
        : m_alias(alias),
          m_settings("SetEnv HOME=" + (m_folder.path() / "home").string() + " " + environment + sanitizerOptions() +
                     "\n" + settings)
    {
        if (!std::filesystem::exists("/usr/sbin/sshd")) {
            m_problem = "there is no /usr/sbin/sshd; install openssh-server";
            return;
        }
        // sshd as root wants its folder; as another user it lets that user in alone.
        std::error_code ignored;
        std::filesystem::create_directories("/run/sshd", ignored);
        std::filesystem::create_directory(path("home"));
        newHostKey("hostkey");
        if (!make({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path("id")})) {
            m_problem = "ssh-keygen made no key";
            return;
        }
        std::filesystem::copy_file(path("id.pub"), path("authorized_keys"));
        for (int tries = 0; tries < 5 && !m_running; ++tries)
            start(freePort());
        trustHostKey();
        ::setenv("SLIPWAY_SSH_CONFIG", path("ssh_config").c_str(), 1);
        ::setenv("XDG_RUNTIME_DIR", m_folder.path().c_str(), 1);
    }
    ~SshServer()
    {
        (void)runChild({"ssh", "-F", path("ssh_config"), "-o", "ControlPath=" + path("slipway-ssh/%C"), "-O", "exit",
                           "--", m_alias},
            std::chrono::seconds(10));
        ::unsetenv("SLIPWAY_SSH_CONFIG");
        ::unsetenv("XDG_RUNTIME_DIR");
    }

    [[nodiscard]] const std::string &problem() const { return m_problem; } // why it does not run; empty: it does
    [[nodiscard]] std::string path(const std::string &name) const { return (m_folder.path() / name).string(); }

    // Cuts every connection.
    void kill()
    {
        m_daemon.kill();
        m_running = false;
    }
    void startAgain() { start(m_port); }
    // What ssh sees when the machine was installed anew, or when another answers in its place.
    void changeHostKey()
    {
        kill();
        std::filesystem::remove(path("hostkey"));
        std::filesystem::remove(path("hostkey.pub"));
        newHostKey("hostkey");
        startAgain();
    }
    void forgetHostKey() { writeText(path("known_hosts"), ""); }

private:
    // A program that was built with a sanitizer needs its options in a session as well.
    static std::string sanitizerOptions()
    {
        std::string all;
        for (const char *const name : {"ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
            if (const char *const value = std::getenv(name))
                all += std::string(" ") + name + "=" + value;
        }
        return all;
    }
    static bool make(const std::vector<std::string> &argv)
    {
        const auto done = runChild(argv, std::chrono::seconds(60));
        return done && done->exitStatus == 0;
    }
    void newHostKey(const std::string &name)
    {
        make({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path(name)});
    }
    void trustHostKey()
    {
        std::ifstream in(path("hostkey.pub"));
        std::string kind, key;
        in >> kind >> key;
        writeText(path("known_hosts"), "[127.0.0.1]:" + std::to_string(m_port) + " " + kind + " " + key + "\n");
    }
    void start(int port)
    {
        m_port = port;
        writeText(path("sshd_config"),
            m_settings + "\nPort " + std::to_string(port) + "\nListenAddress 127.0.0.1\nHostKey " + path("hostkey") +
                "\nPidFile none\nAuthorizedKeysFile " + path("authorized_keys") +
                "\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication "
                "no\nPermitRootLogin prohibit-password\nSubsystem sftp internal-sftp\n"); // of two lines the first
                                                                                          // counts
        writeText(path("ssh_config"), "Host " + m_alias + "\n  HostName 127.0.0.1\n  Port " + std::to_string(port) +
                                          "\n  IdentityFile " + path("id") +
                                          "\n  IdentitiesOnly yes\n  UserKnownHostsFile " + path("known_hosts") + "\n");
        m_daemon.start({"/usr/sbin/sshd", "-D", "-e", "-f", path("sshd_config")}, path("sshd.log"));
        m_running = waitUntil(m_folder.path(), [&] { return listens(port) || m_daemon.ended(); }) && !m_daemon.ended();
        std::ifstream in(path("sshd.log"));
        m_problem =
            m_running ? "" : "sshd does not start here: " + std::string((std::istreambuf_iterator<char>(in)), {});
    }

    TemporaryDirectory m_folder;
    std::string m_alias, m_settings, m_problem;
    Daemon m_daemon;
    int m_port = 0;
    bool m_running = false;
};

} // namespace slipway
