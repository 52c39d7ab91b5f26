// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A run that a command names, together with its host.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "hosts/host.h"

namespace slipway::cli {

struct HostedRun {
    std::filesystem::path directory;
    std::unique_ptr<Host> host;
};
// `run` is its name or its directory.
Result<HostedRun> findHostedRun(const std::string &run);

} // namespace slipway::cli
