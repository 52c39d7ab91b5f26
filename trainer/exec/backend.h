// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Where a step runs: the memory of its arena, the functions that run its ops there, and the way in and out.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/enum_names.h"
#include "base/result.h"
#include "exec/executor.h"
#include "exec/op_table.h"

namespace slipway {

// A part of a step's time.
using Part = Seconds PhaseSeconds::*;

// What a backend's own allocations besides the arena came to.
struct ExtraMemory {
    Bytes allocatedPeak = 0; // since beginStep
    Bytes reserved = 0;
};

class Backend {
public:
    virtual ~Backend() = default;

    // Addresses of the device; the host may follow them where onHost.
    [[nodiscard]] virtual std::span<std::byte> arena() const = 0;
    [[nodiscard]] virtual bool onHost() const = 0;

    virtual void beginStep() = 0;
    // The same ids where LoadBatch copies from: valid until the next call.
    virtual StepInput stage(StepInput input) = 0;
    // Starts an op; a device may run it later, in the order of the calls.
    virtual void run(const OpCall &call, const StepContext &context) = 0;
    // From now on time counts to `part`.
    virtual void enter(Part part) = 0;
    // Waits for the step's end.
    virtual PhaseSeconds endStep() = 0;
    [[nodiscard]] virtual ExtraMemory extraMemory() const = 0;

    // Copies between host and arena, after all that was started before.
    virtual void read(const std::byte *from, std::span<std::byte> to) = 0;
    virtual void write(std::span<const std::byte> from, std::byte *to) = 0;
    // to[i] = from[i] in bf16, within the arena.
    virtual void narrow(const std::byte *fp32, std::byte *bf16, std::int64_t elements) = 0;
};

// Which device, and with whose ops.
struct DeviceChoice {
    int place = 0;          // of the rank on its machine: ranks take the GPUs in turn
    bool ownKernels = true;
};

// Whether the backend has the op in this precision. Kinds of ops come from the plan.
bool executes(BackendKind backend, const Kernel &kernel);

Result<std::unique_ptr<Backend>> makeBackend(BackendKind kind, const StepPlan &plan, const ModelSpec &model, Bytes arenaBytes, DeviceChoice choice = {});

} // namespace slipway
