// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The log of another trainer.
#include "measure/training_log.h"

#include <cmath>
#include <sstream>

#include "fuzz_input.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    std::istringstream stream{std::string(textOf(data, size))};
    const Result<TrainingLog> log = readTrainingLog(stream, "train.log");
    if (log && log->speed)
        require(std::isfinite(*log->speed) && *log->speed > 0, "a speed is a finite number above zero");
    return 0;
}
