// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Converts the rows of a catalogue file to records, with one function per table. Unknown columns, wrong types and
// missing ids are errors with file and line.
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
// The laws of the file that give a loss as a function of parameters and tokens.
Result<std::vector<ScalingLaw>> scalingLawsOf(const YamlNode &file, const std::string &where);
// The laws of the file that give a batch size as a function of loss, tokens or FLOPs.
Result<std::vector<BatchLaw>> batchLawsOf(const YamlNode &file, const std::string &where);

} // namespace slipway
