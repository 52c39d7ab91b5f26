// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The same step on every card that somebody prices: which to rent.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hardware/catalogue.h"
#include "predict/prediction.h"

namespace slipway {

struct Offer {
    // As many cards of another kind for the same tokens a step; where it does not fit, with smaller micro-batches, then with full recomputation.
    RunConfig config;
    std::string card;                 // its name
    Verdict verdict = Verdict::Fits;
    Bytes peak = 0, capacity = 0;
    double tokensPerSecond = 0;
    Seconds stepP10 = 0, step = 0, stepP90 = 0;
    double hours = 0;                 // for the token budget, nothing fails
    std::optional<Price> asPlanned;   // in the configuration's own book
    std::optional<Price> cheapest;    // on demand, of all books; `book` says whose
    std::optional<Price> spot;        // the same among spot prices
    std::string skipped;              // why it cannot be planned; empty where it can

    [[nodiscard]] bool runs() const { return skipped.empty() && verdict != Verdict::Oom; }
    [[nodiscard]] Usd usdAt(const Price &price) const { return price.usdPerGpuHour * hours * config.parallel.gpus; }
    bool operator==(const Offer &) const = default;
};

// The configuration's own card and all that have a price in dollars; what runs comes first, the least dollars for the token budget in front.
Result<std::vector<Offer>> offersFor(const RunConfig &config, const Catalogue &catalogue);

nlohmann::ordered_json toJson(const std::vector<Offer> &offers);
std::string toText(const std::vector<Offer> &offers);

} // namespace slipway
