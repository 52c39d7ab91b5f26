// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A model's shape out of the config.json that Hugging Face repositories carry.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model_spec.h"

namespace slipway {

// `model_type` decides what the keys mean and what is left out of them; one that is not known is an error that lists
// those that are. The shape is validated.
Result<ModelSpec> modelFromHfConfig(std::string_view json, const std::string &where);
Result<ModelSpec> readHfConfig(const std::filesystem::path &path);
// Whether a model of the file's sizes computes what the file asks for: its weights would mean something else to one
// that does not.
Result<void> requirePlainLlama(const std::filesystem::path &path);

} // namespace slipway
