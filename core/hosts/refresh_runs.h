// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Updates the local copies of many runs: the hosts in parallel, the runs of one host with few connections.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "hosts/host.h"

namespace slipway {

// Keeps its Host objects between calls, because they remember the time of their last queries. One thread at a time.
class RunRefresher {
public:
    using MakeHost = std::function<Result<std::unique_ptr<Host>>(const std::filesystem::path &directory)>;
    explicit RunRefresher(MakeHost makeHost = hostOfRun) : m_makeHost(std::move(makeHost)) {}

    // Runs on this machine and runs that have ended are not refreshed. Returns the copies that could not be written; a
    // host that does not answer is not an error but a state of the run.
    std::vector<Error> refresh(const std::vector<std::filesystem::path> &directories);

private:
    MakeHost m_makeHost;
    std::map<std::string, std::unique_ptr<Host>> m_hosts; // by host name
};

} // namespace slipway
