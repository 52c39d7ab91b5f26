// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Reads and writes weights in the files of Hugging Face models, with their names, layouts and types (hf_names.h).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "model/hf_config.h"
#include "model/model_spec.h"
#include "state/checkpoint.h"

namespace slipway {

enum class ExportType : std::uint8_t { Fp32, Bf16 };
template<>
struct EnumNames<ExportType> {
    static constexpr std::array<std::string_view, 2> names{"fp32", "bf16"};
};

struct HfWeight {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values; // row-major
    bool operator==(const HfWeight &) const = default;
};

// All weights of the model by our names (model_weights.h), in order, without values and without a tied head.
std::vector<HfWeight> weightsOf(const ModelSpec &model);

// Converts all weights, with values, to the tensors of the model family's files.
std::vector<HfWeight> asHfTensors(const ModelSpec &model, const std::vector<HfWeight> &weights);

// Which weights of the latest checkpoint: the weights themselves, or their moving average.
enum class WeightsOf : std::uint8_t { Newest, Average };
// Whether a checkpoint has the average of the weights.
bool keepsAverage(const CheckpointManifest &manifest);
struct NewestWeights {
    std::int64_t step = 0;
    std::vector<HfWeight> weights;
};
Result<NewestWeights> newestWeights(const std::filesystem::path &run, const CheckpointStore &store,
    const ModelSpec &model, WeightsOf which = WeightsOf::Newest);

// Reads model.safetensors, or the files that model.safetensors.index.json names, as fp32 under our names.
// Fault::Damaged if a file is truncated, a weight is missing or has another shape, or there is a weight that the model
// does not have.
Result<std::vector<HfWeight>> readHfWeights(const std::filesystem::path &folder, const ModelSpec &model);

// Writes model.safetensors and config.json of the model's family from all weights by our names. Creates the folder, and
// does not overwrite files. Fault::Input if the family's class cannot represent the model.
Result<void> writeHfFolder(const std::filesystem::path &folder, const ModelSpec &model,
    std::span<const HfWeight> weights, ExportType type, std::int64_t positions, const HfMarks &marks = {});

float fromBf16(std::uint16_t bits);
float fromFp16(std::uint16_t bits);
std::uint16_t toBf16(float value); // rounds to nearest, ties to even

} // namespace slipway
