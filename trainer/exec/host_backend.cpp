// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "exec/host_backend.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "exec/phase_clock.h"
#include "exec/mapped_memory.h"

namespace slipway {
namespace {

class HostBackend final : public Backend {
public:
    explicit HostBackend(MappedMemory memory) : m_memory(std::move(memory)) {}

    std::span<std::byte> arena() const override { return {m_memory.data(), static_cast<std::size_t>(m_memory.size())}; }
    bool onHost() const override { return true; }
    void beginStep() override { m_clock.start(); }
    StagedInput stage(StepInput input, const OptimizerStep &) override { return {input}; }
    void run(const OpCall &call, const StepContext &context) override { opFunction(call.kernel.kind)(call, context); }
    void enter(Part part) override { m_clock.enter(part); }
    PhaseSeconds endStep() override { return m_clock.stop(); }
    BackendMemory backendMemory() override { return {}; }
    std::string description() const override { return "own ops of the processor"; }
    void read(const std::byte *from, std::span<std::byte> to) override { std::memcpy(to.data(), from, to.size()); }
    void write(std::span<const std::byte> from, std::byte *to) override { std::memcpy(to, from.data(), from.size()); }
    void finishCopies(std::span<const std::span<const std::byte>> sources, const CopySink &sink) override
    {
        for (std::size_t number = 0; number < sources.size(); ++number)
            sink(number, 0, sources[number]);
    }
    void castToBf16(const std::byte *, std::byte *, std::int64_t) override
    {
        throw std::logic_error("the processor's ops are in fp32");
    }

private:
    MappedMemory m_memory;
    PhaseClock m_clock;
};

} // namespace

Result<std::unique_ptr<Backend>> makeHostBackend(Bytes arenaBytes)
{
    Result<MappedMemory> memory = MappedMemory::map(arenaBytes);
    if (!memory)
        return memory.error();
    return std::unique_ptr<Backend>(std::make_unique<HostBackend>(std::move(*memory)));
}

} // namespace slipway
