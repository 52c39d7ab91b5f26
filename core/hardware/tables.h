// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// From a row of a catalogue's file to the record, one function a table. Unknown columns, wrong types and missing ids
// are errors with file and line.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"
#include "hardware/catalogue.h"

namespace slipway {

Result<std::vector<Gpu>> gpusOf(const YamlNode &file, const std::string &where);
Result<std::vector<Node>> nodesOf(const YamlNode &file, const std::string &where);
Result<std::vector<CatalogueModel>> modelsOf(const YamlNode &file, const std::string &where);
Result<std::vector<PriceBook>> priceBooksOf(const YamlNode &file, const std::string &where);
// Those of them that give a loss over parameters and tokens.
Result<std::vector<ScalingLaw>> scalingLawsOf(const YamlNode &file, const std::string &where);
// Those of them that give a batch size, over loss, tokens or FLOPs.
Result<std::vector<BatchLaw>> batchLawsOf(const YamlNode &file, const std::string &where);

} // namespace slipway
