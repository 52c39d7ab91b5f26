// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The log of another trainer.
#include "measure/training_log.h"

#include <cmath>
#include <sstream>

#include "fuzz_input.h"
#include "support/log_grammar.h"

using namespace slipway;

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    std::istringstream stream{std::string(textOf(data, size))};
    static const LogGrammar grammar = testing::shippedLogGrammar();
    const Result<TrainingLog> log = readTrainingLog(stream, "train.log", grammar);
    if (log && log->speed)
        require(std::isfinite(*log->speed) && *log->speed > 0, "a speed is a finite number above zero");
    return 0;
}
