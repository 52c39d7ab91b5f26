// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The shipped tables: GPUs, nodes, models, prices, scaling laws. The records have sources and dates and are read from
// resources/catalogue/*.yaml; none of them are in code.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "frameworks/framework_profile.h"
#include "hardware/calibration.h"
#include "hardware/gpu.h"
#include "hardware/speed_rates.h"
#include "model/model_spec.h"

namespace slipway {

struct Price {
    std::string book; // "paper", "lambda", "aws"
    std::string gpu;  // id of the GPU
    Usd usdPerGpuHour = 0;
    int gpus = 0; // GPUs of the instance that has this price; 0: not known
    bool spot = false;
    std::string instance;
    std::string region;
    std::string asOf; // date from the source, "~2025-10" if it was inferred
    std::string source;
    std::string notes;
    bool operator==(const Price &) const = default;
};

struct PriceBook {
    std::string id;
    std::string title;
    std::string asOf;
    std::string notes;
    bool ratiosOnly = false; // prices of the paper, relative to its cheapest GPU
    bool medians = false;    // medians over providers, for estimates; not a price of any provider
    std::vector<Price> prices;
    bool operator==(const PriceBook &) const = default;
};

// Sum: E + A / N^alpha + B / D^beta (Hoffmann et al. 2022, approach 3). Kaplan: ((A/N)^(alpha/beta) + B/D)^beta, where
// N excludes the embedding and the LM head (Kaplan et al. 2020, equation 1.5).
enum class LossForm { Sum, Kaplan };

// The loss L(N, D) in nats per token.
struct ScalingLaw {
    std::string id;
    std::string title; // its common name
    LossForm form = LossForm::Sum;
    double e = 0, a = 0, b = 0, alpha = 0, beta = 0;
    std::optional<double> seE, seAlpha, seBeta; // standard errors
    double parametersLow = 0, parametersHigh = 0, tokensLow = 0,
           tokensHigh = 0; // ranges of the fitted runs; 0: not known
    std::string fitRange;
    std::string source;
    bool operator==(const ScalingLaw &) const = default;
};

enum class BatchVariable { OfLoss, OfTokens, OfFlops };
template<>
struct EnumNames<BatchVariable> {
    static constexpr std::array<std::string_view, 3> names{"loss", "tokens", "flops"};
};

// Tokens per step = coefficient x variable^exponent.
struct BatchLaw {
    std::string id;
    std::string title; // its common name
    // True: the critical batch size, beyond which larger batches gain less and less; false: the optimal batch size.
    bool critical = false;
    BatchVariable of = BatchVariable::OfTokens;
    std::optional<double> coefficient; // empty: only the exponent is published
    double exponent = 0;
    std::string fitRange;
    std::string source;
    bool operator==(const BatchLaw &) const = default;
};

struct CatalogueModel {
    ModelSpec spec;
    std::string family;
    std::string huggingFaceId;
    std::string source;
    bool preset = false; // one of the four models of the paper
};

struct Catalogue {
    std::vector<Gpu> gpus; // the last one is "cpu", the processor of this machine
    std::vector<Node> nodes;
    std::vector<CatalogueModel> models;
    std::vector<PriceBook> priceBooks;   // the first is the default
    std::vector<ScalingLaw> scalingLaws; // the first is the default
    std::vector<BatchLaw> batchLaws;
    SpeedRates rates;
    Frameworks frameworks;                 // the shipped ones, then those of the user
    std::vector<Calibration> calibrations; // the calibrations of the user

    // Looks up records by id or alias, without regard to case; GPUs are also found by the names that vendors, drivers
    // and tables use. The error lists the nearest names.
    [[nodiscard]] Result<Gpu> gpu(std::string_view name) const;
    // The same without an error, whose nearest names take ten times as long; nullptr for an unknown name.
    [[nodiscard]] const Gpu *findGpu(std::string_view name) const;
    [[nodiscard]] Result<CatalogueModel> model(std::string_view name) const;
    [[nodiscard]] Result<PriceBook> priceBook(std::string_view id) const;     // empty: the default
    [[nodiscard]] Result<ScalingLaw> scalingLaw(std::string_view id) const;   // empty: the default
    [[nodiscard]] Result<Calibration> calibration(std::string_view id) const; // empty: a calibration without constants
};

// The folder of the shipped tables: SLIPWAY_RESOURCES, otherwise ../share/slipway next to the program, otherwise the
// source tree.
std::filesystem::path resourceDirectory();

// Reads all tables; the error for a damaged file names the line.
Result<Catalogue> loadCatalogue(const std::filesystem::path &directory = resourceDirectory());

} // namespace slipway
