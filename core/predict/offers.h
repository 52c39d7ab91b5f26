// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The same step on every GPU that somebody prices: which to rent.
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
    // As many GPUs of another kind for the same tokens a step; where it does not fit, with smaller micro-batches, then
    // with full recomputation.
    RunConfig config;
    std::string card; // its name
    Verdict verdict = Verdict::Fits;
    Bytes peak = 0, capacity = 0;
    double tokensPerSecond = 0;
    Seconds stepP10 = 0, step = 0, stepP90 = 0;
    double hours = 0;               // for the token budget, nothing fails
    std::optional<Price> asPlanned; // in the configuration's own book
    std::optional<Price> cheapest;  // for the budget, on demand, of all books; `book` says whose. Whole nodes go before
                                    // GPUs listed singly
    std::optional<Price> spot;      // the same among spot prices
    std::string skipped;            // why it cannot be planned; empty where it can

    [[nodiscard]] bool runs() const { return skipped.empty() && verdict != Verdict::Oom; }
    // GPUs that are paid for: an instance is rented whole.
    [[nodiscard]] int rentedAt(const Price &price) const;
    // False where only smaller instances than the plan's node are listed: their GPUs are not joined as the plan's are.
    [[nodiscard]] bool isFullNodeAt(const Price &price) const;
    [[nodiscard]] Usd usdAt(const Price &price) const { return price.usdPerGpuHour * hours * rentedAt(price); }
    // "rents 8 for 4", "listed singly"; empty where exactly the plan's GPUs are rented, on the plan's nodes.
    [[nodiscard]] std::string rentalNote(const Price &price) const;
    bool operator==(const Offer &) const = default;
};

// The configuration's own GPU and all that have a price in dollars; what runs comes first, the least dollars for the
// token budget in front.
Result<std::vector<Offer>> offersFor(const RunConfig &config, const Catalogue &catalogue);

// "$184.76 verda (listed singly)": what the budget costs there, with the price book where it is named; "-" where nobody
// asks a price or nothing runs.
std::string rentText(const Offer &offer, const std::optional<Price> &price, bool named);

nlohmann::ordered_json toJson(const std::vector<Offer> &offers);
std::string toText(const std::vector<Offer> &offers);
// One row an offer, the keys of the JSON as columns.
std::string toCsv(const std::vector<Offer> &offers);

} // namespace slipway
