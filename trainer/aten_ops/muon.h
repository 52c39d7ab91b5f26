// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What Muon does between its GEMMs, as cpu_ops/muon.h has it, with LibTorch's kernels. Tensors of matrices are
// [count, rows, columns]; x and its like are of the matrices' type, all else is fp32.
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

struct MuonMomentum {
    at::Tensor gradient, norm2; // norm2: of all gradients
    double gradClip = 0;        // largest norm of all gradients; 0: off
    double momentum = 0.95;
    at::Tensor buffer; // the momentum
    at::Tensor x;      // [count, shorter side, longer side]
};
void muonMomentum(const MuonMomentum &op);

void newtonSchulz(const at::Tensor &gram, at::Tensor square);

struct MuonUpdate {
    at::Tensor x;            // [count, shorter side, longer side]
    at::Tensor learningRate; // a number on the device
    double rateFactor = 1;   // times the learning rate: of x
    double weightDecay = 0;
    at::Tensor master, parameter; // parameter: the master itself, or its copy in bf16
};
void muonUpdate(const MuonUpdate &op);

void moveAverage(const at::Tensor &weight, double decay, at::Tensor average);

// Part by part, so that little memory is needed beside them.
void exchange(at::Tensor a, at::Tensor b);

} // namespace slipway::aten_ops
