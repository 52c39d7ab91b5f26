// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The trainer for nodes on this machine, as packaging/node-bundle builds it.
#pragma once

#include <string>

namespace slipway {

struct NodeBundle {
    std::string folder;  // empty: there is no bundle
    std::string version; // empty: the bundle does not contain its version
};

// The folder that SLIPWAY_NODE_BUNDLE names, else the bundle next to this program.
NodeBundle nodeBundle();

} // namespace slipway
