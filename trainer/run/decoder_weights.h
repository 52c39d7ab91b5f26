// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The weights of a decoder (decoder.h), in fp32 or bf16, in the shapes in which its layers read them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "state/hf_weights.h"

namespace slipway {

// How weights, keys and values are stored; sums are in fp32.
enum class DecoderType : std::uint8_t { Fp32, Bf16 };
template<>
struct EnumNames<DecoderType> {
    static constexpr std::array<std::string_view, 2> names{"fp32", "bf16"};
};

// [rows, columns] of one of the two types.
struct WeightMatrix {
    const float *wide = nullptr; // or
    const std::uint16_t *narrow = nullptr;
    std::int64_t rows = 0, columns = 0;

    void readRow(std::int64_t row, float *to) const;
};

class DecoderWeights {
public:
    // In bf16 every weight is rounded to it; vectors are kept in fp32 all the same.
    DecoderWeights(std::vector<HfWeight> weights, DecoderType type);

    [[nodiscard]] bool has(std::string_view name) const { return m_weights.contains(name); }
    // Of a norm or a bias; nullptr where the model has none.
    [[nodiscard]] const float *vector(std::string_view name) const;
    // The matrices of these names below each other, as one. Each name belongs to one such list: a matrix that is asked
    // for with others is not kept alone. std::logic_error where the model lacks one.
    WeightMatrix matrix(const std::vector<std::string> &names);
    // Likewise their biases, zeros where one has none; nullptr where none has.
    const float *vectors(const std::vector<std::string> &names, std::span<const std::int64_t> widths);

private:
    HfWeight &at(std::string_view name);
    WeightMatrix stored(const std::string &key, std::int64_t rows, std::int64_t columns, std::vector<float> values);

    DecoderType m_type;
    std::map<std::string, HfWeight, std::less<>> m_weights;
    std::map<std::string, WeightMatrix> m_matrices; // by the names, joined
    std::map<std::string, std::vector<float>> m_wide;
    std::map<std::string, std::vector<std::uint16_t>> m_narrow;
};

} // namespace slipway
