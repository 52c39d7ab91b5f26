// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Weights out of the files of Hugging Face's models and into them: other names, layouts and types (hf_names.h).
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

// Every weight of the model under our name (model_weights.h), in its order, without values. A tied head is not listed.
std::vector<HfWeight> weightsOf(const ModelSpec &model);

// All of them, with values, as the tensors of the family's files on Hugging Face.
std::vector<HfWeight> asHfTensors(const ModelSpec &model, const std::vector<HfWeight> &weights);

// Those of a run's newest checkpoint, or their moving average, without states. Fault::Input where there is none.
enum class WeightsOf : std::uint8_t { Newest, Average };
// Whether a checkpoint has the average of the weights.
bool keepsAverage(const CheckpointManifest &manifest);
struct NewestWeights {
    std::int64_t step = 0;
    std::vector<HfWeight> weights;
};
Result<NewestWeights> newestWeights(const std::filesystem::path &run, const CheckpointStore &store,
    const ModelSpec &model, WeightsOf which = WeightsOf::Newest);

// Out of model.safetensors or the files that model.safetensors.index.json names, as fp32 and under our
// names. Fault::Damaged where a file is cut, a weight is missing or has another shape, or one is there that the model
// does not have.
Result<std::vector<HfWeight>> readHfWeights(const std::filesystem::path &folder, const ModelSpec &model);

// model.safetensors and config.json of the model's family, out of all its weights by our names. The folder is made;
// what it holds already is not overwritten. Fault::Input where the family's class computes another model.
Result<void> writeHfFolder(const std::filesystem::path &folder, const ModelSpec &model,
    std::span<const HfWeight> weights, ExportType type, std::int64_t positions, const HfMarks &marks = {});

float fromBf16(std::uint16_t bits);
float fromFp16(std::uint16_t bits);
std::uint16_t toBf16(float value); // to the nearest, ties to even

} // namespace slipway
