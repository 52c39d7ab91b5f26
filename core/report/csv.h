// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// CSV by RFC 4180: CRLF, a header always, decimal points, shortest doubles that read back as the same.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predict/prediction.h"
#include "runs/run_reader.h"

namespace slipway {

// One field of text: quoted where it must be. Text that a spreadsheet would run as a formula gets a leading apostrophe.
std::string csvText(std::string_view text);
std::string csvNumber(double value); // "nan", "inf" as words
std::string csvRow(std::span<const std::string> fields); // fields are ready; adds CRLF

// One row: every choice under its flag's name, then verdict and figures, as `sweep` has them.
std::string planCsv(const Prediction &prediction);
// One row a step, the keys of metrics.jsonl as columns.
std::string runCsv(const RunData &run);

} // namespace slipway
