// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The interface of a GEMM library with an addend in the epilogue: cuBLASLt on a GPU (cuda/cublas_lt.cpp). Plain loops
// on the CPU (reference.cpp) define the results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fused_ops/fused_ops.h"

namespace slipway::fused_ops {

// A row-major matrix. `pitch`: elements from one row to the next; `stride`: elements from one matrix of a batch to the
// next.
struct Matrix {
    const void *data = nullptr;
    std::int64_t pitch = 0, stride = 0;
};

// c = A B + added, times the scales of fp8 operands, summed in fp32 and rounded once. A is [m, k]; with transposedA, a
// is stored as [k, m]. The same holds for B [k, n].
struct Gemm {
    std::int64_t m = 0, n = 0, k = 0;
    bool transposedA = false, transposedB = false;
    Float type = Float::Fp32;   // type of a and b; if a is fp8, b is E4M3
    Float result = Float::Fp32; // type of c and `added`
    Matrix a, b;
    const float *factorA = nullptr, *factorB = nullptr; // scales of fp8 operands, on the device
    void *c = nullptr;                                  // [m, n]
    const void *added = nullptr;                        // layout of c; may be c; null: no addend
    std::int64_t pitchC = 0, strideC = 0;               // of c and `added`; pitch 0: rows of `n` elements
    std::int64_t count = 1;                             // batch size
    [[nodiscard]] Float typeB() const { return type == Float::E5m2 ? Float::E4m3 : type; }
    [[nodiscard]] std::int64_t rowsOfC() const { return pitchC > 0 ? pitchC : n; }
};

// Device memory for one GEMM at a time.
struct Workspace {
    void *data = nullptr;
    std::int64_t bytes = 0;
};

void referenceGemm(const Gemm &product);

class GemmLibrary {
public:
    virtual ~GemmLibrary() = default;
    // Launches a GEMM. False if the library does not support it; then nothing was launched. Throws if it fails.
    virtual bool multiply(const Gemm &product, const Queue &queue, Workspace workspace) = 0;
    // The library, "cublaslt 13.1", with the number of shapes that it does not support.
    [[nodiscard]] virtual std::string description() const = 0;
    // The algorithm of each shape so far, as text. A resumed run restores them, because another algorithm rounds
    // differently. Empty if the library has no choice.
    [[nodiscard]] virtual std::string algorithms() const { return {}; }
    // Uses these algorithms for shapes that have not occurred yet. False if the text is malformed, or from another
    // library or device; it is then ignored.
    virtual bool restoreAlgorithms([[maybe_unused]] std::string_view choices) { return false; }
};

// cuBLASLt on the current GPU of this thread; null if the program or the machine has none. `timed`: times algorithms
// when a shape first occurs and uses the fastest. Otherwise uses the library's first choice, which is deterministic.
std::unique_ptr<GemmLibrary> cudaGemmLibrary(bool timed);

} // namespace slipway::fused_ops
