// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the keys of a family's config.json mean, in both directions: one mapping a family, of tables that several share.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "model/families.h"
#include "model/hf_reader.h"

namespace slipway {

// A key with a place in the description.
struct HfKey {
    std::string_view key;
    FieldPlace (*at)(ModelSpec &);
    bool required = false;
};

// Keys that mean something together.
struct HfPart {
    void (*read)(HfReader &, ModelSpec &);
    void (*write)(nlohmann::ordered_json &, const ModelSpec &);
};

// A key that has one meaning only, given as JSON; null and a missing key mean the same.
struct HfFixed {
    std::string_view key, json;
};

struct HfMapping {
    std::vector<HfKey> keys;
    std::vector<HfPart> parts; // in their order, after the keys
    std::vector<HfFixed> fixed;
    std::vector<std::string_view> ignored; // what decides nothing of a training step
};

HfMapping mappingOf(const ModelFamily &family);

} // namespace slipway
