// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/choose_software.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

#include "config/settings.h"

namespace slipway {

namespace {

// Errors have longer tails than a normal distribution. A larger deviation counts like this one.
constexpr double kMostDeviations = 3;
// If a run would not have fitted, its plan may be too high.
constexpr double kLeastFit = 0.02;
constexpr double kClear = 10; // "strong evidence" (Kass and Raftery 1995, from 20 on; Jeffreys 1961, from 10 on)
constexpr std::size_t kShown = 3;

using Key = std::pair<std::string, std::string>; // GPU, software

std::string oddsText(double odds)
{
    constexpr double kMost = 10'000;
    return odds > kMost ? "over 10000" : odds < 10 ? fmt::format("{:.2f}", odds) : fmt::format("{:.0f}", odds);
}

// Log density of errors without constant terms. A part of each error is common to all of them.
double logLikelihood(const std::vector<double> &errors, double within, double between)
{
    if (errors.empty())
        return 0;
    const double most = kMostDeviations * std::hypot(within, between);
    const auto n = double(errors.size());
    double sum = 0, squares = 0;
    for (const double error : errors) {
        const double counted = std::clamp(error, -most, most);
        sum += counted;
        squares += counted * counted;
    }
    const double w = within * within, b = between * between;
    return -(squares / w - sum * sum * b / (w * (w + n * b))) / 2;
}

// The run with other software. Settings that the given profile made are reset to their defaults first.
Result<ResolvedConfig> withSoftware(
    const ResolvedConfig &resolved, const SoftwareCandidate &candidate, const Catalogue &catalogue)
{
    ResolvedConfig changed = resolved;
    RunConfig &c = changed.config;
    if (resolved.open.attention)
        c.attention.reset();
    if (resolved.open.recompute)
        c.recompute.reset();
    if (resolved.open.precision)
        c.precision.reset();
    for (const AppliedField &field : resolved.software) {
        const bool given = std::any_of(c.frameworkOptions.begin(), c.frameworkOptions.end(),
            [&](const std::string &option) { return option.starts_with(field.key + "="); });
        const Setting *setting = given ? nullptr : findSetting(field.key);
        if (!setting)
            continue;
        if (const Result<void> reset = setSettingText(*setting, c, settingText(*setting, RunConfig())); !reset)
            return reset.error();
    }
    if (const auto version = catalogue.frameworks.resolve(c.software); version && version->torch == c.simulated.torch)
        c.simulated.torch.clear();
    c.software = candidate.software;
    if (!candidate.option.empty())
        c.frameworkOptions.push_back(candidate.option);
    Result<std::vector<AppliedField>> applied = applyFramework(c, changed.model, catalogue.frameworks);
    if (!applied)
        return applied.error();
    changed.software = *std::move(applied);
    return changed;
}

// The part of a plan that depends on the software. Names alone make no difference.
RunConfig stepOf(RunConfig config)
{
    config.software.clear();
    config.frameworkOptions.clear();
    config.simulated.torch = std::to_string(config.simulated.torchVersion());
    return config;
}

// Every other profile: its newest version, or that of the same date.
void addProfiles(const std::string &given, const Catalogue &catalogue, std::vector<SoftwareCandidate> &candidates)
{
    const Frameworks &frameworks = catalogue.frameworks;
    const FrameworkProfile *known = frameworks.find(softwareName(given));
    const std::string_view version = softwareVersion(given);
    const std::string date = parseDay(version) > 0 ? "@" + std::string(version) : std::string();
    const double weight = (known && known->isUnknown ? 1 : catalogue.rates.otherProfilesOdds) /
                          double(std::max<std::size_t>(1, frameworks.profiles.size()));
    for (const FrameworkProfile &profile : frameworks.profiles) {
        if (!profile.isUnknown && &profile != known)
            candidates.push_back({profile.id + date, "", weight});
    }
}

std::vector<SoftwareCandidate> candidatesOf(const std::vector<const Observation *> &runs, const Catalogue &catalogue)
{
    const SpeedRates &constants = catalogue.rates;
    const ResolvedConfig &first = runs.front()->resolved;
    const std::string &given = first.config.software, profile(softwareName(given));
    std::vector<SoftwareCandidate> candidates;
    if (const FrameworkProfile *known = catalogue.frameworks.find(profile)) {
        const double weight = softwareVersion(given).empty()
                                  ? constants.unnamedVersionOdds
                                  : constants.otherVersionsOdds / double(known->releases.size());
        for (const auto &release : std::views::reverse(known->releases)) // latest first
            candidates.push_back({profile + "@" + release.version, "", weight});
    }
    for (const AppliedField &field : first.software) {
        const Setting *setting = findSetting(field.key);
        if (!setting || (!isGuessed(field.origin) && field.origin != FieldOrigin::Fitted))
            continue;
        for (const std::string &value : setting->choices()) {
            if (value != field.value && value != "auto")
                candidates.push_back({given, field.key + "=" + value, constants.otherOptionOdds});
        }
    }
    // This is a choice of the run's own configuration, whatever the profile's default is.
    const bool asked = std::any_of(first.config.frameworkOptions.begin(), first.config.frameworkOptions.end(),
        [](const std::string &option) { return option.starts_with("limit_gathers="); });
    if (first.config.simulated.limitGathers && !asked)
        candidates.push_back(
            {given, *first.config.simulated.limitGathers ? "limit_gathers=false" : "limit_gathers=true",
                constants.otherOptionOdds});
    addProfiles(given, catalogue, candidates);
    return candidates;
}

// The likelihood of the runs under a candidate, relative to the given software.
class Evidence {
public:
    Evidence(std::vector<const Observation *> runs, const Catalogue &catalogue)
        : m_runs(std::move(runs)),
          m_catalogue(catalogue)
    {
        for (const Observation *run : m_runs)
            m_stepsGiven.push_back(stepOf(run->resolved.config));
        std::vector<ResolvedConfig> subjects;
        for (const Observation *run : m_runs)
            subjects.push_back(run->resolved);
        m_given = logOf(subjects);
    }

    [[nodiscard]] bool isPlanned() const { return m_given.has_value(); }

    // Adds the candidate with its odds to the list. If it plans like an earlier candidate, its odds are added to that
    // one's. If it plans like the given software, or cannot be planned, it is ignored.
    void weigh(SoftwareCandidate candidate, std::vector<SoftwareCandidate> &list)
    {
        std::vector<ResolvedConfig> subjects;
        std::vector<RunConfig> steps;
        for (const Observation *run : m_runs) {
            Result<ResolvedConfig> resolved = withSoftware(run->resolved, candidate, m_catalogue);
            if (!resolved)
                return;
            steps.push_back(stepOf(resolved->config));
            subjects.push_back(*std::move(resolved));
        }
        if (steps == m_stepsGiven)
            return;
        const auto seen = std::find_if(m_seen.begin(), m_seen.end(), [&](const Seen &s) { return s.steps == steps; });
        if (seen != m_seen.end()) {
            list[seen->place].odds += candidate.odds * seen->likelihood;
            return;
        }
        const std::optional<double> log = logOf(subjects);
        if (!log)
            return;
        const double likelihood = std::exp(*log - *m_given);
        m_seen.push_back({std::move(steps), list.size(), likelihood});
        candidate.odds *= likelihood;
        list.push_back(std::move(candidate));
    }

private:
    [[nodiscard]] std::optional<double> logOf(const std::vector<ResolvedConfig> &subjects) const
    {
        std::vector<double> speeds, peaks;
        double fits = 0;
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            const Result<Assessment> a = assess(subjects[i], m_catalogue);
            if (!a)
                return std::nullopt;
            const Observation &o = *m_runs[i];
            if (o.tokensPerSecondPerGpu)
                speeds.push_back(std::log(a->speed.tokensPerSecondPerGpu / *o.tokensPerSecondPerGpu));
            if (const auto [kind, measured] = shownPeak(o); measured > 0)
                peaks.push_back(std::log(double(predictedPeak(a->memory, o, kind)) / double(measured)));
            fits += std::log(std::max(kLeastFit, 1 - a->memory.oomProbability));
        }
        const SpeedRates &constants = m_catalogue.rates;
        return logLikelihood(speeds, constants.speedWithinSource, constants.speedBetweenSources) +
               logLikelihood(peaks, constants.peakWithinSource, constants.peakBetweenSources) + fits;
    }

    std::vector<const Observation *> m_runs;
    const Catalogue &m_catalogue;
    std::vector<RunConfig> m_stepsGiven;
    struct Seen {
        std::vector<RunConfig> steps;
        std::size_t place = 0; // in the list
        double likelihood = 0; // relative to the given software
    };
    std::vector<Seen> m_seen;
    std::optional<double> m_given;
};

} // namespace

std::string SoftwareCandidate::text() const { return software + (option.empty() ? "" : " with " + option); }

bool SoftwareChoice::isClear() const { return !candidates.empty() && candidates.front().odds >= kClear; }

std::vector<SoftwareChoice> chooseSoftware(const std::vector<Observation> &observations, const Catalogue &catalogue)
{
    std::map<Key, std::vector<const Observation *>> groups;
    for (const Observation &o : observations) {
        if (!o.resolved.config.software.empty())
            groups[{o.resolved.gpu.id, o.resolved.config.software}].push_back(&o);
    }
    std::vector<SoftwareChoice> choices;
    for (const auto &[key, runs] : groups) {
        Evidence evidence(runs, catalogue);
        if (!evidence.isPlanned())
            continue;
        SoftwareChoice choice{.gpu = key.first, .given = key.second, .runs = int(runs.size())};
        for (SoftwareCandidate &candidate : candidatesOf(runs, catalogue))
            evidence.weigh(std::move(candidate), choice.candidates);
        if (choice.candidates.empty())
            continue;
        std::stable_sort(choice.candidates.begin(), choice.candidates.end(),
            [](const SoftwareCandidate &a, const SoftwareCandidate &b) { return a.odds > b.odds; });
        choices.push_back(std::move(choice));
    }
    return choices;
}

std::vector<Observation> withChosenSoftware(
    std::vector<Observation> observations, const std::vector<SoftwareChoice> &choices, const Catalogue &catalogue)
{
    for (Observation &o : observations) {
        const auto choice = std::find_if(choices.begin(), choices.end(), [&](const SoftwareChoice &each) {
            return each.isClear() && each.gpu == o.resolved.gpu.id && each.given == o.resolved.config.software;
        });
        if (choice == choices.end())
            continue;
        if (Result<ResolvedConfig> chosen = withSoftware(o.resolved, choice->candidates.front(), catalogue))
            o.resolved = *std::move(chosen);
    }
    return observations;
}

std::vector<SoftwareOfRuns> softwareOfRuns(const std::vector<SoftwareChoice> &choices)
{
    std::vector<SoftwareOfRuns> software;
    for (const SoftwareChoice &choice : choices) {
        if (choice.isClear())
            software.push_back(
                {choice.gpu, choice.given, choice.candidates.front().software, choice.candidates.front().option});
    }
    return software;
}

std::string toText(const std::vector<SoftwareChoice> &choices)
{
    std::string text;
    for (const SoftwareChoice &choice : choices) {
        const SoftwareCandidate &best = choice.candidates.front();
        text += fmt::format(
            "{} {} on {} with {}: ", choice.runs, choice.runs == 1 ? "run" : "runs", choice.gpu, choice.given);
        if (!choice.isClear()) {
            text += fmt::format(
                "no other software, version or option is clearly more likely. The best is {} ({} times as likely).\n",
                best.text(), oddsText(best.odds));
            continue;
        }
        text += fmt::format("best explained by {}, which is {} times as likely.\n", best.text(), oddsText(best.odds));
        for (std::size_t i = 1; i < std::min(kShown, choice.candidates.size()); ++i)
            text += fmt::format("  {:<50} {:>10}\n", choice.candidates[i].text(), oddsText(choice.candidates[i].odds));
        text += fmt::format("  Plan with it: --framework {}{}\n", best.software,
            best.option.empty() ? "" : " --framework-option " + best.option);
    }
    return text;
}

nlohmann::ordered_json toJson(const std::vector<SoftwareChoice> &choices)
{
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const SoftwareChoice &choice : choices) {
        Json candidates = Json::array();
        for (const SoftwareCandidate &each : choice.candidates)
            candidates.push_back({{"framework", each.software},
                {"framework_option", each.option.empty() ? Json(nullptr) : Json(each.option)}, {"odds", each.odds}});
        list.push_back({{"gpu", choice.gpu}, {"framework", choice.given}, {"runs", choice.runs},
            {"clear", choice.isClear()}, {"candidates", candidates}});
    }
    return list;
}

} // namespace slipway
