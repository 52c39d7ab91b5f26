// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/rendezvous.h"

namespace slipway {

std::string glooMissing() { return "this program was built without Gloo (libgloo-dev)"; }

Result<std::unique_ptr<Communicator>> joinGloo(const Rendezvous &)
{
    return Error{.what = glooMissing(), .where = "communicator", .accepted = "threads"};
}

} // namespace slipway
