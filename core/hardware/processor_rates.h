// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The rates of this machine's processor, measured once and kept in the user's cache folder with their date.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "hardware/processor.h"

namespace slipway {

struct Catalogue;

// Of all cores that this process may use.
struct ProcessorRates {
    double fp32Flops = 0; // FLOP/s of GEMMs whose operands stay in the first-level cache: the peak at the real clock
    double copyBandwidth = 0; // bytes/s, read and written, of arrays beyond the caches
    std::string asOf;         // date of the measurement

    bool operator==(const ProcessorRates &) const = default;
};

// Keeps all cores busy for about `duration`, half of it for each rate.
ProcessorRates measureProcessor(const ProcessorFacts &facts, Seconds duration, std::string date);

// userCachePath("processor.yaml"); empty without a home folder.
std::filesystem::path processorRatesFile();

// Empty where the file is missing or damaged, or of another processor or number of cores.
std::optional<ProcessorRates> readProcessorRates(const std::filesystem::path &file, const ProcessorFacts &facts);
Result<void> writeProcessorRates(
    const std::filesystem::path &file, const ProcessorFacts &facts, const ProcessorRates &rates);

// The device "cpu" with the measured rates in place of the estimated ones.
Gpu measuredProcessor(const ProcessorFacts &facts, const ProcessorRates &rates);

// Puts kept rates into the catalogue's device "cpu". Without a file, or where SLIPWAY_PROCESSOR=estimate is set, as in
// tests, the device stays an estimate.
void useKeptProcessorRates(Catalogue &catalogue);

// Before the first plan for this processor: measures for two seconds, after a note that says so, and keeps the rates.
// Does nothing where rates are kept, or under SLIPWAY_PROCESSOR=estimate.
void measureProcessorOnce(const std::function<void(std::string_view)> &note);

} // namespace slipway
