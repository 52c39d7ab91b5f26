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

// Reads the keys of the shape from a row; the row collects errors.
ModelSpec modelFromRow(YamlRow &row);

// Reads a file with one such record. Required: layers, hidden, heads, ffn, vocab. The shape is validated.
Result<ModelSpec> readModelYaml(const std::filesystem::path &path);

} // namespace slipway
