// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Matrix products of a library that adds on the way, behind one signature: cuBLASLt on a GPU (cuda/lt_products.cpp),
// and on the processor plain loops (reference.cpp), which say what they compute.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fused_ops/fused_ops.h"

namespace slipway::fused_ops {

// A row-major matrix; elements from a row to the next, and of several products from one's matrix to the next one's.
struct Matrix {
    const void *data = nullptr;
    std::int64_t pitch = 0, stride = 0;
};

// c = A B + added, with the factors of fp8, summed in fp32 and rounded once. A is [m, k], or its transpose where a is
// given as [k, m]; B likewise.
struct Product {
    std::int64_t m = 0, n = 0, k = 0;
    bool transposedA = false, transposedB = false;
    Float type = Float::Fp32;   // of a and b; of a where that is fp8, and b is Fp8 then
    Float result = Float::Fp32; // of c and what is added
    Matrix a, b;
    const float *factorA = nullptr, *factorB = nullptr; // on the device, of fp8
    void *c = nullptr;                                  // [m, n]
    const void *added = nullptr;                        // like c; may be c; null: nothing
    std::int64_t pitchC = 0, strideC = 0;               // of c and what is added; 0: rows of `n` elements
    std::int64_t count = 1;                             // of products in one go
    [[nodiscard]] Float typeB() const { return type == Float::Fp8Wide ? Float::Fp8 : type; }
    [[nodiscard]] std::int64_t rowsOfC() const { return pitchC > 0 ? pitchC : n; }
};

// Memory of the device for one product at a time.
struct Workspace {
    void *data = nullptr;
    std::int64_t bytes = 0;
};

void referenceProduct(const Product &product);

class Products {
public:
    virtual ~Products() = default;
    // False where the library has nothing for it: then nothing was started. Throws where it fails.
    virtual bool multiply(const Product &product, const Queue &queue, Workspace workspace) = 0;
    // "cublaslt 13.1": the library; with what it had nothing for.
    [[nodiscard]] virtual std::string description() const = 0;
    // Which of its algorithms the library took for each shape that was met, as text: to be kept, since sums of another
    // algorithm round otherwise. Empty where it has no choice.
    [[nodiscard]] virtual std::string choices() const { return {}; }
    // Takes the same again, for shapes that were not met yet. False where the text is none, or of another library or
    // device: then nothing of it counts.
    virtual bool recall([[maybe_unused]] std::string_view choices) { return false; }
};

// Of the GPU that this thread has chosen; null where this program, or the machine, has no cuBLASLt. `timed`: the
// fastest algorithm is looked for when a shape is first met; else the library's own first choice, which repeats.
std::unique_ptr<Products> cudaProducts(bool timed);

} // namespace slipway::fused_ops
