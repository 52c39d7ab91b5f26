// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The trainer for nodes as packaging/node-bundle makes it, on this machine.
#pragma once

#include <string>

namespace slipway {

struct NodeBundle {
    std::string folder;  // empty: there is none
    std::string version; // empty: it does not say
};

// What SLIPWAY_NODE_BUNDLE names, else beside this program.
NodeBundle nodeBundle();

} // namespace slipway
