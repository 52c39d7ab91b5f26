// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "core/hosts/remote_run_fixture.h"
#include "support/ssh_server.h"

namespace slipway {

// Runs on the host that the test's sshd is.
class OnTestnode : public RemoteRunTest {
protected:
    // A program that sees nothing of an earlier one.
    std::unique_ptr<Host> host() { return std::move(*makeHost("testnode:" + m_home.string())); }
    LaunchedRun launch()
    {
        const auto run = launchRun(m_order, *host(), m_registry);
        EXPECT_TRUE(run) << run.error().message();
        if (!run)
            return {};
        (void)there(*run);
        return *run;
    }
};

} // namespace slipway
