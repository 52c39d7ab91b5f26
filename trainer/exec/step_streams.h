// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The two streams of a step on an asynchronous device, and the events between them. No function waits on the host.
#pragma once

#include "exec/step_order.h"

namespace slipway {

class StepStreams {
public:
    virtual ~StepStreams() = default;
    // Begins a step of `ops` ops, after all earlier work.
    virtual void begin(std::size_t ops) = 0;
    // Launches go to this stream from now on.
    virtual void enter(DeviceStream stream) = 0;
    // Makes the current stream wait for an op that was signalled on the other stream.
    virtual void wait(int op) = 0;
    virtual void signal(int op) = 0;
    // Makes the compute stream, which must be current, wait for all work of the other stream.
    virtual void join() = 0;
};

} // namespace slipway
