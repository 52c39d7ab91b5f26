// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Finds the framework version and the uncertain options that explain own runs best. `slipway calibrate` prints them
// with the constants, and uses them with --choose.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "measure/observation.h"

namespace slipway {

// A version, or one option that is another than the profile's.
struct SoftwareCandidate {
    std::string software; // "hf-trainer@4.46"
    std::string option;   // "limit_gathers=false"; empty: as the profile has it
    double odds = 0;      // how many times as likely as what was given, by the runs and by what is known beforehand
    bool operator==(const SoftwareCandidate &) const = default;

    // "hf-trainer@4.46 with limit_gathers=false"
    [[nodiscard]] std::string text() const;
};

// Of the runs on one GPU that name one framework.
struct SoftwareChoice {
    std::string gpu, given;
    int runs = 0;
    std::vector<SoftwareCandidate> candidates; // likeliest first; none where what was given is the likeliest
    // Whether the evidence is strong: otherwise nothing is to be changed.
    [[nodiscard]] bool isClear() const;
};

// Only groups whose runs plan differently under some candidate. Runs without a profile have none.
std::vector<SoftwareChoice> chooseSoftware(const std::vector<Observation> &observations, const Catalogue &catalogue);

// The observations under the choice that is clear for them; the others stay as they are.
std::vector<Observation> withChosenSoftware(
    std::vector<Observation> observations, const std::vector<SoftwareChoice> &choices, const Catalogue &catalogue);

// What a calibration keeps of the choices that are clear.
std::vector<SoftwareOfRuns> softwareOfRuns(const std::vector<SoftwareChoice> &choices);

std::string toText(const std::vector<SoftwareChoice> &choices);
nlohmann::ordered_json toJson(const std::vector<SoftwareChoice> &choices);

} // namespace slipway
