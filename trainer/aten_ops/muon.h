// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The elementwise steps of Muon between its GEMMs (see cpu_ops/muon.h), with LibTorch. update, x, gram and square have
// the type of the GEMMs, all other tensors are fp32.
#pragma once

#include <ATen/core/Tensor.h>

namespace slipway::aten_ops {

struct MuonMomentum {
    at::Tensor gradient, norm2; // norm2: squared norm of all gradients
    double gradClip = 0;        // upper limit of the norm of all gradients; 0: no clipping
    double momentum = 0.95;
    at::Tensor buffer; // momentum buffer
    at::Tensor update;
};
void muonMomentum(const MuonMomentum &op);

// Divides each matrix [count, elements] by its Frobenius norm.
void muonNormalize(at::Tensor x);

// Matrices are [count, side, side].
void newtonSchulz(const at::Tensor &gram, at::Tensor square);

struct MuonUpdate {
    at::Tensor x;            // the update of these weights
    at::Tensor learningRate; // scalar on the device
    double rateFactor = 1;   // factor on the learning rate
    double weightDecay = 0;
    at::Tensor master, parameter; // the parameter is the master weight itself, or its copy in bf16
};
void muonUpdate(const MuonUpdate &op);

void updateEma(const at::Tensor &weight, double decay, at::Tensor average);

// Swaps the contents in blocks, so that it allocates little.
void swapTensors(at::Tensor a, at::Tensor b);

} // namespace slipway::aten_ops
