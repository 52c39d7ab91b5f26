// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The weights of a decoder (decoder.h) in fp32 or bf16, packed as its layers read them.
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

// The type of weights, keys and values. Sums are fp32.
enum class DecoderType : std::uint8_t { Fp32, Bf16 };
template<>
struct EnumNames<DecoderType> {
    static constexpr std::array<std::string_view, 2> names{"fp32", "bf16"};
};

// A matrix [rows, columns] in one of the two types.
struct WeightMatrix {
    const float *fp32 = nullptr; // exactly one of fp32 and bf16 is set
    const std::uint16_t *bf16 = nullptr;
    std::int64_t rows = 0, columns = 0;

    void readRow(std::int64_t row, float *to) const;
};

class DecoderWeights {
public:
    // With bf16, all weights are rounded to bf16, but vectors are stored in fp32.
    DecoderWeights(std::vector<HfWeight> weights, DecoderType type);

    [[nodiscard]] bool has(std::string_view name) const { return m_weights.contains(name); }
    // The vector of a norm or a bias; null if the model has none.
    [[nodiscard]] const float *vector(std::string_view name) const;
    // The matrices of these names, concatenated by rows. Each name may be used in one list only, as the separate
    // matrices are not kept. Throws std::logic_error if the model lacks one.
    WeightMatrix matrix(const std::vector<std::string> &names);
    // The same for their biases, with zeros for a missing one; null if all are missing.
    const float *vectors(const std::vector<std::string> &names, std::span<const std::int64_t> widths);

private:
    HfWeight &at(std::string_view name);
    WeightMatrix stored(const std::string &key, std::int64_t rows, std::int64_t columns, std::vector<float> values);

    DecoderType m_type;
    std::map<std::string, HfWeight, std::less<>> m_weights;
    std::map<std::string, WeightMatrix> m_matrices; // by the concatenated names
    std::map<std::string, std::vector<float>> m_fp32;
    std::map<std::string, std::vector<std::uint16_t>> m_bf16;
};

} // namespace slipway
