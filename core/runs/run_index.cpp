// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "runs/run_index.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <sqlite3.h>
#include <sys/stat.h>
#include <utility>

#include "base/file.h"
#include "base/read_failures.h"
#include "base/user_folders.h"
#include "runs/run_reader.h"
#include "runs/script_rules.h"

namespace slipway {

namespace fs = std::filesystem;

namespace {

constexpr int kVersion = 2;
// Before alerts.jsonl existed, there was also a table "alert". Its rows are moved to the folders of their runs.
constexpr const char *kSchema =
    "CREATE TABLE IF NOT EXISTS run (directory TEXT PRIMARY KEY, changed INTEGER NOT NULL, entry TEXT NOT NULL) "
    "WITHOUT ROWID;"
    "PRAGMA user_version=2;";
// Entries of version 1 have no final loss. So the folders are read again.
constexpr const char *kRenewal = "DROP TABLE IF EXISTS run";
constexpr const char *kSettings =
    "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=NORMAL; PRAGMA trusted_schema=OFF;"; // no WAL: home folders lie
                                                                                           // on network file systems
constexpr int kLaterVersion = -1;                                                          // not one of SQLite's codes

// A prepared statement with bound values. No value ever becomes part of the SQL text.
class Statement {
public:
    Statement(sqlite3 *database, const char *sql)
    {
        m_code = sqlite3_prepare_v2(database, sql, -1, &m_statement, nullptr);
    }
    ~Statement() { sqlite3_finalize(m_statement); }
    Statement(const Statement &) = delete;
    Statement &operator=(const Statement &) = delete;

    Statement &bind(const std::string &text)
    {
        if (m_code == SQLITE_OK)
            m_code =
                sqlite3_bind_text(m_statement, ++m_bound, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
        return *this;
    }
    Statement &bind(std::int64_t number)
    {
        if (m_code == SQLITE_OK)
            m_code = sqlite3_bind_int64(m_statement, ++m_bound, number);
        return *this;
    }
    bool row()
    {
        if (m_code == SQLITE_OK || m_code == SQLITE_ROW)
            m_code = sqlite3_step(m_statement);
        return m_code == SQLITE_ROW;
    }
    // SQLITE_OK if everything has succeeded so far.
    [[nodiscard]] int failure() const { return m_code == SQLITE_ROW || m_code == SQLITE_DONE ? SQLITE_OK : m_code; }
    [[nodiscard]] std::string text(int column) const
    {
        const unsigned char *const bytes = sqlite3_column_text(m_statement, column);
        return bytes ? std::string(bytes, bytes + sqlite3_column_bytes(m_statement, column)) : std::string();
    }
    [[nodiscard]] std::int64_t number(int column) const { return sqlite3_column_int64(m_statement, column); }

private:
    sqlite3_stmt *m_statement = nullptr;
    int m_bound = 0;
    int m_code = SQLITE_OK;
};

int execute(sqlite3 *database, const char *sql) { return sqlite3_exec(database, sql, nullptr, nullptr, nullptr); }

bool isDamaged(int code) { return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB; }

std::string reasonOf(int code)
{
    switch (code == kLaterVersion ? code : code & 0xff) {
    case kLaterVersion:
        return "was written by a later version of the program";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "is locked by another program";
    case SQLITE_FULL:
        return "cannot be written: the disk is full";
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "cannot be written: it is read-only";
    default:
        return std::string("cannot be used: ") + sqlite3_errstr(code);
    }
}

// SQLite creates its file with the umask and follows links. So the file is created before, and only a regular file is
// opened. An existing file is not opened here: closing it would release the locks that this program holds on it
// elsewhere.
Result<void> makeDatabaseFile(const fs::path &file)
{
    if (const Result<void> made = makePrivateFolder(file.parent_path()); !made)
        return made;
    struct stat status{};
    if (::lstat(file.c_str(), &status) != 0) {
        const Result<FileDescriptor> created = openPrivateFile(file, O_RDWR | O_CREAT);
        return created ? Result<void>() : created.error();
    }
    if (!S_ISREG(status.st_mode))
        return Error{.what = "is not a regular file", .where = file.string(), .fault = Fault::Outside};
    if ((status.st_mode & 0077) != 0)
        (void)::chmod(file.c_str(), 0600); // fails if the file belongs to another user
    return {};
}

ino_t inodeOf(const fs::path &file)
{
    struct stat status{};
    return ::stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
}

// Renames the journal together with its database. Without it, the database could not be repaired by hand.
void setAside(const fs::path &file)
{
    const std::string aside = file.string() + ".damaged";
    (void)::rename((file.string() + "-journal").c_str(), (aside + "-journal").c_str());
    (void)::rename(file.c_str(), aside.c_str());
}

std::int64_t stamp(fs::file_time_type time) { return time.time_since_epoch().count(); }

fs::path indexFile(const fs::path &folder) { return folder.empty() ? folder : fs::path(folder.string() + ".sqlite"); }

// The time of the latest change of anything that the entry shows. Labels change without the run, and so does a followed
// log outside the run's folder.
std::int64_t changedOf(const KnownRun &run)
{
    const RunPaths paths{run.directory};
    std::int64_t newest = stamp(run.changed);
    std::vector<fs::path> more{labelsFile(paths)};
    if (const Result<ScriptRules> rules = hasScriptRules(paths) ? readScriptRules(paths) : Error{}; rules)
        more.push_back(scriptLogFile(paths, *rules));
    for (const fs::path &file : more) {
        std::error_code failed;
        const auto written = fs::last_write_time(file, failed);
        newest = failed ? newest : std::max(newest, stamp(written));
    }
    return newest;
}

} // namespace

struct RunIndex::Live {
    struct Known {
        RunEntry entry;
        RunData run; // the first line and the end of its metrics
        std::int64_t changed = 0;
    };
    std::map<fs::path, Known> runs;
};

RunIndex::RunIndex(const Registry &registry) : RunIndex(registry, indexFile(registry.folder())) {}

RunIndex::RunIndex(Registry registry, fs::path file, std::chrono::milliseconds timeout)
    : m_registry(std::move(registry)),
      m_file(std::move(file)),
      m_timeout(timeout),
      m_live(std::make_unique<Live>())
{
    open();
}

RunIndex::~RunIndex() { sqlite3_close(m_database); }

int RunIndex::openAt(const std::string &name)
{
    sqlite3_close(m_database);
    m_database = nullptr;
    if (const int code =
            sqlite3_open_v2(name.c_str(), &m_database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
        code != SQLITE_OK)
        return code;
    sqlite3_busy_timeout(m_database, static_cast<int>(m_timeout.count()));
    if (const int code = execute(m_database, kSettings); code != SQLITE_OK)
        return code;
    std::int64_t version = 0;
    { // an unfinished statement would lock the tables
        Statement check(m_database, "PRAGMA quick_check(1)");
        if (check.row() && check.text(0) != "ok")
            return SQLITE_CORRUPT;
        Statement asked(m_database, "PRAGMA user_version");
        asked.row();
        if (const int code = check.failure() != SQLITE_OK ? check.failure() : asked.failure(); code != SQLITE_OK)
            return code;
        version = asked.number(0);
    }
    if (version == kVersion)
        return SQLITE_OK;
    if (version > kVersion)
        return kLaterVersion;
    if (const int code = version > 0 ? execute(m_database, kRenewal) : SQLITE_OK; code != SQLITE_OK)
        return code;
    return execute(m_database, kSchema);
}

// The run folders contain everything that is in the file. But another program may be using the file. So only a damaged
// file is replaced, and it is kept under another name.
void RunIndex::open()
{
    if (m_file.empty())
        return fallBackToMemory(noUserFolder().message());
    constexpr int kTries = 3; // another program may replace a damaged file at the same time
    for (int tries = 1;; ++tries) {
        if (const Result<void> made = makeDatabaseFile(m_file); !made)
            return fallBackToMemory(made.error().message());
        const ino_t before = inodeOf(m_file);
        const int code = openAt(m_file.string());
        if (code == SQLITE_OK)
            return;
        if (!isDamaged(code) || tries == kTries)
            return fallBackToMemory(m_file.string() + ": the index of runs " + reasonOf(code));
        sqlite3_close(m_database);
        m_database = nullptr;
        if (inodeOf(m_file) == before)
            setAside(m_file);
    }
}

void RunIndex::fallBackToMemory(const std::string &why)
{
    m_problem = why + "; the list of runs is kept in memory";
    openAt(":memory:");
}

// Called after a statement has failed. A damaged file is replaced by a new one. Other failures cannot be repaired here.
void RunIndex::recover()
{
    const int failure = std::exchange(m_failure, SQLITE_OK);
    if (failure == SQLITE_OK || inMemory())
        return;
    if (isDamaged(failure))
        return open();
    fallBackToMemory(m_file.string() + ": the index of runs " + reasonOf(failure));
}

std::optional<RunEntry> RunIndex::known(const KnownRun &run, std::int64_t changed)
{
    Statement find(m_database, "SELECT entry FROM run WHERE directory=? AND changed=?");
    if (!find.bind(run.directory.string()).bind(changed).row()) {
        if (find.failure() != SQLITE_OK)
            m_failure = find.failure();
        return std::nullopt;
    }
    std::optional<RunEntry> entry = runEntryFromJson(find.text(0));
    if (!entry || entry->status != run.status)
        return std::nullopt;
    entry->name = run.name;           // the link in the list may have been renamed
    entry->directory = run.directory; // JSON cannot hold it if it is not valid UTF-8
    return entry;
}

void RunIndex::keepAll(const std::vector<std::pair<const RunEntry *, std::int64_t>> &entries)
{
    if (entries.empty())
        return;
    int failure = execute(m_database, "BEGIN IMMEDIATE"); // one transaction for all new rows
    for (const auto &[entry, changed] : entries) {
        if (failure != SQLITE_OK)
            break;
        Statement insert(m_database, "INSERT OR REPLACE INTO run (directory, changed, entry) VALUES (?, ?, ?)");
        insert.bind(entry->directory.string()).bind(changed).bind(toJsonText(*entry)).row();
        failure = insert.failure();
    }
    if (failure == SQLITE_OK)
        failure = execute(m_database, "COMMIT");
    if (failure != SQLITE_OK) {
        execute(m_database, "ROLLBACK");
        m_failure = failure;
    }
}

std::vector<RunEntry> RunIndex::list()
{
    std::vector<RunEntry> entries;
    std::vector<std::pair<const RunEntry *, std::int64_t>> fresh;
    std::map<fs::path, Live::Known> live;
    const std::size_t failuresBefore = readFailures();
    const std::vector<KnownRun> runs = m_registry.list();
    entries.reserve(runs.size()); // `fresh` points into it
    for (const KnownRun &run : runs) {
        const std::int64_t changed = changedOf(run);
        const bool ended = isTerminal(run.status.state);
        if (std::optional<RunEntry> entry = ended ? known(run, changed) : std::nullopt) {
            entries.push_back(*std::move(entry));
            continue;
        }
        const auto before = m_live->runs.find(run.directory);
        if (before != m_live->runs.end() && before->second.changed == changed &&
            before->second.entry.status == run.status) {
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
    if (readFailures() == failuresBefore)
        keepAll(fresh);
    else
        m_live->runs.clear(); // they are read again, too
    recover();
    return entries;
}

void RunIndex::forEachLive(const std::function<void(const RunData &)> &visit) const
{
    for (const auto &[directory, known] : m_live->runs)
        visit(known.run);
}

std::vector<RunEntry> RunIndex::rebuild()
{
    m_failure = execute(m_database, "DELETE FROM run");
    recover();
    m_live->runs.clear();
    return list();
}

AlertHistory &RunIndex::history(const fs::path &directory)
{
    const auto [place, isNew] = m_histories.try_emplace(directory, directory);
    if (!isNew)
        return place->second;
    Statement find(m_database, "SELECT kind, since, until, step, message FROM alert WHERE directory=? ORDER BY since");
    find.bind(directory.string());
    std::vector<AlertRow> rows;
    while (find.row()) {
        if (const auto kind = enumFromName<AlertKind>(find.text(0)))
            rows.push_back({.directory = directory,
                .alert = {.kind = *kind, .message = find.text(4), .step = find.number(3)},
                .since = find.text(1),
                .until = find.text(2)});
    }
    if (!rows.empty() && place->second.adopt(rows))
        Statement(m_database, "DELETE FROM alert WHERE directory=?").bind(directory.string()).row();
    return place->second;
}

std::vector<Alert> RunIndex::noteAlerts(
    const fs::path &directory, const std::vector<Alert> &alerts, const std::string &now)
{
    return history(directory).note(alerts, now);
}

std::vector<AlertRow> RunIndex::alerts(const fs::path &directory) { return history(directory).rows(); }

} // namespace slipway
