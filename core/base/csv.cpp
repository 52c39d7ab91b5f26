// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/csv.h"

#include <algorithm>
#include <unordered_set>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace {

// Whether a spreadsheet would compute it, or reading it back would take an apostrophe off. Numbers may begin with a
// sign.
bool looksLikeFormula(std::string_view cell)
{
    const std::size_t first = cell.find_first_not_of('\'');
    return first != std::string_view::npos &&
           std::string_view("=+-@\t\r").find(cell[first]) != std::string_view::npos &&
           !(first == 0 && parseNumber(cell));
}

bool mayEndCell(char c) { return c == ';' || c == '\t' || c == '\r' || c == '\n'; }

// Where a spreadsheet begins a cell within one of ours. Quotes before a formula do not stop it from being computed.
bool beginsFormula(std::string_view rest)
{
    const std::size_t first = rest.find_first_not_of("'\"");
    return first != std::string_view::npos && std::string_view("=+-@").find(rest[first]) != std::string_view::npos;
}

std::string withApostrophes(std::string_view cell)
{
    std::string guarded = looksLikeFormula(cell) ? "'" : "";
    for (std::size_t i = 0; i < cell.size(); ++i) {
        guarded += cell[i];
        if (mayEndCell(cell[i]) && beginsFormula(cell.substr(i + 1)))
            guarded += '\'';
    }
    return guarded;
}

std::string withoutApostrophes(const std::string &guarded)
{
    const std::string_view all = guarded;
    if (all.find('\'') == std::string_view::npos)
        return guarded;
    std::string cell;
    for (std::size_t i = all.starts_with('\'') && looksLikeFormula(all) ? 1 : 0; i < all.size(); ++i) {
        cell += all[i];
        const std::string_view rest = all.substr(i + 1);
        if (mayEndCell(all[i]) && rest.starts_with('\'') && beginsFormula(rest))
            ++i;
    }
    return cell;
}

// Reads one record after the other and counts lines as an editor does.
class RecordReader {
public:
    explicit RecordReader(std::string_view text) : m_text(text) {}

    [[nodiscard]] bool atEnd() const { return m_at == m_text.size(); }
    [[nodiscard]] std::size_t line() const { return m_line; }

    // To the line after the one that a record began in, which starts at `offset`.
    void skipLine(std::size_t offset, std::size_t line)
    {
        const std::size_t end = m_text.find('\n', offset);
        m_at = end == std::string_view::npos ? m_text.size() : end + 1;
        m_line = line + 1;
    }
    [[nodiscard]] std::size_t offset() const { return m_at; }

    // One record without its line end. An error has no place yet but the line.
    Result<std::vector<std::string>> next(const CsvLimits &limits)
    {
        std::vector<std::string> cells;
        for (;;) {
            if (cells.size() == limits.columns)
                return Error{.what = "more than " + std::to_string(limits.columns) + " columns"};
            Result<std::string> cell = nextCell(limits.cellBytes);
            if (!cell)
                return cell.error();
            cells.push_back(withoutApostrophes(*cell));
            if (atEnd() || !consume(','))
                break;
        }
        consume('\r');
        if (!atEnd() && !consume('\n'))
            return Error{.what = "text after a closing quote", .accepted = "a comma or the end of the line"};
        return cells;
    }

private:
    bool consume(char wanted)
    {
        if (atEnd() || m_text[m_at] != wanted)
            return false;
        m_line += wanted == '\n' ? 1 : 0;
        ++m_at;
        return true;
    }

    static Error tooLong(std::size_t most)
    {
        return {.what = "a cell of more than " + std::to_string(most) + " bytes"};
    }

    Result<std::string> nextCell(std::size_t most)
    {
        if (consume('"'))
            return quotedCell(most);
        const std::string_view begin = m_text.substr(m_at, most + 3); // with the line end
        const std::size_t length = begin.find_first_of(",\n");
        if (length == std::string_view::npos && begin.size() > most + 2)
            return tooLong(most);
        const std::size_t end = m_at + std::min(length, begin.size());
        std::string cell(m_text.substr(m_at, end - m_at));
        m_at = end;
        if (!cell.empty() && cell.back() == '\r' && (atEnd() || m_text[m_at] == '\n'))
            cell.pop_back();
        return cell.size() > most ? Result<std::string>(tooLong(most)) : Result<std::string>(std::move(cell));
    }

    Result<std::string> quotedCell(std::size_t most)
    {
        std::string cell;
        const std::size_t opened = m_line;
        for (;;) {
            const std::size_t quote = m_at < m_lastQuote ? m_text.find('"', m_at) : std::string_view::npos;
            if (quote == std::string_view::npos)
                return Error{.what = "the quote opened in line " + std::to_string(opened) + " is never closed"};
            const std::string_view part = m_text.substr(m_at, quote - m_at);
            m_line += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
            if (part.size() > most || cell.size() + part.size() > most)
                return tooLong(most);
            cell += part;
            m_at = quote + 1;
            if (!consume('"'))
                return cell;
            cell += '"';
        }
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_line = 1;
    std::size_t m_lastQuote = m_text.rfind('"') == std::string_view::npos ? 0 : m_text.rfind('"') + 1;
};

// Reads the records that match the header. If the limits say so, broken records become rows, too.
class TableReader {
public:
    TableReader(std::string_view text, CsvTable &table, const CsvLimits &limits)
        : m_reader(text),
          m_table(table),
          m_limits(limits)
    {
    }

    Result<void> read()
    {
        while (!m_reader.atEnd()) {
            const std::size_t offset = m_reader.offset(), line = m_reader.line();
            Result<std::vector<std::string>> cells = m_reader.next(m_limits);
            const Result<void> taken = cells ? take(*cells, line) : Result<void>(cells.error());
            if (taken)
                continue;
            if (!m_limits.keepsBrokenRecords || m_table.header.empty())
                return Error{.what = taken.error().what, .where = place(line), .accepted = taken.error().accepted};
            addBroken(taken.error().what, line, std::move(cells).valueOr({}));
            m_reader.skipLine(offset, line);
        }
        if (m_broken > kBrokenRows)
            m_table.rows[m_lastBroken].fault =
                std::to_string(m_broken - kBrokenRows + 1) + " further lines are not rows of this table";
        return {};
    }

private:
    [[nodiscard]] std::string place(std::size_t line) const { return m_table.where + ":" + std::to_string(line); }

    // Takes the cells only where they are a record.
    Result<void> take(std::vector<std::string> &cells, std::size_t line)
    {
        if (m_table.header.empty()) {
            for (const std::string &name : cells)
                m_table.header.emplace_back(trimmed(name));
            return {};
        }
        const std::size_t columns = m_table.header.size();
        if (cells.size() == 1 && cells.front().empty() && columns > 1)
            return {}; // a blank line, as editors leave at the end
        if (cells.size() != columns)
            return Error{
                .what = std::to_string(cells.size()) + " cells where the header has " + std::to_string(columns)};
        if (m_table.rows.size() == m_limits.rows)
            return Error{.what = "more than " + std::to_string(m_limits.rows) + " rows"};
        if (m_table.rows.size() >= m_limits.cells / columns)
            return Error{.what = "more than " + std::to_string(m_limits.cells) + " cells"};
        m_table.rows.push_back({.line = line, .cells = std::move(cells), .fault = {}});
        return {};
    }

    void addBroken(const std::string &what, std::size_t line, std::vector<std::string> cells)
    {
        if (++m_broken > kBrokenRows)
            return;
        m_lastBroken = m_table.rows.size();
        cells.resize(m_table.header.size());
        m_table.rows.push_back({.line = line, .cells = std::move(cells), .fault = what});
    }

    RecordReader m_reader;
    CsvTable &m_table;
    const CsvLimits &m_limits;
    std::size_t m_broken = 0, m_lastBroken = 0;
};

Result<void> checkHeader(const CsvTable &table)
{
    std::unordered_set<std::string_view> seen;
    for (const std::string &name : table.header) {
        if (!seen.insert(name).second)
            return Error{.what = "column '" + name + "' is named twice", .where = table.where + ":1"};
    }
    return {};
}

} // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const
{
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - header.begin());
}

std::string_view CsvTable::cell(const CsvRow &row, std::string_view name) const
{
    const auto index = column(name);
    return index ? std::string_view(row.cells[*index]) : std::string_view();
}

std::string CsvTable::location(const CsvRow &row) const { return where + ":" + std::to_string(row.line); }

Result<CsvTable> parseCsv(std::string_view text, std::string where, const CsvLimits &limits)
{
    CsvTable table{.where = std::move(where)};
    if (static_cast<Bytes>(text.size()) > limits.bytes)
        return Error{.what = "is larger than " + std::to_string(limits.bytes) + " bytes", .where = table.where};
    if (!limits.keepsBrokenRecords && text.find('\0') != std::string_view::npos)
        return Error{
            .what = "contains a NUL byte, so it is not text", .where = table.where, .accepted = "a CSV file in UTF-8"};
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    if (const Result<void> read = TableReader(text, table, limits).read(); !read)
        return read.error();
    if (table.header.empty())
        return Error{.what = "is empty", .where = table.where, .accepted = "a first line that names the columns"};
    if (const Result<void> checked = checkHeader(table); !checked)
        return checked.error();
    return table;
}

Result<CsvTable> readCsv(const std::filesystem::path &path, const CsvLimits &limits)
{
    const Result<std::string> text = readFile(path, limits.bytes);
    if (!text)
        return text.error();
    return parseCsv(*text, path.string(), limits);
}

std::string csvRecord(std::span<const std::string> cells)
{
    std::string record;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0)
            record += ',';
        const std::string cell = withApostrophes(cells[i]);
        // A lone empty cell would read back as a blank line.
        const bool quote = cell.find_first_of(",\"\r\n") != std::string::npos || (cells.size() == 1 && cell.empty());
        if (!quote) {
            record += cell;
            continue;
        }
        record += '"';
        for (const char c : cell) {
            if (c == '"')
                record += '"';
            record += c;
        }
        record += '"';
    }
    return record += '\n';
}

} // namespace slipway
