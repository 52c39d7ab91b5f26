// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What a checkpoint says of itself: manifest.json beside its tensors, written last.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "model/model_spec.h"

namespace slipway {

struct CheckpointManifest {
    std::int64_t step = 0;    // finished
    Tokens tokens = 0;        // seen by all ranks
    std::uint64_t samples = 0; // drawn by all ranks: the whole position in the data, see data/sample_order.h
    std::uint64_t seed = 0;
    int attempt = 0;
    std::string configDigest; // checksum of run.yaml's content
    ModelSpec model;
    std::map<std::string, std::string> checksums; // "FILE/TENSOR" -> checksum of its bytes
    bool operator==(const CheckpointManifest &) const = default;
};

std::string toJson(const CheckpointManifest &manifest);
// Fault::Damaged where anything is missing or the manifest's own checksum does not hold.
Result<CheckpointManifest> manifestFromJson(std::string_view text, const std::string &where);

// Empty where weights of `saved` fit `wanted`; else the first difference: "hidden is 128, not 256". Names may differ.
std::string differenceOf(const ModelSpec &saved, const ModelSpec &wanted);

} // namespace slipway
