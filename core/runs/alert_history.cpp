// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/alert_history.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <optional>
#include <ranges>
#include <sys/file.h>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestMessage = 8000; // readers accept a line with such a message
constexpr Bytes kMostBytes = 512 * kKiB;      // a longer file is rewritten with the newest rows
// If an alert returns this soon after its end, it counts as the same alert and is not reported again.
constexpr std::chrono::minutes kSameAlert{10};

bool endedJustNow(const std::string &until, const std::string &now)
{
    const auto end = fromIso8601(until), here = fromIso8601(now);
    return end && here && *here - *end < kSameAlert;
}

std::string lineOf(std::int64_t number, const AlertRow &row)
{
    const nlohmann::ordered_json object{{"v", 1}, {"n", number}, {"kind", enumName(row.alert.kind)},
        {"step", row.alert.step}, {"since", row.since}, {"until", row.until},
        {"message", row.alert.message.substr(0, kLongestMessage)}};
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

template<typename T>
std::optional<T> valueOf(const nlohmann::json &object, const char *key)
{
    const auto found = object.find(key);
    if (found == object.end())
        return std::nullopt;
    if constexpr (std::is_same_v<T, std::string>)
        return found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
    else
        return found->is_number_integer() ? std::optional(found->get<T>()) : std::nullopt;
}

// Opens the file and locks it against other writers until it is closed.
Result<FileDescriptor> openLocked(const fs::path &path)
{
    for (;;) {
        Result<FileDescriptor> file = openPrivateFile(path, O_RDWR | O_CREAT | O_APPEND);
        if (!file)
            return file;
        while (::flock(file->get(), LOCK_EX) != 0 && errno == EINTR) {
        }
        struct stat ours{}, there{};
        if (::fstat(file->get(), &ours) != 0 || ::stat(path.c_str(), &there) != 0 || ours.st_ino == there.st_ino)
            return file; // otherwise another writer has replaced the file
    }
}

Error writeError(const fs::path &path, int failure)
{
    return {.what = "cannot write: " + systemMessage(failure), .where = path.string(), .fault = Fault::Outside};
}

// Appends the text completely or not at all. If a crash has cut the last line, the line is ended first.
Result<void> append(const FileDescriptor &file, const fs::path &path, std::string text)
{
    struct stat before{};
    if (::fstat(file.get(), &before) != 0)
        return writeError(path, errno);
    std::string last;
    if (before.st_size > 0 && readAt(file, before.st_size - 1, 1, last) == 0 && last != "\n")
        text.insert(0, "\n");
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t written = ::write(file.get(), text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            const int failure = errno;
            (void)!::ftruncate(file.get(), before.st_size);
            return writeError(path, failure);
        }
        done += static_cast<std::size_t>(written);
    }
    return ::fsync(file.get()) == 0 ? Result<void>() : writeError(path, errno);
}

} // namespace

fs::path alertsFile(const RunPaths &paths) { return paths.directory / "alerts.jsonl"; }

AlertHistory::AlertHistory(fs::path directory) : m_directory(std::move(directory)), m_lines(alertsFile({m_directory}))
{
}

void AlertHistory::takeLine(const std::string &line)
{
    const Result<nlohmann::json> object = parseJson(line, kJsonLineLimits);
    if (!object || !object->is_object())
        return; // the line was cut by a crash
    const auto number = valueOf<std::int64_t>(*object, "n");
    const auto kind = enumFromName<AlertKind>(valueOf<std::string>(*object, "kind").value_or(""));
    const auto since = valueOf<std::string>(*object, "since");
    constexpr std::int64_t kMostNumber = std::int64_t{1} << 52;
    if (!number || *number < 1 || *number > kMostNumber || !kind || !since)
        return;
    m_rows[*number] = {.directory = m_directory,
        .alert = {.kind = *kind,
            .message = valueOf<std::string>(*object, "message").value_or(""),
            .step = valueOf<std::int64_t>(*object, "step").value_or(0)},
        .since = *since,
        .until = valueOf<std::string>(*object, "until").value_or("")};
    if (m_rows.size() > kMostRows)
        m_rows.erase(m_rows.begin());
}

// Reads what this and other programs have appended.
void AlertHistory::readOn()
{
    const Result<FollowedLines> read = m_lines.poll(2 * kMostBytes);
    if (!read)
        return;
    if (read->restarted && m_problem.empty())
        m_rows.clear();
    for (const std::string &line : read->lines)
        takeLine(line);
}

// Writes the rows with these numbers. Rows that cannot be written stay in memory.
bool AlertHistory::write(const std::vector<std::int64_t> &changed)
{
    std::string lines;
    for (const std::int64_t number : changed)
        lines += lineOf(number, m_rows.at(number));
    const fs::path path = alertsFile({m_directory});
    std::error_code missing;
    Result<void> written;
    if (static_cast<Bytes>(fs::file_size(path, missing)) > kMostBytes && !missing) {
        std::string all;
        for (const auto &[number, row] : m_rows)
            all += lineOf(number, row);
        written = writePrivateFile(path, all);
    } else {
        const Result<FileDescriptor> file = openPrivateFile(path, O_RDWR | O_APPEND);
        written = file ? append(*file, path, lines) : file.error();
    }
    m_problem = written ? "" : written.error().message();
    return m_problem.empty();
}

AlertRow *AlertHistory::last(AlertKind kind, std::int64_t &number)
{
    for (auto &[rowNumber, row] : std::views::reverse(m_rows)) {
        if (row.alert.kind == kind) {
            number = rowNumber;
            return &row;
        }
    }
    return nullptr;
}

std::vector<Alert> AlertHistory::note(const std::vector<Alert> &alerts, const std::string &now)
{
    readOn();
    // In most calls nothing has changed. The file is opened for writing only if something has.
    const auto isTold = [&](AlertKind kind) {
        std::int64_t number = 0;
        const AlertRow *const row = last(kind, number);
        return row && row->until.empty();
    };
    const auto isOver = [&](const AlertRow &row) {
        return row.until.empty() && std::none_of(alerts.begin(), alerts.end(),
                                        [&](const Alert &alert) { return alert.kind == row.alert.kind; });
    };
    const bool news =
        std::any_of(alerts.begin(), alerts.end(), [&](const Alert &alert) { return !isTold(alert.kind); }) ||
        std::any_of(m_rows.begin(), m_rows.end(), [&](const auto &row) { return isOver(row.second); });
    std::optional<FileDescriptor> locked;
    if (news) {
        if (Result<FileDescriptor> file = openLocked(alertsFile({m_directory})); file)
            locked = *std::move(file);
        readOn(); // rows that others appended before the file was locked
    }
    std::vector<Alert> fresh;
    std::vector<std::int64_t> changed;
    for (const Alert &alert : alerts) {
        std::int64_t number = 0;
        AlertRow *const row = last(alert.kind, number);
        if (row && (row->until.empty() || endedJustNow(row->until, now))) {
            if (!row->until.empty())
                changed.push_back(number);
            row->until.clear();
            row->alert.message = alert.message; // a new message alone is not written; the step is that of the beginning
            continue;
        }
        const std::int64_t next = m_rows.empty() ? 1 : m_rows.rbegin()->first + 1;
        m_rows[next] = {.directory = m_directory, .alert = alert, .since = now, .until = {}};
        changed.push_back(next);
        fresh.push_back(alert);
    }
    for (auto &[number, row] : m_rows) {
        if (isOver(row)) {
            row.until = now;
            changed.push_back(number);
        }
    }
    if (!changed.empty())
        (void)write(changed);
    while (m_rows.size() > kMostRows)
        m_rows.erase(m_rows.begin());
    return fresh;
}

bool AlertHistory::adopt(const std::vector<AlertRow> &rows)
{
    const Result<FileDescriptor> locked = openLocked(alertsFile({m_directory}));
    readOn();
    std::vector<std::int64_t> added;
    for (const AlertRow &row : rows) {
        const bool known = std::any_of(m_rows.begin(), m_rows.end(),
            [&](const auto &one) { return one.second.alert.kind == row.alert.kind && one.second.since == row.since; });
        if (known)
            continue;
        const std::int64_t next = m_rows.empty() ? 1 : m_rows.rbegin()->first + 1;
        m_rows[next] = row;
        m_rows[next].directory = m_directory;
        added.push_back(next);
    }
    return added.empty() || write(added);
}

std::vector<AlertRow> AlertHistory::rows()
{
    readOn();
    std::vector<AlertRow> newestFirst;
    for (const auto &[number, row] : std::views::reverse(m_rows))
        newestFirst.push_back(row);
    return newestFirst;
}

} // namespace slipway
