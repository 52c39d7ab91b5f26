// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "comm/store_protocol.h"

#include <algorithm>

#include "base/text.h"

namespace slipway {

namespace {

void putNumber(std::string &bytes, std::uint64_t value)
{
    for (unsigned int shift = 0; shift < 64; shift += 8)
        bytes += static_cast<char>(value >> shift & 0xffU);
}

void putText(std::string &bytes, std::string_view text)
{
    putNumber(bytes, text.size());
    bytes += text;
}

void putTexts(std::string &bytes, const std::vector<std::string> &texts)
{
    putNumber(bytes, texts.size());
    for (const std::string &text : texts)
        putText(bytes, text);
}

// Reads what the functions above wrote. After the first malformed field, all further reads fail.
class Reader {
public:
    explicit Reader(std::string_view bytes) : m_rest(bytes) {}

    [[nodiscard]] bool wholeAndAllRead() const { return m_fits && m_rest.empty(); }
    std::uint8_t byte() { return take(1) ? static_cast<std::uint8_t>(m_taken[0]) : 0; }
    std::uint64_t number()
    {
        std::uint64_t value = 0;
        if (take(8)) {
            for (std::size_t i = 8; i-- > 0;)
                value = value << 8U | static_cast<unsigned char>(m_taken[i]);
        }
        return value;
    }
    std::string text() { return take(number()) ? std::string(m_taken) : std::string(); }
    std::vector<std::string> texts()
    {
        const std::uint64_t count = number();
        m_fits = m_fits && count <= m_rest.size() / 8; // each element takes at least the 8 bytes of its length
        std::vector<std::string> all;
        for (std::uint64_t i = 0; m_fits && i < count; ++i)
            all.push_back(text());
        return all;
    }

private:
    bool take(std::uint64_t count)
    {
        m_fits = m_fits && count <= m_rest.size();
        if (m_fits) {
            m_taken = m_rest.substr(0, count);
            m_rest.remove_prefix(count);
        }
        return m_fits;
    }
    std::string_view m_rest, m_taken;
    bool m_fits = true;
};

} // namespace

std::string encoded(const StoreRequest &request)
{
    std::string bytes(1, static_cast<char>(request.op));
    putTexts(bytes, request.keys);
    putText(bytes, request.value);
    putText(bytes, request.expected);
    putNumber(bytes, static_cast<std::uint64_t>(request.number));
    return bytes;
}

std::string encoded(const StoreAnswer &answer)
{
    std::string bytes(1, answer.found ? '\1' : '\0');
    putTexts(bytes, answer.values);
    return bytes;
}

std::optional<StoreRequest> decodedRequest(std::string_view message)
{
    Reader reader(message);
    StoreRequest request{.op = static_cast<StoreOp>(reader.byte())};
    request.keys = reader.texts();
    request.value = reader.text();
    request.expected = reader.text();
    request.number = static_cast<std::int64_t>(reader.number());
    const bool known = request.op >= StoreOp::Read && request.op <= StoreOp::Remove;
    const bool oneKey = request.op == StoreOp::Read || request.keys.size() == 1;
    return reader.wholeAndAllRead() && known && oneKey ? std::optional(std::move(request)) : std::nullopt;
}

std::optional<StoreAnswer> decodedAnswer(std::string_view message)
{
    Reader reader(message);
    StoreAnswer answer{.found = reader.byte() == 1};
    answer.values = reader.texts();
    return reader.wholeAndAllRead() ? std::optional(std::move(answer)) : std::nullopt;
}

std::optional<StoreAnswer> StoreTable::answer(const StoreRequest &request)
{
    StoreAnswer answer{.found = true};
    if (request.op == StoreOp::Read) {
        for (const std::string &key : request.keys) {
            const auto found = m_values.find(key);
            if (found == m_values.end())
                return std::nullopt;
            answer.values.push_back(found->second);
        }
        return answer;
    }
    const std::string &key = request.keys.front();
    const auto found = m_values.find(key);
    const bool there = found != m_values.end();
    switch (request.op) {
    case StoreOp::Write:
        m_values.insert_or_assign(key, request.value);
        break;
    case StoreOp::CompareSet: // as in LibTorch's stores, a missing key equals an empty value
        if (there ? found->second == request.expected : request.expected.empty())
            answer.values = {m_values[key] = request.value};
        else
            answer.values = {there ? found->second : request.expected};
        break;
    case StoreOp::Add: {
        const auto before = static_cast<std::uint64_t>(there ? parseInteger(found->second).value_or(0) : 0);
        const auto sum = static_cast<std::int64_t>(before + static_cast<std::uint64_t>(request.number));
        answer.values = {m_values[key] = std::to_string(sum)};
        break;
    }
    case StoreOp::Remove:
        answer.found = m_values.erase(key) > 0;
        break;
    case StoreOp::Read:
        break;
    }
    return answer;
}

} // namespace slipway
