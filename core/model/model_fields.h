// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The fields of a model by name: the keys of a model's YAML file and of a checkpoint's manifest.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "model/model_spec.h"

namespace slipway {

// Fields that are neither numbers nor bool: names and short lists.
struct TextAccessor {
    std::function<std::string()> get;
    std::function<bool(std::string_view)> set; // false where the text means nothing
    std::string accepted;
};
using FieldPointer = std::variant<int *, double *, bool *, TextAccessor>;

// Whether a checkpoint's manifest has the field: always, where it differs from a plain LLaMA's, or never, because the
// weights mean the same without it.
enum class InManifest : std::uint8_t { Always, WhereUnusual, Never };

struct ModelField {
    std::string_view key;
    FieldPointer (*at)(ModelSpec &);
    InManifest inManifest = InManifest::WhereUnusual;
};

// In an order in which they can be set one after the other.
std::span<const ModelField> modelFields();

// "heads is 4, not 8": the first difference that changes the meaning of the weights; empty if there is none.
std::string differenceOf(const ModelSpec &model, const ModelSpec &wanted);

} // namespace slipway
