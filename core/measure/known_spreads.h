// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// How far speeds and peaks differ from their predictions, as the published and released tables show it: standard
// deviations of logs.
#pragma once

namespace slipway {

constexpr double kNoise = 0.02;   // a run and its repetition
constexpr double kWithin = 0.07;  // runs of one source on one GPU
constexpr double kBetween = 0.20; // sources

// Of peak memory, within and between sources.
constexpr double kPeakWithin = 0.07, kPeakBetween = 0.15;

} // namespace slipway
