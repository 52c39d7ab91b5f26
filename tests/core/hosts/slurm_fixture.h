// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run of one job on the real Slurm that the tests of a program share.
#pragma once

#include "core/hosts/remote_run_fixture.h"
#include "hosts/slurm_host.h"
#include "support/slurm_cluster.h"

namespace slipway {

class OnSlurm : public RemoteRunTest {
protected:
    void SetUp() override
    {
        if (!m_cluster.problem().empty())
            GTEST_SKIP() << m_cluster.problem();
        ASSERT_TRUE(m_cluster.reset());
        m_host = host();
        m_order.config.training.timeLimit = 600;
    }
    // As `slurm:` is, but asking the controller whenever it is looked at.
    std::unique_ptr<Host> host(const std::vector<std::string> &options = {})
    {
        return std::make_unique<SlurmHost>(
            "slurm:", std::make_unique<LocalShell>(), m_home.string(), options, std::chrono::milliseconds(0));
    }
    LaunchedRun launch()
    {
        const auto run = launchRun(m_order, *m_host, m_registry);
        EXPECT_TRUE(run) << run.error().message();
        if (!run)
            return {};
        (void)there(*run);
        return *run;
    }

    SlurmCluster &m_cluster = SlurmCluster::shared();
    std::unique_ptr<Host> m_host;
};

} // namespace slipway
