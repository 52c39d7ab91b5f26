// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/log_records.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "runs/tensorboard.h"

namespace slipway {

namespace {

constexpr std::size_t kLargestRecord = 512 * kKiB; // of TensorBoard; larger ones are images and histograms
constexpr std::size_t kMostValues = 2000;          // per record
constexpr std::size_t kLongestName = 300;
constexpr double kMostSteps = 1e12;
constexpr JsonLimits kStateLimits{.bytes = kLargestTrainerState, .depth = 16, .values = 10'000'000};
constexpr JsonLimits kValueLimits{.bytes = 4 * kKiB, .depth = 4, .values = 100};

template<typename T>
T littleEndian(std::string_view bytes)
{
    T value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
        value |= static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
}

// Iterates over the fields of a protocol buffer message. next() returns false at the end, or if the message is damaged.
class ProtobufFields {
public:
    explicit ProtobufFields(std::string_view bytes) : m_bytes(bytes) {}
    bool next()
    {
        const std::optional<std::uint64_t> key = varint();
        if (!key)
            return false;
        m_number = *key >> 3;
        m_type = static_cast<int>(*key & 7);
        switch (m_type) {
        case 0:
            return take(varint());
        case 1:
            return fixed<std::uint64_t>();
        case 5:
            return fixed<std::uint32_t>();
        case 2: {
            const std::optional<std::uint64_t> length = varint();
            if (!length || *length > m_bytes.size())
                return false;
            m_content = m_bytes.substr(0, *length);
            m_bytes.remove_prefix(*length);
            return true;
        }
        default:
            return false;
        }
    }
    // Whether the field has this number and type: 0 varint, 1 64-bit, 2 length and bytes, 5 32-bit.
    [[nodiscard]] bool is(std::uint64_t number, int type) const { return m_number == number && m_type == type; }
    [[nodiscard]] std::uint64_t value() const { return m_value; }
    [[nodiscard]] double asDouble() const { return std::bit_cast<double>(m_value); }
    [[nodiscard]] double asFloat() const
    {
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(m_value)));
    }
    [[nodiscard]] std::string_view content() const { return m_content; }

private:
    bool take(std::optional<std::uint64_t> value)
    {
        m_value = value.value_or(0);
        return value.has_value();
    }
    template<typename T>
    bool fixed()
    {
        if (m_bytes.size() < sizeof(T))
            return false;
        m_value = littleEndian<T>(m_bytes);
        m_bytes.remove_prefix(sizeof(T));
        return true;
    }
    std::optional<std::uint64_t> varint()
    {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < m_bytes.size() && i < 10; ++i) {
            const auto byte = static_cast<unsigned char>(m_bytes[i]);
            value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
            if ((byte & 0x80) == 0) {
                m_bytes.remove_prefix(i + 1);
                return value;
            }
        }
        return std::nullopt;
    }

    std::string_view m_bytes, m_content;
    std::uint64_t m_number = 0, m_value = 0;
    int m_type = 0;
};

void add(LoggedValues &record, std::string_view name, double value)
{
    if (!name.empty() && record.values.size() < kMostValues)
        record.values.emplace_back(name.substr(0, kLongestName), value);
}

// tensorflow.TensorProto: a single float or double, in its own field or as bytes.
std::optional<double> tensorValue(std::string_view tensor)
{
    std::uint64_t type = 0;
    std::optional<double> value;
    std::string_view content;
    for (ProtobufFields field(tensor); field.next();) {
        if (field.is(1, 0))
            type = field.value();
        else if (field.is(4, 2))
            content = field.content();
        else if (field.is(5, 5))
            value = field.asFloat();
        else if (field.is(6, 1))
            value = field.asDouble();
        else if (field.is(5, 2) && field.content().size() == 4) // packed
            value = std::bit_cast<float>(littleEndian<std::uint32_t>(field.content()));
        else if (field.is(6, 2) && field.content().size() == 8)
            value = std::bit_cast<double>(littleEndian<std::uint64_t>(field.content()));
    }
    if (type == 1 && content.size() == 4)
        value = std::bit_cast<float>(littleEndian<std::uint32_t>(content));
    if (type == 2 && content.size() == 8)
        value = std::bit_cast<double>(littleEndian<std::uint64_t>(content));
    return value;
}

// tensorflow.Summary.Value
void addScalar(LoggedValues &record, std::string_view summaryValue)
{
    std::string_view tag;
    std::optional<double> value;
    for (ProtobufFields field(summaryValue); field.next();) {
        if (field.is(1, 2))
            tag = field.content();
        else if (field.is(2, 5))
            value = field.asFloat();
        else if (field.is(8, 2))
            value = tensorValue(field.content());
    }
    if (value)
        add(record, tag, *value);
}

// tensorflow.Event
LoggedValues eventValues(std::string_view event)
{
    LoggedValues record{.step = 0, .time = {}, .values = {}};
    for (ProtobufFields field(event); field.next();) {
        if (field.is(1, 1))
            record.time = field.asDouble();
        else if (field.is(2, 0))
            record.step = static_cast<std::int64_t>(field.value());
        else if (field.is(5, 2)) {
            for (ProtobufFields value(field.content()); value.next();) {
                if (value.is(1, 2))
                    addScalar(record, value.content());
            }
        }
    }
    return record;
}

bool isUsable(const LoggedValues &record)
{
    return record.step >= 0 && static_cast<double>(record.step) <= kMostSteps && !record.values.empty();
}

// W&B writes NaN, which is not valid JSON.
std::optional<double> numberOf(std::string_view json)
{
    if (json == "NaN")
        return std::nan("");
    const Result<nlohmann::json> value = parseJson(json, kValueLimits);
    return value && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

// A wandb_internal.Record with a HistoryRecord. A script that counts its steps logs them under a name of its own. _step
// then counts the calls.
LoggedValues historyValues(std::string_view recordBytes)
{
    LoggedValues record;
    std::optional<double> own, calls;
    for (ProtobufFields field(recordBytes); field.next();) {
        if (!field.is(2, 2))
            continue;
        for (ProtobufFields item(field.content()); item.next();) {
            if (!item.is(1, 2))
                continue;
            std::string key;
            std::optional<double> value;
            for (ProtobufFields part(item.content()); part.next();) {
                if (part.is(1, 2))
                    key = part.content().substr(0, kLongestName);
                else if (part.is(2, 2))
                    key = (key + (key.empty() ? "" : "/") + std::string(part.content())).substr(0, kLongestName);
                else if (part.is(16, 2))
                    value = numberOf(part.content());
            }
            if (!value)
                continue;
            if (key == "_step")
                calls = value;
            else if (key == "_timestamp")
                record.time = value;
            else if (key == "global_step" || key.ends_with("/global_step"))
                own = value;
            else
                add(record, key, *value);
        }
    }
    const double step = own.value_or(calls.value_or(-1));
    record.step = step >= 0 && step <= kMostSteps ? static_cast<std::int64_t>(step) : -1;
    return record;
}

} // namespace

LogFormat logFormatOf(std::string_view head)
{
    if (head.starts_with(":W&B"))
        return LogFormat::Wandb;
    if (head.size() >= 12 && littleEndian<std::uint32_t>(head.substr(8)) == maskedCrc32c(head.substr(0, 8)))
        return LogFormat::TensorBoard;
    // transformers/trainer_callback.py writes sorted keys, indented. A log of lines may also begin with JSON of several
    // lines.
    const std::size_t key = head.starts_with('{') ? head.find_first_not_of(" \t\r\n", 1) : std::string_view::npos;
    const bool isState = key != std::string_view::npos && head.substr(key).starts_with("\"best_");
    return isState ? LogFormat::TrainerState : LogFormat::Lines;
}

LogRecords tensorBoardRecords(std::string_view bytes)
{
    LogRecords records;
    for (;;) {
        const std::string_view rest = bytes.substr(records.taken);
        if (rest.size() < 12)
            return records;
        if (littleEndian<std::uint32_t>(rest.substr(8)) != maskedCrc32c(rest.substr(0, 8))) {
            records.isDamaged = true;
            return records;
        }
        const std::uint64_t length = littleEndian<std::uint64_t>(rest);
        if (length > kLargestRecord) {
            records.taken += 12;
            records.behind = static_cast<std::int64_t>(std::min<std::uint64_t>(length, std::uint64_t{1} << 50)) + 4;
            return records;
        }
        if (rest.size() < 12 + length + 4)
            return records;
        const std::string_view event = rest.substr(12, length);
        if (littleEndian<std::uint32_t>(rest.substr(12 + length)) == maskedCrc32c(event)) {
            if (LoggedValues values = eventValues(event); isUsable(values))
                records.list.push_back(std::move(values));
        }
        records.taken += 12 + length + 4;
    }
}

// The format of LevelDB's log: blocks of 32 KiB with fragments of records. A fragment has a header of 7 bytes:
// checksum, length, type. If a block has no space for a header, its rest is zeros. W&B's file has a header of 7 bytes
// before the first fragment.
LogRecords wandbRecords(std::string_view bytes, std::int64_t offset, bool isFull)
{
    constexpr std::size_t kBlock = 32768, kHead = 7;
    enum Type { Full = 1, First, Middle, Last };
    LogRecords records;
    if (offset == 0 && bytes.size() < kHead)
        return records;
    std::size_t at = offset == 0 ? kHead : 0;
    records.taken = at;
    std::string whole;
    bool begun = false;
    for (;;) {
        const std::size_t left = kBlock - (static_cast<std::size_t>(offset) + at) % kBlock;
        if (left < kHead) {
            if (bytes.size() - at < left)
                break;
            at += left;
            continue;
        }
        if (bytes.size() - at < kHead)
            break;
        const std::size_t length = littleEndian<std::uint16_t>(bytes.substr(at + 4));
        const int type = static_cast<unsigned char>(bytes[at + 6]);
        if (type < Full || type > Last || length > left - kHead) {
            records.isDamaged = true;
            return records;
        }
        if (bytes.size() - at < kHead + length)
            break;
        if (type == Full || type == First) {
            whole.clear();
            begun = true;
        }
        if (begun)
            whole += bytes.substr(at + kHead, length);
        at += kHead + length;
        if (type == Full || type == Last) {
            if (LoggedValues values = begun ? historyValues(whole) : LoggedValues(); isUsable(values))
                records.list.push_back(std::move(values));
            begun = false;
            records.taken = at;
        } else if (!begun) { // part of a record that was skipped
            records.taken = at;
        }
    }
    if (isFull && records.taken == (offset == 0 ? kHead : 0))
        records.taken = at;
    return records;
}

Result<std::vector<LoggedValues>> trainerStateRecords(std::string_view text)
{
    const Result<nlohmann::json> state = parseJson(text, kStateLimits);
    if (!state)
        return state.error();
    std::vector<LoggedValues> records;
    const auto history = state->is_object() ? state->find("log_history") : state->end();
    if (!state->is_object() || history == state->end() || !history->is_array())
        return records;
    for (const nlohmann::json &entry : *history) {
        if (!entry.is_object())
            continue;
        LoggedValues record;
        for (const auto &[name, value] : entry.items()) {
            const double number = value.is_number() ? value.get<double>() : std::nan("");
            if (name == "step")
                record.step = number >= 0 && number <= kMostSteps ? static_cast<std::int64_t>(number) : -1;
            else if (value.is_number())
                add(record, name, number);
        }
        if (isUsable(record))
            records.push_back(std::move(record));
    }
    return records;
}

} // namespace slipway
