// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Writes down on which stream each op of a rank would run: LibTorch's, which take the thread's current stream, and what
// is called directly, which is told one. All ops of a plan's stream must run on one stream of the device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ATen/record_function.h>

#include "comm/communicator.h"
#include "comm/device_group.h"
#include "fused_ops/gemm.h"
#include "standin_device.h"

namespace slipway::testing {

struct SeenOp {
    std::string name;
    c10::StreamId current = 0, told = 0; // told: of what is called directly; LibTorch's ops are told none
};

class StreamChecker {
public:
    StreamChecker()
    {
        s_checker = this;
        m_callback = at::addThreadLocalCallback(at::RecordFunctionCallback(&see).scopes({at::RecordScope::FUNCTION}));
    }
    ~StreamChecker()
    {
        at::removeCallback(m_callback);
        s_checker = nullptr;
    }
    StreamChecker(const StreamChecker &) = delete;
    StreamChecker &operator=(const StreamChecker &) = delete;

    // Of the thread's checker, where it has one.
    static void tell(const std::string &name, const void *stream)
    {
        if (s_checker)
            s_checker->m_direct.push_back(
                {name, StandInGuard::current, reinterpret_cast<c10::StreamId>(const_cast<void *>(stream))});
    }

    [[nodiscard]] std::vector<SeenOp> takeLibTorchs() { return std::exchange(m_libTorchs, {}); }
    [[nodiscard]] std::vector<SeenOp> takeDirect() { return std::exchange(m_direct, {}); }

private:
    static std::unique_ptr<at::ObserverContext> see(const at::RecordFunction &function)
    {
        if (s_checker)
            s_checker->m_libTorchs.push_back({function.name(), StandInGuard::current, StandInGuard::current});
        return nullptr;
    }

    static inline thread_local StreamChecker *s_checker = nullptr;
    at::CallbackHandle m_callback{};
    std::vector<SeenOp> m_libTorchs, m_direct;
};

// Plain loops in the place of cuBLASLt.
class SeenGemms final : public fused_ops::GemmLibrary {
public:
    bool multiply(const fused_ops::Gemm &gemm, const fused_ops::Queue &queue, fused_ops::Workspace) override
    {
        StreamChecker::tell("gemm", queue.stream);
        fused_ops::referenceGemm(gemm);
        return true;
    }
    [[nodiscard]] std::string description() const override { return "seen"; }
};

// A rank whose collectives are put on streams.
class SeenRank final : public Communicator, public DeviceGroup {
public:
    explicit SeenRank(Communicator &host) : m_host(host) {}
    [[nodiscard]] int rank() const override { return m_host.rank(); }
    [[nodiscard]] int size() const override { return m_host.size(); }
    void allReduceSum(std::span<float> data) override { m_host.allReduceSum(data); }
    void allReduceMax(std::span<float> data) override { m_host.allReduceMax(data); }
    void reduceScatterSum(std::span<float> all, std::span<float> own) override { m_host.reduceScatterSum(all, own); }
    void allGather(std::span<const std::byte> own, std::span<std::byte> all) override { m_host.allGather(own, all); }
    void broadcast(std::span<std::byte> data, int root) override { m_host.broadcast(data, root); }
    void barrier() override { m_host.barrier(); }
    void allToAll(std::span<const std::byte> sent, std::span<const std::size_t> sentSizes,
        std::span<std::byte> received, std::span<const std::size_t> receivedSizes) override
    {
        m_host.allToAll(sent, sentSizes, received, receivedSizes);
    }
    void send(std::span<const std::byte> data, int to) override { m_host.send(data, to); }
    void receive(std::span<std::byte> data, int from) override { m_host.receive(data, from); }
    std::unique_ptr<Communicator> split(int color) override { return m_host.split(color); }
    [[nodiscard]] DeviceGroup *onDevice() override { return this; }

    void allReduceSum(float *data, std::size_t count, void *stream) override
    {
        StreamChecker::tell("all-reduce", stream);
        m_host.allReduceSum({data, count});
    }
    void reduceScatterSum(const float *all, float *own, std::size_t count, void *stream) override
    {
        StreamChecker::tell("reduce-scatter", stream);
        m_host.reduceScatterSum(
            {const_cast<float *>(all), count * static_cast<std::size_t>(m_host.size())}, {own, count});
    }
    void allGather(const std::byte *own, std::byte *all, std::size_t ownBytes, void *stream) override
    {
        StreamChecker::tell("all-gather", stream);
        m_host.allGather({own, ownBytes}, {all, ownBytes * static_cast<std::size_t>(m_host.size())});
    }
    void allReduceMax(float *, std::size_t, void *) override { none(); }
    void allToAll(
        const std::byte *, std::span<const std::size_t>, std::byte *, std::span<const std::size_t>, void *) override
    {
        none();
    }
    void send(const std::byte *, std::size_t, int, void *) override { none(); }
    void receive(std::byte *, std::size_t, int, void *) override { none(); }
    void groupCalls(const std::function<void()> &, void *) override { none(); }
    void check() override {}
    void allReduceSumBf16(std::byte *, std::size_t, void *) override { none(); }
    void reduceScatterSumBf16(const std::byte *, std::byte *, std::size_t, void *) override { none(); }

private:
    [[noreturn]] static void none() { throw std::logic_error("the plans of these tests have no such collective"); }
    Communicator &m_host;
};

} // namespace slipway::testing
