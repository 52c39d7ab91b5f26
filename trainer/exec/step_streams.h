// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The lanes of a step as a device has them: streams that run behind the host, and events that one waits for on another.
// No function here makes the host wait but join.
#pragma once

#include "exec/step_order.h"

namespace slipway {

class StepStreams {
public:
    virtual ~StepStreams() = default;
    // A step of so many ops begins, after all that came before.
    virtual void begin(std::size_t ops) = 0;
    // What is started from now on goes to this lane.
    virtual void enter(Lane lane) = 0;
    // The lane waits until the op, which was signalled on the other one, has run.
    virtual void wait(int op) = 0;
    virtual void signal(int op) = 0;
    // The compute lane, which is entered, waits for all that the other one was given.
    virtual void join() = 0;
};

} // namespace slipway
