// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The meaning of the keys in config.json, in both directions: one mapping per family, made of tables that families
// share.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "model/families.h"
#include "model/hf_reader.h"

namespace slipway {

// A key that corresponds to one field of ModelSpec.
struct HfKey {
    std::string_view key;
    FieldPointer (*at)(ModelSpec &);
    bool required = false;
};

// Keys that have a meaning only together.
struct HfPart {
    void (*read)(HfReader &, ModelSpec &);
    void (*write)(nlohmann::ordered_json &, const ModelSpec &);
};

// A key for which only one value is supported, given as JSON; null and a missing key are accepted too.
struct HfFixed {
    std::string_view key, json;
};

struct HfMapping {
    std::vector<HfKey> keys;
    std::vector<HfPart> parts; // in their order, after the keys
    std::vector<HfFixed> fixed;
    std::vector<std::string_view> ignored; // keys without an effect on a training step
};

HfMapping mappingOf(const ModelFamily &family);

} // namespace slipway
