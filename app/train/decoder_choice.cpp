// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "decoder_choice.h"

#include <exception>
#include <string>
#include <utility>

#include "exec/cuda_devices.h"
#include "run/decoder.h"
#include "run/torch_decoder.h"

namespace slipway::train_app {

void addDecoderFlags(CLI::App &command, DecoderChoice &choice)
{
    command
        .add_option_function<std::string>(
            "--weights", [&choice](const std::string &text) { choice.type = *enumFromName<DecoderType>(text); },
            "Storage of the weights and the KV cache: fp32 or bf16")
        ->check(CLI::IsMember({"fp32", "bf16"}))
        ->type_name("TYPE")
        ->default_str("fp32");
    command
        .add_option_function<std::string>(
            "--device", [&choice](const std::string &text) { choice.cuda = text == "cuda"; },
            "Device that generates: cpu or cuda")
        ->check(CLI::IsMember({"cpu", "cuda"}))
        ->type_name("DEVICE")
        ->default_str("cpu");
}

Result<std::unique_ptr<SequenceDecoder>> makeDecoder(const DecoderChoice &choice, const ModelSpec &model,
    std::vector<HfWeight> weights, std::int64_t positions, const KvCacheOptions &cache)
{
    if (!choice.cuda)
        return std::unique_ptr<SequenceDecoder>(
            std::make_unique<Decoder>(model, std::move(weights), positions, cache, choice.type));
    if (const Result<std::vector<CudaDevice>> devices = cudaDevices(); !devices)
        return devices.error();
    try { // LibTorch may throw exceptions
        return std::unique_ptr<SequenceDecoder>(
            std::make_unique<TorchDecoder>(model, weights, positions, cache, choice.type, DecoderDevice::Cuda));
    } catch (const std::exception &fault) {
        return Error{.what = fault.what(), .where = "--device cuda", .accepted = "cpu", .fault = Fault::Outside};
    }
}

} // namespace slipway::train_app
