// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A model's shape as a YAML record: the keys of resources/catalogue/models.yaml, in the catalogue and in a user's file.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "base/yaml_row.h"
#include "model/model_spec.h"

namespace slipway {

// Reads the shape's keys off a row; failures stay with the row.
ModelSpec modelFromRow(YamlRow &row);

// A file that holds one such record. Needed: layers, hidden, heads, ffn, vocab. The shape is validated.
Result<ModelSpec> readModelYaml(const std::filesystem::path &path);

} // namespace slipway
