// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "measure/software_notes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "base/text.h"
#include "config/apply_framework.h"
#include "config/pipeline_layers.h"
#include "measure/note_text.h"
#include "measure/software_dates.h"

namespace slipway {

namespace {

constexpr std::string_view kDate = "@{date}";

// The integer right after `words`.
std::optional<int> numberRightAfter(std::string_view notes, std::string_view words)
{
    const std::size_t at = notes.find(words);
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::size_t begin = at + words.size();
    const std::size_t end = notes.find_first_not_of(kDigits, begin);
    const auto number = parseInteger(notes.substr(begin, end == std::string_view::npos ? end : end - begin));
    return number && *number > 0 && *number < 4096 ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

// Finds a version such as "torch 1.12.1" or "pytorch 2.1".
std::string torchVersion(std::string_view notes)
{
    for (std::size_t at = notes.find("torch "); at != std::string_view::npos; at = notes.find("torch ", at + 1)) {
        const std::string_view rest = notes.substr(at + 6);
        const std::string_view version = rest.substr(0, std::min(rest.size(), rest.find_first_not_of("0123456789.")));
        if (version.size() >= 3 && (version.starts_with("1.") || version.starts_with("2.")))
            return std::string(version);
    }
    return {};
}

// Writes "2024-11-25" or "2025-02".
std::string dayText(int day)
{
    const int year = day / 10000, month = day / 100 % 100, ofMonth = day % 100;
    return ofMonth > 0 ? fmt::format("{}-{:02}-{:02}", year, month, ofMonth) : fmt::format("{}-{:02}", year, month);
}

// Numbers in notes: the head dimension, the model chunks of a stage.
void applyNumbers(std::string_view notes, RunConfig &config, ModelSpec &model, std::vector<std::string> &taken)
{
    if (const auto dim = numberRightAfter(notes, "head_dim ")) {
        model.attention.headDim = *dim;
        taken.push_back("head_dim " + std::to_string(*dim) + " (note)");
    }
    Parallelism interleaved = config.parallel;
    const auto parts = numberRightAfter(notes, "vp=");
    interleaved.virtualStages = parts.value_or(1);
    if (parts && config.parallel.pp > 1 && hasEqualModelChunks(interleaved, model.layers)) {
        config.parallel = interleaved;
        taken.push_back("virtual_stages " + std::to_string(*parts) + " (note)");
    }
}

} // namespace

SoftwareNotes::SoftwareNotes(const std::vector<Annotation> &annotations, RowText row, bool named, AnnotationUse use,
    const RunConfig &config, const ModelSpec &model)
    : m_row(std::move(row)),
      m_named(named),
      m_use(use),
      m_day(dateOf(m_row.source) > 0 ? dateOf(m_row.source) : dateOf(m_row.notes))
{
    for (const Annotation &each : annotations) {
        // How a peak was read belongs to the measurement, whatever is assumed about the software.
        if ((!each.memoryKind.empty() || each.firstNodeMemory) && each.matches(m_row))
            m_readings.push_back(&each);
        const bool counts = each.isOfNotes() || (!named && use != AnnotationUse::None);
        if (counts && each.matches(m_row) && conditionsHold(each.when, config, model))
            m_annotations.push_back(&each);
    }
}

std::string SoftwareNotes::framework() const
{
    std::string name;
    for (const Annotation *each : m_annotations) {
        // An annotation that needs a date takes precedence only for rows that have a date.
        const bool dated = m_day > 0 || name.empty() || !each->framework.ends_with(kDate);
        if (!each->framework.empty() && dated)
            name = each->framework;
    }
    if (name.ends_with(kDate)) {
        name.resize(name.size() - kDate.size());
        if (m_day > 0)
            name += "@" + dayText(m_day);
    }
    return name;
}

bool SoftwareNotes::knowsSource() const
{
    return std::any_of(m_annotations.begin(), m_annotations.end(), [](const Annotation *a) { return !a->isOfNotes(); });
}

std::string SoftwareNotes::memoryKind() const
{
    std::string kind;
    for (const Annotation *each : m_readings)
        kind = each->memoryKind.empty() ? kind : each->memoryKind;
    return kind;
}

bool SoftwareNotes::readsFirstNode() const
{
    return std::any_of(m_readings.begin(), m_readings.end(), [](const Annotation *a) { return a->firstNodeMemory; });
}

// Whether a column of the table gives a value for the field.
bool SoftwareNotes::contradicts(const FrameworkField &field) const
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kColumns{
        {{"attention", "attention"}, {"recompute", "recompute"}, {"model.vocab", "vocab"}}};
    return std::any_of(kColumns.begin(), kColumns.end(),
        [&](const auto &column) { return field.key == column.first && m_row.states && m_row.states(column.second); });
}

Result<std::vector<std::string>> SoftwareNotes::apply(
    const Frameworks &frameworks, RunConfig &config, ModelSpec &model) const
{
    std::vector<std::string> taken;
    if (std::string torch = torchVersion(m_row.notes); !torch.empty())
        config.simulated.torch = std::move(torch);
    // A profile has its own date. A dated row ran the version of that date.
    if (config.simulated.torch.empty() && config.software.empty()) {
        const int noted = dateOf(m_row.notes), day = noted > 0 ? noted : m_day > 0 ? m_day : dateOfPaper(m_row.source);
        config.simulated.torch = day > 0 ? frameworks.torchReleaseOn(day) : std::string();
    }
    applyNumbers(m_row.notes, config, model, taken);
    for (const Annotation *each : m_annotations) {
        std::vector<FrameworkField> fields = each->fields;
        if (m_use == AnnotationUse::Consistent && !each->isOfNotes())
            std::erase_if(fields, [this](const FrameworkField &field) { return contradicts(field); });
        const Result<std::vector<AppliedField>> applied = applyFields(fields, config, model, m_day);
        if (!applied)
            return applied.error();
        for (const AppliedField &field : *applied) {
            const bool unsaid = each->isOfNotes() && each->notes.empty() && field.origin == FieldOrigin::Assumed;
            taken.push_back(field.key + " " + field.value +
                            (unsaid                 ? " (assumed)"
                                : each->isOfNotes() ? " (note)"
                                                    : " (source)"));
        }
    }
    return taken;
}

bool fromWholeRun(std::string_view notes)
{
    const std::string text = toLower(notes);
    return has(text, "gpu hours") || has(text, "gpu-hours") ||
           (has(text, "derived") && (has(text, " hours") || has(text, " days")));
}

bool timesOnlyPasses(std::string_view notes)
{
    constexpr std::array<std::string_view, 10> kWords{"forward and backward alone", "forward and backward only",
        "forward + backward only", "forward+backward only", "fwd+bwd only", "fwd + bwd only", "no optimizer step",
        "without optimizer step", "without the optimizer step", "optimizer not timed"};
    const std::string text = toLower(notes);
    return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view words) { return has(text, words); });
}

} // namespace slipway
