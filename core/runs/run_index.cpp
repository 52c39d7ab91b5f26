// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_index.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <sqlite3.h>
#include <utility>

#include "runs/run_reader.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr int kVersion = 1;
constexpr const char *kSchema =
    "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=NORMAL;" // no WAL: home folders lie on network file systems
    "CREATE TABLE IF NOT EXISTS run (directory TEXT PRIMARY KEY, changed INTEGER NOT NULL, entry TEXT NOT NULL) "
    "WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS alert (directory TEXT NOT NULL, kind TEXT NOT NULL, since TEXT NOT NULL, until TEXT "
    "NOT NULL DEFAULT '',"
    " step INTEGER NOT NULL, message TEXT NOT NULL, PRIMARY KEY (directory, kind, since)) WITHOUT ROWID;"
    "PRAGMA user_version=1;";

// A prepared statement with its values bound: none of them is ever part of the text.
class Statement {
public:
    Statement(sqlite3 *database, const char *sql)
    {
        m_ok = sqlite3_prepare_v2(database, sql, -1, &m_statement, nullptr) == SQLITE_OK;
    }
    ~Statement() { sqlite3_finalize(m_statement); }
    Statement(const Statement &) = delete;
    Statement &operator=(const Statement &) = delete;

    Statement &bind(const std::string &text)
    {
        if (m_ok)
            sqlite3_bind_text(m_statement, ++m_bound, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
        return *this;
    }
    Statement &bind(std::int64_t number)
    {
        if (m_ok)
            sqlite3_bind_int64(m_statement, ++m_bound, number);
        return *this;
    }
    bool row() { return m_ok && sqlite3_step(m_statement) == SQLITE_ROW; }
    [[nodiscard]] std::string text(int column) const
    {
        const unsigned char *const bytes = sqlite3_column_text(m_statement, column);
        return bytes ? std::string(bytes, bytes + sqlite3_column_bytes(m_statement, column)) : std::string();
    }
    [[nodiscard]] std::int64_t number(int column) const { return sqlite3_column_int64(m_statement, column); }

private:
    sqlite3_stmt *m_statement = nullptr;
    int m_bound = 0;
    bool m_ok = false;
};

bool healthy(sqlite3 *database)
{
    Statement check(database, "PRAGMA quick_check(1)");
    Statement version(database, "PRAGMA user_version");
    return check.row() && check.text(0) == "ok" && version.row() &&
           (version.number(0) == 0 || version.number(0) == kVersion);
}

std::int64_t stamp(fs::file_time_type time) { return time.time_since_epoch().count(); }

// An alert that is over and comes back so soon was never over: it is not told twice.
constexpr std::chrono::minutes kSameAlert{10};

std::string lastUntil(sqlite3 *database, const std::string &directory, const std::string &kind)
{
    Statement find(database, "SELECT until FROM alert WHERE directory=? AND kind=? ORDER BY since DESC LIMIT 1");
    return find.bind(directory).bind(kind).row() ? find.text(0) : std::string();
}

bool endedJustNow(const std::string &until, const std::string &now)
{
    const auto end = fromIso8601(until), here = fromIso8601(now);
    return end && here && *here - *end < kSameAlert;
}

// Of everything that the entry says: labels change without the run.
std::int64_t changedOf(const KnownRun &run)
{
    std::error_code failed;
    const auto labels = fs::last_write_time(labelsFile({run.directory}), failed);
    return failed ? stamp(run.changed) : std::max(stamp(run.changed), stamp(labels));
}

} // namespace

struct RunIndex::Live {
    struct Known {
        RunEntry entry;
        RunData run; // its ends
        std::int64_t changed = 0;
    };
    std::map<fs::path, Known> runs;
};

RunIndex::RunIndex(Registry registry) : RunIndex(registry, fs::path(registry.folder().string() + ".sqlite")) {}

RunIndex::RunIndex(Registry registry, const fs::path &file)
    : m_registry(std::move(registry)),
      m_live(std::make_unique<Live>())
{
    open(file);
}

RunIndex::~RunIndex() { sqlite3_close(m_database); }

bool RunIndex::openAt(const std::string &name)
{
    sqlite3_close(m_database);
    m_database = nullptr;
    if (sqlite3_open(name.c_str(), &m_database) != SQLITE_OK)
        return false;
    sqlite3_busy_timeout(m_database, 2000);
    return healthy(m_database) && sqlite3_exec(m_database, kSchema, nullptr, nullptr, nullptr) == SQLITE_OK;
}

void RunIndex::open(const fs::path &file)
{
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    if (openAt(file.string()))
        return;
    // Damaged, or of a later version: nothing in it is lost that the run directories do not say again.
    sqlite3_close(m_database);
    m_database = nullptr;
    fs::remove(file, ignored);
    fs::remove(fs::path(file.string() + "-journal"), ignored);
    if (openAt(file.string()))
        return;
    m_inMemory = true;
    openAt(":memory:");
}

std::optional<RunEntry> RunIndex::known(const KnownRun &run, std::int64_t changed)
{
    Statement find(m_database, "SELECT entry FROM run WHERE directory=? AND changed=?");
    if (!find.bind(run.directory.string()).bind(changed).row())
        return std::nullopt;
    std::optional<RunEntry> entry = runEntryFromJson(find.text(0));
    if (!entry || entry->standing != run.standing)
        return std::nullopt;
    entry->name = run.name;           // a link may have been renamed
    entry->directory = run.directory; // which JSON cannot hold where it is no UTF-8
    return entry;
}

void RunIndex::keepAll(const std::vector<std::pair<const RunEntry *, std::int64_t>> &entries)
{
    if (entries.empty())
        return;
    sqlite3_exec(m_database, "BEGIN", nullptr, nullptr, nullptr); // a thousand new lines are one write
    for (const auto &[entry, changed] : entries)
        Statement(m_database, "INSERT OR REPLACE INTO run (directory, changed, entry) VALUES (?, ?, ?)")
            .bind(entry->directory.string())
            .bind(changed)
            .bind(toJsonText(*entry))
            .row();
    sqlite3_exec(m_database, "COMMIT", nullptr, nullptr, nullptr);
}

std::vector<RunEntry> RunIndex::list()
{
    std::vector<RunEntry> entries;
    std::vector<std::pair<const RunEntry *, std::int64_t>> fresh;
    std::map<fs::path, Live::Known> live;
    const std::vector<KnownRun> runs = m_registry.list();
    entries.reserve(runs.size()); // `fresh` points into it
    for (const KnownRun &run : runs) {
        const std::int64_t changed = changedOf(run);
        const bool ended = isTerminal(run.standing.state);
        if (std::optional<RunEntry> entry = ended ? known(run, changed) : std::nullopt) {
            entries.push_back(*std::move(entry));
            continue;
        }
        const auto before = m_live->runs.find(run.directory);
        if (before != m_live->runs.end() && before->second.changed == changed &&
            before->second.entry.standing == run.standing) {
            entries.push_back(before->second.entry);
            live.insert(m_live->runs.extract(before));
            continue;
        }
        Result<RunData> read = readRun(run.directory, RunReader::Extent::Ends);
        if (!read)
            continue;
        entries.push_back(entryOf(run.name, *read));
        if (ended)
            fresh.emplace_back(&entries.back(), changed);
        else
            live.emplace(run.directory, Live::Known{entries.back(), *std::move(read), changed});
    }
    m_live->runs = std::move(live);
    keepAll(fresh);
    return entries;
}

void RunIndex::forEachLive(const std::function<void(const RunData &)> &visit) const
{
    for (const auto &[directory, known] : m_live->runs)
        visit(known.run);
}

std::vector<RunEntry> RunIndex::rebuild()
{
    sqlite3_exec(m_database, "DELETE FROM run", nullptr, nullptr, nullptr);
    m_live->runs.clear();
    return list();
}

std::vector<Alert> RunIndex::noteAlerts(
    const fs::path &directory, const std::vector<Alert> &alerts, const std::string &now)
{
    std::vector<Alert> fresh;
    for (const Alert &alert : alerts) {
        const std::string kind(enumName(alert.kind));
        if (Statement(m_database, "SELECT 1 FROM alert WHERE directory=? AND kind=? AND until=''")
                .bind(directory.string())
                .bind(kind)
                .row()) {
            Statement(m_database,
                "UPDATE alert SET step=?, message=? WHERE directory=? AND kind=? AND until='' AND message<>?")
                .bind(alert.step)
                .bind(alert.message)
                .bind(directory.string())
                .bind(kind)
                .bind(alert.message)
                .row();
            continue;
        }
        if (const std::string before = lastUntil(m_database, directory.string(), kind); endedJustNow(before, now)) {
            Statement(
                m_database, "UPDATE alert SET until='', step=?, message=? WHERE directory=? AND kind=? AND until=?")
                .bind(alert.step)
                .bind(alert.message)
                .bind(directory.string())
                .bind(kind)
                .bind(before)
                .row();
            continue;
        }
        Statement(
            m_database, "INSERT OR REPLACE INTO alert (directory, kind, since, step, message) VALUES (?, ?, ?, ?, ?)")
            .bind(directory.string())
            .bind(kind)
            .bind(now)
            .bind(alert.step)
            .bind(alert.message)
            .row();
        fresh.push_back(alert);
    }
    std::vector<std::string> over;
    Statement open(m_database, "SELECT kind FROM alert WHERE directory=? AND until=''");
    open.bind(directory.string());
    while (open.row()) {
        const std::string kind = open.text(0);
        if (std::none_of(
                alerts.begin(), alerts.end(), [&](const Alert &alert) { return enumName(alert.kind) == kind; }))
            over.push_back(kind);
    }
    for (const std::string &kind : over)
        Statement(m_database, "UPDATE alert SET until=? WHERE directory=? AND kind=? AND until=''")
            .bind(now)
            .bind(directory.string())
            .bind(kind)
            .row();
    return fresh;
}

std::vector<AlertRow> RunIndex::alerts(const fs::path &directory)
{
    std::vector<AlertRow> rows;
    Statement find(
        m_database, "SELECT kind, since, until, step, message FROM alert WHERE directory=? ORDER BY since DESC, kind");
    find.bind(directory.string());
    while (find.row()) {
        if (const auto kind = enumFromName<AlertKind>(find.text(0)))
            rows.push_back({.directory = directory,
                .alert = {.kind = *kind, .message = find.text(4), .step = find.number(3)},
                .since = find.text(1),
                .until = find.text(2)});
    }
    return rows;
}

} // namespace slipway
