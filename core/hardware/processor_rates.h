// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The rates of this machine's processor, which are measured once and stored with their date in the user's cache folder.
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

// The rates of all cores that this process may use.
struct ProcessorRates {
    double fp32Flops = 0;     // FLOP/s of GEMMs with operands in the L1 cache: the peak rate at the actual clock
    double copyBandwidth = 0; // bytes/s, read plus written, of arrays larger than the caches
    std::string asOf;         // date of the measurement

    bool operator==(const ProcessorRates &) const = default;
};

// Loads all cores for about `duration`, half of it for each rate.
ProcessorRates measureProcessor(const ProcessorFacts &facts, Seconds duration, std::string date);

// userCachePath("processor.yaml"); empty if there is no home folder.
std::filesystem::path processorRatesFile();

// Empty if the file is missing or damaged, or if it is for another processor or number of cores.
std::optional<ProcessorRates> readProcessorRates(const std::filesystem::path &file, const ProcessorFacts &facts);
Result<void> writeProcessorRates(
    const std::filesystem::path &file, const ProcessorFacts &facts, const ProcessorRates &rates);

// The device "cpu" with measured instead of estimated rates.
Gpu measuredProcessor(const ProcessorFacts &facts, const ProcessorRates &rates, const SpeedRates &constants);

// Applies the stored rates to the catalogue's device "cpu". Without a file, or if SLIPWAY_PROCESSOR=estimate is set, as
// in tests, the device keeps its estimated rates.
void useStoredProcessorRates(Catalogue &catalogue);

// Called before the first plan for this processor: announces the measurement through `note`, measures for two seconds
// and stores the rates. Does nothing if rates are stored already, or if SLIPWAY_PROCESSOR=estimate is set.
void measureProcessorOnce(const std::function<void(std::string_view)> &note);

} // namespace slipway
