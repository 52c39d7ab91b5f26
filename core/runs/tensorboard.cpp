// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/tensorboard.h"

#include <array>
#include <bit>

#include "base/file.h"

namespace slipway {

namespace {

// Castagnoli's polynomial, reflected (RFC 3720, appendix B.4).
constexpr std::array<std::uint32_t, 256> crcTable()
{
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78U : crc >> 1;
        table[i] = crc;
    }
    return table;
}
constexpr std::array<std::uint32_t, 256> kCrc = crcTable();

template<typename T>
void putLittleEndian(std::string &text, T value)
{
    for (std::size_t i = 0; i < sizeof value; ++i)
        text += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

void putVarint(std::string &text, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        text += static_cast<char>(static_cast<unsigned char>(value | 0x80));
    text += static_cast<char>(value);
}

// Protocol buffer fields: the key is number x 8 + wire type (0 varint, 1 64-bit, 2 length and bytes, 5 32-bit).
void putDouble(std::string &text, int field, double value)
{
    putVarint(text, static_cast<std::uint64_t>(field) << 3 | 1);
    putLittleEndian(text, std::bit_cast<std::uint64_t>(value));
}

void putBytes(std::string &text, int field, std::string_view bytes)
{
    putVarint(text, static_cast<std::uint64_t>(field) << 3 | 2);
    putVarint(text, bytes.size());
    text += bytes;
}

void putScalar(std::string &summary, std::string_view tag, double value)
{
    std::string entry;
    putBytes(entry, 1, tag);
    putVarint(entry, 2 << 3 | 5);
    putLittleEndian(entry, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    putBytes(summary, 1, entry);
}

template<typename T>
void putScalar(std::string &summary, std::string_view tag, const std::optional<T> &value)
{
    if (value)
        putScalar(summary, tag, static_cast<double>(*value));
}

// Puts a quantity that every step has, unless the run never measured it and its steps have 0 instead.
void putMeasured(std::string &summary, std::string_view tag, double value, const StepTable &run, Quantity quantity)
{
    if (run.measured({quantity}))
        putScalar(summary, tag, value);
}

std::string summaryOfStep(const StepMetrics &step, const StepTable &run)
{
    std::string summary;
    putMeasured(summary, "loss/train", step.loss, run, Quantity::Loss);
    putScalar(summary, "loss/eval", step.evalLoss);
    putMeasured(summary, "speed/tokens_per_s", step.tokensPerSecond, run, Quantity::TokensPerSecond);
    putMeasured(summary, "speed/step_s", step.stepSeconds, run, Quantity::StepSeconds);
    putScalar(summary, "speed/mfu", step.mfu);
    putScalar(summary, "speed/data_wait_s", step.dataWait);
    putMeasured(summary, "optimizer/lr", step.learningRate, run, Quantity::LearningRate);
    putMeasured(summary, "optimizer/grad_norm", step.gradNorm, run, Quantity::GradNorm);
    putScalar(summary, "memory/allocated_peak", step.allocatedPeak);
    putScalar(summary, "memory/reserved_peak", step.reservedPeak);
    putScalar(summary, "memory/device_used", step.deviceUsed);
    putScalar(summary, "phases/forward", step.forward);
    putScalar(summary, "phases/backward", step.backward);
    putScalar(summary, "phases/optimizer", step.optimizer);
    putScalar(summary, "phases/communication_exposed", step.communicationExposed);
    for (std::size_t gpu = 0; gpu < step.gpus.size(); ++gpu) {
        const std::string name = "gpu" + std::to_string(gpu) + "/";
        putScalar(summary, name + "util", step.gpus[gpu].utilisation);
        putScalar(summary, name + "power_w", step.gpus[gpu].powerWatts);
        putScalar(summary, name + "temp_c", step.gpus[gpu].temperatureC);
        putScalar(summary, name + "used", step.gpus[gpu].used);
        putScalar(summary, name + "clock_mhz", step.gpus[gpu].clockMhz);
    }
    return summary;
}

double secondsOf(const std::string &time)
{
    const auto point = fromIso8601(time);
    return point ? std::chrono::duration<double>(point->time_since_epoch()).count() : 0.0;
}

} // namespace

std::uint32_t crc32c(std::string_view bytes)
{
    std::uint32_t crc = 0xffffffffU;
    for (const char byte : bytes)
        crc = kCrc[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
    return ~crc;
}

std::uint32_t maskedCrc32c(std::string_view bytes)
{
    const std::uint32_t crc = crc32c(bytes);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

std::string tensorboardRecord(std::string_view event)
{
    std::string record;
    putLittleEndian(record, static_cast<std::uint64_t>(event.size()));
    putLittleEndian(record, maskedCrc32c(record));
    record += event;
    putLittleEndian(record, maskedCrc32c(event));
    return record;
}

std::string tensorboardEvents(const RunData &run)
{
    std::string version;
    putDouble(version, 1, run.metrics.empty() ? 0.0 : secondsOf(run.metrics.front().time));
    putBytes(version, 3, "brain.Event:2");
    std::string file = tensorboardRecord(version);
    for (const StepMetrics &step : run.metrics) {
        std::string event;
        putDouble(event, 1, secondsOf(step.time));
        putVarint(event, 2 << 3);
        putVarint(event, static_cast<std::uint64_t>(step.step));
        putBytes(event, 5, summaryOfStep(step, run.metrics));
        file += tensorboardRecord(event);
    }
    return file;
}

Result<std::filesystem::path> writeTensorboard(const RunData &run, const std::filesystem::path &folder)
{
    if (run.metrics.empty())
        return Error{.what = "has no steps yet", .where = run.paths.directory.string()};
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure)
        return Error{
            .what = "cannot be created: " + failure.message(), .where = folder.string(), .fault = Fault::Outside};
    // TensorBoard finds event files by this name. It distinguishes them by the second at which they begin.
    const auto begin = static_cast<std::int64_t>(secondsOf(run.metrics.front().time));
    const std::filesystem::path file = folder / ("events.out.tfevents." + std::to_string(begin) + ".slipway");
    if (const Result<void> written = writeNamedFile(file, tensorboardEvents(run)); !written)
        return written.error();
    return file;
}

} // namespace slipway
