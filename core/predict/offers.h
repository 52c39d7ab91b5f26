// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Compares the same step on every GPU that has a price.
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
    // The same number of another GPU with the same tokens per step; if that does not fit, with smaller micro-batches,
    // then with full recomputation.
    RunConfig config;
    std::string gpuName;
    Verdict verdict = Verdict::Fits;
    Bytes peak = 0, capacity = 0;
    double tokensPerSecond = 0;
    Seconds stepP10 = 0, step = 0, stepP90 = 0;
    double hours = 0;               // for the token budget, without failures
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

// The configuration's own GPU and all GPUs with a price in dollars. Those on which the step runs come first, ordered by
// dollars for the token budget.
Result<std::vector<Offer>> offersFor(const RunConfig &config, const Catalogue &catalogue);

// "$184.76 verda (listed singly)": the price of the budget, and the price book if it is named. "-" without a price or
// if the step does not run.
std::string rentalCostText(const Offer &offer, const std::optional<Price> &price, bool named);

nlohmann::ordered_json toJson(const std::vector<Offer> &offers);
std::string toText(const std::vector<Offer> &offers);
// One row an offer, the keys of the JSON as columns.
std::string toCsv(const std::vector<Offer> &offers);

} // namespace slipway
