// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/metrics_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <utility>
#include <variant>

#include "base/json.h"

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
    // Skips `wanted` if it comes next. Its length is known at compile time, so a few instructions compare it.
    template<std::size_t kSize>
    bool takeLiteral(const std::array<char, kSize> &wanted)
    {
        if (static_cast<std::size_t>(m_end - m_at) < kSize || !same<kSize>(m_at, wanted.data()))
            return false;
        m_at += kSize;
        return true;
    }
    // Reads an ASCII string without escapes.
    bool text(std::string_view &into)
    {
        if (!take('"'))
            return false;
        const char *const begin = m_at;
        while (m_at != m_end && *m_at != '"' && *m_at != '\\' && *m_at >= 0x20) // bytes above 0x7f are negative
            ++m_at;
        if (m_at == m_end || *m_at != '"')
            return false;
        into = {begin, static_cast<std::size_t>(m_at - begin)};
        ++m_at;
        return true;
    }
    bool number(double &into)
    {
        skipSpace();
        Digits digits;
        if (!digits.read(m_at, m_end))
            return false;
        if (digits.areExact()) {
            into = digits.value();
            m_at = digits.end;
            return true;
        }
        return convert(into);
    }
    // Reads an integer. A number with a fraction or an exponent is left to the general reader.
    template<std::signed_integral T>
    bool number(T &into)
    {
        skipSpace();
        Digits digits;
        if (!digits.read(m_at, m_end) || digits.fraction > 0 || digits.hasExponent)
            return false;
        if (digits.count > Digits::kMostCounted ||
            digits.mantissa > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
            return convert(into);
        into = digits.negative ? -static_cast<T>(digits.mantissa) : static_cast<T>(digits.mantissa);
        m_at = digits.end;
        return true;
    }
    bool atEnd()
    {
        skipSpace();
        return m_at == m_end;
    }

private:
    // The digits of a number in JSON's form. from_chars accepts more: "nan", "inf", "01", "1.", ".5".
    struct Digits {
        static constexpr int kMostCounted = 19; // any number with so many digits fits into 64 bits
        std::uint64_t mantissa = 0;
        int count = 0, fraction = 0; // fraction: digits after the point
        bool negative = false, hasExponent = false;
        const char *end = nullptr;

        bool read(const char *at, const char *last)
        {
            negative = at != last && *at == '-';
            at += negative ? 1 : 0;
            const char *const whole = at;
            at = takeDigits(at, last);
            count = static_cast<int>(at - whole);
            if (count == 0 || (*whole == '0' && count > 1))
                return false;
            if (at != last && *at == '.') {
                const char *const point = ++at;
                at = takeDigits(at, last);
                fraction = static_cast<int>(at - point);
                count += fraction;
                if (fraction == 0)
                    return false;
            }
            hasExponent = at != last && (*at == 'e' || *at == 'E');
            end = at;
            return true;
        }
        const char *takeDigits(const char *at, const char *last)
        {
            for (; at != last && *at >= '0' && *at <= '9'; ++at)
                mantissa = mantissa * 10 + static_cast<std::uint64_t>(*at - '0');
            return at;
        }
        // If mantissa and power of ten are exact doubles, their quotient is rounded only once. It is thus the double
        // nearest to the text (Clinger 1990, "How to read floating point numbers accurately").
        [[nodiscard]] bool areExact() const
        {
            return !hasExponent && count <= kMostCounted && mantissa <= (1ULL << 53) &&
                   static_cast<std::size_t>(fraction) < kPowersOfTen.size();
        }
        [[nodiscard]] double value() const
        {
            const double magnitude = static_cast<double>(mantissa) / kPowersOfTen[static_cast<std::size_t>(fraction)];
            return negative ? -magnitude : magnitude;
        }
        static constexpr std::array<double, 23> kPowersOfTen{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
            1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    };
    // Compares eight characters at a time. The last eight may overlap with the ones before. A call of memcmp for each
    // key would take a tenth of the total time.
    template<std::size_t kSize>
    static bool same(const char *text, const char *wanted)
    {
        if constexpr (kSize < sizeof(std::uint64_t)) {
            return std::memcmp(text, wanted, kSize) == 0;
        } else {
            const auto differs = [&](std::size_t at) {
                std::uint64_t a = 0, b = 0;
                std::memcpy(&a, text + at, sizeof a);
                std::memcpy(&b, wanted + at, sizeof b);
                return a ^ b;
            };
            std::uint64_t differences = differs(kSize - sizeof(std::uint64_t));
            for (std::size_t at = 0; at + sizeof(std::uint64_t) < kSize; at += sizeof(std::uint64_t))
                differences |= differs(at);
            return differences == 0;
        }
    }
    template<typename T>
    bool convert(T &into)
    {
        const auto [rest, failure] = std::from_chars(m_at, m_end, into);
        if (failure != std::errc() || (rest != m_end && (*rest == '.' || *rest == 'e' || *rest == 'E')))
            return false;
        m_at = rest;
        return true;
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
    std::variant<int Record::*, std::int64_t Record::*, double Record::*, std::optional<double> Record::*,
        std::optional<std::int64_t> Record::*, std::string Record::*>
        target;
};

// In the order in which the trainer writes them, so that the next key is nearly always the next one of the table.
constexpr std::array<Field<StepMetrics>, 15> kFields{{{"attempt", &StepMetrics::attempt}, {"step", &StepMetrics::step},
    {"tokens", &StepMetrics::tokens}, {"time", &StepMetrics::time}, {"step_s", &StepMetrics::stepSeconds},
    {"tokens_per_s", &StepMetrics::tokensPerSecond}, {"loss", &StepMetrics::loss},
    {"eval_loss", &StepMetrics::evalLoss}, {"lr", &StepMetrics::learningRate}, {"grad_norm", &StepMetrics::gradNorm},
    {"mfu", &StepMetrics::mfu}, {"allocated_peak", &StepMetrics::allocatedPeak},
    {"reserved_peak", &StepMetrics::reservedPeak}, {"device_used", &StepMetrics::deviceUsed},
    {"data_wait_s", &StepMetrics::dataWait}}};
constexpr std::array<Field<StepMetrics>, 4> kPhases{
    {{"forward", &StepMetrics::forward}, {"backward", &StepMetrics::backward}, {"optimizer", &StepMetrics::optimizer},
        {"communication_exposed", &StepMetrics::communicationExposed}}};
constexpr std::array<Field<GpuSample>, 7> kGpuFields{
    {{"util", &GpuSample::utilisation}, {"power_w", &GpuSample::powerWatts}, {"temp_c", &GpuSample::temperatureC},
        {"used", &GpuSample::used}, {"clock_mhz", &GpuSample::clockMhz}, {"clock_max_mhz", &GpuSample::clockMaxMhz},
        {"throttle_reasons", &GpuSample::throttleReasons}}};

bool readValue(Cursor &cursor, std::string &target)
{
    std::string_view text;
    if (!cursor.text(text))
        return false;
    target = text;
    return true;
}

template<typename T>
bool readValue(Cursor &cursor, T &target)
{
    return cursor.number(target);
}

template<typename T>
bool readValue(Cursor &cursor, std::optional<T> &target)
{
    return cursor.number(target.emplace());
}

// `"key":` as the trainer writes it, without spaces.
template<const auto &kTable, std::size_t kIndex>
constexpr auto quotedKey()
{
    constexpr std::string_view key = kTable[kIndex].key;
    std::array<char, key.size() + 3> text{};
    text.front() = '"';
    std::copy(key.begin(), key.end(), text.begin() + 1);
    text[key.size() + 1] = '"';
    text[key.size() + 2] = ':';
    return text;
}

// Reads members that come in the order of the table. The compiler knows each key and the type of its value.
template<const auto &kTable, typename Record, std::size_t... kAt>
bool readInOrder(Cursor &cursor, Record &record, bool &more, std::index_sequence<kAt...>)
{
    const auto readOne = [&]<std::size_t kIndex>(std::integral_constant<std::size_t, kIndex>) {
        static constexpr auto kKey = quotedKey<kTable, kIndex>();
        if (!more || !cursor.takeLiteral(kKey))
            return true;
        if (!std::visit([&](auto member) { return readValue(cursor, record.*member); }, kTable[kIndex].target))
            return false;
        more = cursor.take(',');
        return true;
    };
    return (readOne(std::integral_constant<std::size_t, kAt>()) && ...);
}

// Reads an object. `other` reads keys that the table lacks.
template<const auto &kTable, typename Record, typename Other>
bool readObject(Cursor &cursor, Record &record, Other other)
{
    if (!cursor.take('{'))
        return false;
    if (cursor.take('}'))
        return true;
    for (bool more = true; more;) {
        if (!readInOrder<kTable>(cursor, record, more, std::make_index_sequence<kTable.size()>()))
            return false;
        if (!more)
            break;
        std::string_view key;
        if (!cursor.text(key) || !cursor.take(':'))
            return false;
        const auto field = std::find_if(kTable.begin(), kTable.end(), [&](const auto &one) { return one.key == key; });
        const bool read =
            field == kTable.end()
                ? other(key)
                : std::visit([&](auto member) { return readValue(cursor, record.*member); }, field->target);
        if (!read)
            return false;
        more = cursor.take(',');
    }
    return cursor.take('}');
}

bool readGpus(Cursor &cursor, std::vector<GpuSample> &gpus)
{
    if (!cursor.take('['))
        return false;
    if (cursor.take(']'))
        return true;
    do {
        if (gpus.size() == kMostGpus)
            return false; // left to the general reader, which ignores such values
        if (!readObject<kGpuFields>(cursor, gpus.emplace_back(), [](std::string_view) { return false; }))
            return false;
    } while (cursor.take(','));
    return cursor.take(']');
}

// Reads {"shares":[...],"max_over_mean":...} in this order. The second value follows from the first.
bool readExperts(Cursor &cursor, std::vector<double> &shares)
{
    std::string_view key;
    if (!cursor.take('{') || !cursor.text(key) || key != "shares" || !cursor.take(':') || !cursor.take('['))
        return false;
    do {
        if (shares.size() == kMostExperts || !cursor.number(shares.emplace_back()))
            return false;
    } while (cursor.take(','));
    double most = 0;
    return cursor.take(']') && cursor.take(',') && cursor.text(key) && key == "max_over_mean" && cursor.take(':') &&
           cursor.number(most) && cursor.take('}');
}

} // namespace

bool readPlainMetrics(std::string_view line, StepMetrics &metrics)
{
    if (static_cast<Bytes>(line.size()) > kMaxJsonLine)
        return false;
    Cursor cursor(line);
    int version = 1;
    std::string time = std::move(metrics.time); // keeps the allocated memory for reuse
    std::vector<GpuSample> gpus = std::move(metrics.gpus);
    std::vector<double> shares = std::move(metrics.expertShares);
    time.clear();
    gpus.clear();
    shares.clear();
    metrics = StepMetrics{.step = -1,
        .time = std::move(time),
        .loss = std::numeric_limits<double>::quiet_NaN(),
        .gpus = std::move(gpus),
        .expertShares = std::move(shares)};
    bool phases = false; // a second such object would replace the first
    const auto other = [&](std::string_view key) {
        if (key == "v")
            return cursor.number(version) && version == 1;
        if (key == "phases")
            return !std::exchange(phases, true) &&
                   readObject<kPhases>(cursor, metrics, [](std::string_view) { return false; });
        if (key == "experts")
            return metrics.expertShares.empty() && readExperts(cursor, metrics.expertShares);
        return key == "gpus" && metrics.gpus.empty() && readGpus(cursor, metrics.gpus);
    };
    const bool read = readObject<kFields>(cursor, metrics, other) && cursor.atEnd();
    return read && metrics.step >= 0 && !std::isnan(metrics.loss) && // step and loss are required
           metrics.attempt >= 0 && metrics.attempt <= kHighestAttempt;
}

} // namespace slipway
