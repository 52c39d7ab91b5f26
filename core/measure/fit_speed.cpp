// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/fit_speed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "base/control_group.h"
#include "measure/least_squares.h"
#include "predict/calibrated.h"

namespace slipway {

namespace {

// A constant must affect at least this fraction of some row's step.
constexpr double kLeastShare = 0.05;
// No rate of a device is wrong by a larger factor.
const double kBound = std::log(5.0);
// Residuals below this need no constant.
constexpr double kExplained = 0.005;
// A further constant must reduce the residuals by this fraction. Its relative error must not exceed kMostError, and its
// effect must differ from that of the others.
constexpr double kWorthwhile = 0.15, kMostError = 0.25, kLeastTolerance = 0.05;
// No GPU exceeds its data sheet's peak by more. A CPU may boost above its nominal clock.
constexpr double kMostOfPeak = 1.02;
constexpr double kP90 = 1.2816; // standard deviations
// With fewer different runs, the known constants are a prior.
constexpr std::size_t kEnoughForRates = 5;

class SpeedFitter {
public:
    SpeedFitter(std::vector<SpeedRow> rows, const Catalogue &catalogue)
        : m_rows(std::move(rows)),
          m_catalogue(catalogue)
    {
        std::set<long long> different;
        for (const SpeedRow &row : m_rows)
            different.insert(std::llround(std::log(row.predicted) * 1e4));
        m_different = different.size();
        m_before = residualsOf({})({});
        m_sum = squares(m_before);
        for (const Constant constant : kSpeedConstants)
            m_shares.push_back(shareOf(constant));
    }

    SpeedFit fitWanted(const std::vector<Constant> &wanted)
    {
        std::vector<Constant> rates;
        for (const Constant constant : wanted) {
            if (isOfMemory(constant) || refuseByShare(constant))
                continue;
            if (rates.size() >= most()) {
                refuse(constant, tooFew(rates));
                continue;
            }
            rates.push_back(constant);
        }
        if (rates.empty())
            return finish();
        const Fit fit = fitOf(rates, startFor(rates));
        for (std::size_t i = 0; i < rates.size(); ++i) {
            if (const std::string why = whyNot(rates, fit, i); !why.empty())
                refuse(rates[i], why);
        }
        if (m_result.refused.empty())
            take(rates, fit);
        return finish();
    }

    SpeedFit fitNeeded()
    {
        // A single run is reproduced as it was measured.
        const bool isFew = m_different > 1 && m_different < kEnoughForRates;
        if (isFew && rms(m_sum) > kExplained) {
            takePosterior();
            return finish();
        }
        const std::vector<Constant> left = choose();
        for (const Constant constant : left) {
            const auto whyNot = m_whyNot.find(constant);
            refuse(constant,
                rms(m_sum) <= kExplained
                    ? fmt::format("is not needed: without it, predictions are within {:.1f} % of the measurements",
                          100 * rms(m_sum))
                : whyNot != m_whyNot.end() ? whyNot->second
                                           : tooFew(m_chosen));
        }
        return finish();
    }

private:
    // Takes one constant after the other, as long as each brings the predictions nearer. Returns the other ones.
    std::vector<Constant> choose()
    {
        std::vector<Constant> left;
        for (const Constant constant : kSpeedConstants) {
            if (!refuseByShare(constant))
                left.push_back(constant);
        }
        while (!left.empty() && m_chosen.size() < most() && rms(m_sum) > kExplained) {
            const auto better = best(left);
            if (!better)
                break;
            take(better->constants, better->fit);
            std::erase(left, better->constants.back());
        }
        return left;
    }

    // A few runs also show their own peculiarities. So the constants of a few runs are those of the largest posterior
    // probability. The prior: all rates differ from the known ones by a common factor, and each by a factor of its own.
    // The evidence: errors of runs, which are larger if the runs contradict each other. A run that repeats another one
    // tells nothing new.
    void takePosterior()
    {
        const double slower = std::accumulate(m_before.begin(), m_before.end(), 0.0) / double(m_before.size());
        if (std::abs(slower) > kBound) {
            for (const Constant constant : kSpeedConstants)
                refuse(constant, beyondBound(-slower));
            return;
        }
        const Residuals ofRows = residualsOf({kSpeedConstants.begin(), kSpeedConstants.end()});
        const SpeedRates &rates = m_catalogue.rates;
        const double repeats = std::sqrt(double(m_rows.size()) / double(m_different));
        double within = rates.speedWithinSource;
        Fit fit;
        for (int pass = 0; pass < 2; ++pass) {
            const Residuals posterior = [&](const std::vector<double> &factors) {
                std::vector<double> residuals = ofRows(logsOf(factors));
                for (double &residual : residuals)
                    residual /= within * repeats;
                residuals.push_back(factors[0] / rates.speedBetweenSources);
                for (std::size_t i = 1; i < factors.size(); ++i)
                    residuals.push_back(factors[i] / rates.speedBetweenConstants);
                return residuals;
            };
            fit = leastSquares(posterior, std::vector<double>(kSpeedConstants.size() + 1, 0), kBound);
            m_sum = squares(ofRows(logsOf(fit.at)));
            within = std::hypot(rates.speedWithinSource, rms(m_sum));
        }
        const std::vector<double> logs = logsOf(fit.at);
        for (std::size_t i = 0; i < logs.size(); ++i) {
            const double value = std::exp(logs[i]);
            m_result.constants.push_back(
                {kSpeedConstants[i], value, value * std::hypot(fit.errors[0], fit.errors[i + 1])});
        }
        const double spread = std::exp(kP90 * std::hypot(within, fit.errors[0]));
        m_result.stepP10 = 1 / spread;
        m_result.stepP90 = spread;
    }

    // The log of each constant, from that of the common factor and those of each constant's own factor.
    static std::vector<double> logsOf(const std::vector<double> &factors)
    {
        std::vector<double> logs;
        for (std::size_t i = 0; i < kSpeedConstants.size(); ++i)
            logs.push_back((kSpeedConstants[i] == Constant::Launch ? -factors[0] : factors[0]) + factors[i + 1]);
        return logs;
    }

    struct Candidate {
        std::vector<Constant> constants;
        Fit fit;
        double share = 0;
    };

    static double squares(const std::vector<double> &v)
    {
        double sum = 0;
        for (const double x : v)
            sum += x * x;
        return sum;
    }
    [[nodiscard]] double rms(double sum) const { return std::sqrt(sum / double(m_rows.size())); }
    [[nodiscard]] std::size_t most() const { return m_different > 1 ? m_different - 1 : 1; }
    [[nodiscard]] double shareAt(Constant constant) const { return m_shares[static_cast<std::size_t>(constant)]; }

    [[nodiscard]] Residuals residualsOf(std::vector<Constant> constants) const
    {
        return [this, constants = std::move(constants)](const std::vector<double> &logs) {
            DeviceCalibration calibration;
            for (std::size_t i = 0; i < constants.size(); ++i)
                calibration.set(constants[i], std::exp(logs[i]));
            return logErrors(calibration);
        };
    }

    // Log of predicted over measured speed for each row. Many rows use all cores.
    [[nodiscard]] std::vector<double> logErrors(const DeviceCalibration &calibration) const
    {
        std::vector<double> errors(m_rows.size());
        const std::size_t threads = m_rows.size() < 32 ? 1 : static_cast<std::size_t>(usableThreads());
        const auto work = [&](std::size_t first) {
            for (std::size_t i = first; i < m_rows.size(); i += threads) {
                const SpeedRow &row = m_rows[i];
                ResolvedConfig resolved = row.resolved;
                resolved.calibration.constants = calibration.constants;
                errors[i] = std::log(predictSpeed(resolved, row.plan, row.retries, m_catalogue).tokensPerSecondPerGpu /
                                     row.tokensPerSecondPerGpu);
            }
        };
        std::vector<std::jthread> helpers;
        for (std::size_t t = 1; t < threads; ++t)
            helpers.emplace_back(work, t);
        work(0);
        return errors;
    }

    // The largest fraction of a row's step that depends on the constant: the increase if its ops take twice the time.
    [[nodiscard]] double shareOf(Constant constant) const
    {
        const Residuals residuals = residualsOf({constant});
        const std::vector<double> now = residuals({0}),
                                  slower = residuals({constant == Constant::Launch ? std::log(2.0) : -std::log(2.0)});
        double share = 0;
        for (std::size_t i = 0; i < now.size(); ++i)
            share = std::max(share, (now[i] - slower[i]) / std::log(2.0));
        return share;
    }

    bool refuseByShare(Constant constant)
    {
        const double share = shareAt(constant);
        if (share >= kLeastShare)
            return false;
        refuse(constant, share < 1e-3 ? "has no effect on the step time of these runs"
                         : share < 0.01
                             ? "affects less than 1 % of the step time of each run"
                             : fmt::format("affects at most {:.0f} % of the step time of a run", 100 * share));
        return true;
    }

    [[nodiscard]] std::string tooFew(const std::vector<Constant> &before) const
    {
        const std::string which =
            before.empty() ? "" : fmt::format(", and the {} explains more", titleOf(before.front()));
        return m_different <= 1 ? "one run supports only one constant" + which
                                : fmt::format("{} different runs support only {} {}{}", m_different, most(),
                                      most() == 1 ? "constant" : "constants", which);
    }

    // The minimum may be where another limit hides the effect of the constant. So the best of a few starts is used.
    [[nodiscard]] std::vector<double> startFor(const std::vector<Constant> &constants) const
    {
        std::vector<double> start = m_logs;
        start.resize(constants.size(), 0);
        const Residuals residuals = residualsOf(constants);
        for (std::size_t i = m_logs.size(); i < constants.size(); ++i) {
            double least = INFINITY, bestLog = 0;
            for (const double log : {0.0, -0.4, 0.4, -0.9, 0.9}) {
                start[i] = log;
                if (const double sum = squares(residuals(start)); sum < least * (1 - 1e-9)) {
                    least = sum;
                    bestLog = log;
                }
            }
            start[i] = bestLog;
        }
        return start;
    }
    [[nodiscard]] Fit fitOf(const std::vector<Constant> &constants, std::vector<double> start) const
    {
        return leastSquares(residualsOf(constants), std::move(start), kBound);
    }

    // Standard deviation of a row: that of the residuals, but at least the usual difference between runs.
    [[nodiscard]] double deviation(double sum, std::size_t constants) const
    {
        const double noise = m_catalogue.rates.speedNoise;
        return m_rows.size() > constants ? std::max(noise, std::sqrt(sum / double(m_rows.size() - constants))) : noise;
    }

    static std::string beyondBound(double log)
    {
        return log > 0 ? "would be at least five times the known value of the device, so the configuration probably "
                         "does not match the run"
                       : "would be at most a fifth of the known value of the device, so the configuration probably "
                         "does not match the run";
    }

    // Why the data do not support the i-th constant of a fit. Empty if they do.
    [[nodiscard]] std::string whyNot(const std::vector<Constant> &constants, const Fit &fit, std::size_t i) const
    {
        if (constants.size() > 1 && fit.tolerance[i] < kLeastTolerance) {
            const std::size_t other = i == 0 ? 1 : 0;
            return fmt::format("cannot be distinguished from the {} with these runs", titleOf(constants[other]));
        }
        if (std::abs(fit.at[i]) > kBound - 1e-6)
            return beyondBound(fit.at[i]);
        if (constants[i] == Constant::Gemm && overPeak(fit.at[i]))
            return "would exceed the GPU's peak rate, so the configuration probably does not match the run";
        if (const double error = fit.errors[i] * deviation(fit.sum, constants.size()); !(error < kMostError))
            return std::isfinite(error) && error < 10 ? fmt::format("is uncertain by {:.0f} %", 100 * error)
                                                      : "has no effect on the step time of these runs then";
        return {};
    }

    [[nodiscard]] bool overPeak(double log) const
    {
        return std::any_of(m_rows.begin(), m_rows.end(), [&](const SpeedRow &row) {
            if (row.resolved.gpu.isCpu)
                return false;
            const DeviceRates rates = calibratedRates(row.resolved, m_catalogue);
            const double peak = row.resolved.config.precisionOrMixed() == Precision::Fp8Mixed
                                    ? row.resolved.gpu.bf16Flops
                                    : rates.peakFlops;
            return rates.gemmFlops * std::exp(log) > kMostOfPeak * peak;
        });
    }

    // The constant that leaves the smallest residuals together with those chosen. Among equal ones, the one with the
    // largest fraction of a step.
    std::optional<Candidate> best(const std::vector<Constant> &left)
    {
        std::optional<Candidate> best;
        m_whyNot.clear();
        for (const Constant constant : left) {
            Candidate c{.constants = m_chosen, .share = shareAt(constant)};
            c.constants.push_back(constant);
            c.fit = fitOf(c.constants, startFor(c.constants));
            std::string why = rms(c.fit.sum) > (1 - kWorthwhile) * rms(m_sum) ? "does not improve the predictions" : "";
            for (std::size_t i = c.constants.size(); why.empty() && i-- > 0;)
                why = whyNot(c.constants, c.fit, i);
            if (!why.empty()) {
                m_whyNot[constant] = std::move(why);
                continue;
            }
            const double difference = best ? rms(c.fit.sum) - rms(best->fit.sum) : -1;
            if (difference < -kExplained / 2 || (difference < kExplained / 2 && c.share > best->share))
                best = std::move(c);
        }
        return best;
    }

    void take(const std::vector<Constant> &constants, const Fit &fit)
    {
        m_chosen = constants;
        m_logs = fit.at;
        m_sum = fit.sum;
        m_result.constants.clear();
        for (std::size_t i = 0; i < constants.size(); ++i) {
            const double value = std::exp(fit.at[i]);
            m_result.constants.push_back(
                {constants[i], value, value * fit.errors[i] * deviation(fit.sum, constants.size())});
        }
    }

    void refuse(Constant constant, std::string why)
    {
        m_result.refused.push_back({.constant = constant, .why = std::move(why)});
    }

    SpeedFit finish()
    {
        constexpr std::size_t kSpareRows = 3;
        if (m_rows.size() >= m_chosen.size() + kSpareRows && !m_chosen.empty() && m_result.stepP90 == 0) {
            const double spread = std::exp(kP90 * deviation(m_sum, m_chosen.size()));
            m_result.stepP10 = 1 / spread;
            m_result.stepP90 = spread;
        }
        return std::move(m_result);
    }

    std::vector<SpeedRow> m_rows;
    const Catalogue &m_catalogue;
    std::size_t m_different = 0;
    std::vector<double> m_before; // errors with the shipped constants
    std::vector<double> m_shares; // by constant
    std::vector<Constant> m_chosen;
    std::vector<double> m_logs; // of the chosen constants
    double m_sum = 0;
    std::map<Constant, std::string> m_whyNot; // from the last round
    SpeedFit m_result;
};

} // namespace

SpeedFit fitSpeed(
    std::vector<SpeedRow> rows, const std::optional<std::vector<Constant>> &wanted, const Catalogue &catalogue)
{
    SpeedFitter fitter(std::move(rows), catalogue);
    return wanted ? fitter.fitWanted(*wanted) : fitter.fitNeeded();
}

} // namespace slipway
