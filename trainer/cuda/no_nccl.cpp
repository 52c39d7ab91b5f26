// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/nccl_group.h"

namespace slipway {

std::string ncclMissing()
{
    return "this program was built without NCCL (nccl.h is in LibTorch's folder nvidia/nccl/include, and in some CUDA "
           "toolkits)";
}

Result<std::unique_ptr<Communicator>> withNccl(std::unique_ptr<Communicator> &, const Rendezvous &)
{
    return Error{.what = ncclMissing(), .where = "communicator: nccl", .accepted = "gloo, threads, auto"};
}

} // namespace slipway
