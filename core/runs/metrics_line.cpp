// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/metrics_line.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <variant>

namespace slipway {

namespace {

class Cursor {
public:
    explicit Cursor(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

    bool take(char wanted)
    {
        skipSpace();
        if (m_at == m_end || *m_at != wanted)
            return false;
        ++m_at;
        return true;
    }
    // `"key":` as the trainer writes it, without spaces.
    bool takeKey(std::string_view key)
    {
        if (static_cast<std::size_t>(m_end - m_at) < key.size() + 3 || *m_at != '"' || std::memcmp(m_at + 1, key.data(), key.size()) != 0 || m_at[key.size() + 1] != '"' || m_at[key.size() + 2] != ':')
            return false;
        m_at += key.size() + 3;
        return true;
    }
    // An ASCII text without escapes.
    bool text(std::string_view &into)
    {
        if (!take('"'))
            return false;
        const char *const begin = m_at;
        while (m_at != m_end && *m_at != '"' && *m_at != '\\' && *m_at >= 0x20) // as signed: beyond ASCII is below
            ++m_at;
        if (m_at == m_end || *m_at != '"')
            return false;
        into = {begin, static_cast<std::size_t>(m_at - begin)};
        ++m_at;
        return true;
    }
    template<typename T>
    bool number(T &into)
    {
        skipSpace();
        if (!isJsonNumber())
            return false;
        const auto [rest, failure] = std::from_chars(m_at, m_end, into);
        // A whole number that goes on as a fraction is for the other reader.
        if (failure != std::errc() || (rest != m_end && (*rest == '.' || *rest == 'e' || *rest == 'E')))
            return false;
        m_at = rest;
        return true;
    }
    bool atEnd()
    {
        skipSpace();
        return m_at == m_end;
    }

private:
    // As far as from_chars is more lenient: it reads "nan", "inf", "01", "1." and ".5" too.
    [[nodiscard]] bool isJsonNumber() const
    {
        const auto digit = [this](const char *at) { return at != m_end && *at >= '0' && *at <= '9'; };
        const char *at = m_at != m_end && *m_at == '-' ? m_at + 1 : m_at;
        if (!digit(at) || (*at == '0' && digit(at + 1)))
            return false;
        while (digit(at))
            ++at;
        return at == m_end || *at != '.' || digit(at + 1);
    }
    void skipSpace()
    {
        while (m_at != m_end && (*m_at == ' ' || *m_at == '\t' || *m_at == '\r'))
            ++m_at;
    }
    const char *m_at;
    const char *m_end;
};

template<typename Record>
struct Field {
    std::string_view key;
    std::variant<int Record::*, std::int64_t Record::*, double Record::*, std::optional<double> Record::*, std::optional<std::int64_t> Record::*, std::string Record::*> target;
};

// In the order in which they are written, so that the next key is nearly always the next of the table.
constexpr std::array<Field<StepMetrics>, 15> kFields{{{"attempt", &StepMetrics::attempt}, {"step", &StepMetrics::step}, {"tokens", &StepMetrics::tokens},
    {"time", &StepMetrics::time}, {"step_s", &StepMetrics::stepSeconds}, {"tokens_per_s", &StepMetrics::tokensPerSecond}, {"loss", &StepMetrics::loss},
    {"eval_loss", &StepMetrics::evalLoss}, {"lr", &StepMetrics::learningRate}, {"grad_norm", &StepMetrics::gradNorm}, {"mfu", &StepMetrics::mfu},
    {"allocated_peak", &StepMetrics::allocatedPeak}, {"reserved_peak", &StepMetrics::reservedPeak}, {"device_used", &StepMetrics::deviceUsed},
    {"data_wait_s", &StepMetrics::dataWait}}};
constexpr std::array<Field<StepMetrics>, 4> kPhases{{{"forward", &StepMetrics::forward}, {"backward", &StepMetrics::backward},
    {"optimizer", &StepMetrics::optimizer}, {"communication_exposed", &StepMetrics::communicationExposed}}};
constexpr std::array<Field<GpuSample>, 4> kGpuFields{{{"util", &GpuSample::utilisation}, {"power_w", &GpuSample::powerWatts},
    {"temp_c", &GpuSample::temperatureC}, {"used", &GpuSample::used}}};

template<typename Record>
const Field<Record> *findField(std::span<const Field<Record>> fields, std::string_view key, std::size_t &next)
{
    for (std::size_t tried = 0; tried < fields.size(); ++tried) {
        const std::size_t at = (next + tried) % fields.size();
        if (fields[at].key == key) {
            next = at + 1;
            return &fields[at];
        }
    }
    return nullptr;
}

bool readValue(Cursor &cursor, std::string &target)
{
    std::string_view text;
    if (!cursor.text(text))
        return false;
    target = text;
    return true;
}

template<typename T>
bool readValue(Cursor &cursor, T &target) { return cursor.number(target); }

template<typename T>
bool readValue(Cursor &cursor, std::optional<T> &target) { return cursor.number(target.emplace()); }

// After '{': the members, with `other` for keys that the table lacks.
template<typename Record, typename Other>
bool readObject(Cursor &cursor, std::span<const Field<Record>> fields, Record &record, Other other)
{
    if (!cursor.take('{'))
        return false;
    if (cursor.take('}'))
        return true;
    std::size_t next = 0;
    do {
        std::string_view key;
        const Field<Record> *field = nullptr;
        if (next < fields.size() && cursor.takeKey(fields[next].key)) {
            field = &fields[next++];
        } else {
            if (!cursor.text(key) || !cursor.take(':'))
                return false;
            field = findField(fields, key, next);
        }
        const bool read = field ? std::visit([&](auto member) { return readValue(cursor, record.*member); }, field->target) : other(key);
        if (!read)
            return false;
    } while (cursor.take(','));
    return cursor.take('}');
}

bool readGpus(Cursor &cursor, std::vector<GpuSample> &gpus)
{
    if (!cursor.take('['))
        return false;
    if (cursor.take(']'))
        return true;
    do {
        if (!readObject(cursor, std::span<const Field<GpuSample>>(kGpuFields), gpus.emplace_back(), [](std::string_view) { return false; }))
            return false;
    } while (cursor.take(','));
    return cursor.take(']');
}

} // namespace

bool readPlainMetrics(std::string_view line, StepMetrics &metrics)
{
    Cursor cursor(line);
    int version = 1;
    std::string time = std::move(metrics.time); // their memory is used again
    std::vector<GpuSample> gpus = std::move(metrics.gpus);
    time.clear();
    gpus.clear();
    metrics = StepMetrics{.step = -1, .time = std::move(time), .loss = std::numeric_limits<double>::quiet_NaN(), .gpus = std::move(gpus)};
    bool phases = false; // a second object of theirs would replace the first
    const auto other = [&](std::string_view key) {
        if (key == "v")
            return cursor.number(version) && version == 1;
        if (key == "phases")
            return !std::exchange(phases, true) && readObject(cursor, std::span<const Field<StepMetrics>>(kPhases), metrics, [](std::string_view) { return false; });
        return key == "gpus" && metrics.gpus.empty() && readGpus(cursor, metrics.gpus);
    };
    const bool read = readObject(cursor, std::span<const Field<StepMetrics>>(kFields), metrics, other) && cursor.atEnd();
    return read && metrics.step >= 0 && !std::isnan(metrics.loss); // both must stand there
}

} // namespace slipway
