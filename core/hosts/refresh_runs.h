// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Brings the copies of many runs up to date: hosts at once, the runs of one host with few questions.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "hosts/host.h"

namespace slipway {

// Keeps its hosts, which know what they asked when. One thread at a time.
class RunRefresher {
public:
    using MakeHost = std::function<Result<std::unique_ptr<Host>>(const std::filesystem::path &directory)>;
    explicit RunRefresher(MakeHost makeHost = hostOfRun) : m_makeHost(std::move(makeHost)) {}

    // Runs of this machine, and ended ones, are left as they are. What could not be written is told; a host that does
    // not answer is a standing.
    std::vector<Error> refresh(const std::vector<std::filesystem::path> &directories);

private:
    MakeHost m_makeHost;
    std::map<std::string, std::unique_ptr<Host>> m_hosts; // by name
};

} // namespace slipway
