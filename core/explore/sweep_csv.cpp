// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "explore/sweep_csv.h"

#include <cerrno>

#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace {

constexpr Bytes kLargest = 4 * kGiB;
constexpr int kFigures = 8; // columns between the choices and `pareto`

// The temporary file is in the folder of the file. For a pipe or a device, it is in the folder of temporary files.
Result<TemporaryFile> temporaryFor(const std::filesystem::path &file)
{
    return makeTemporaryFile(isWrittenInPlace(file) ? std::filesystem::temp_directory_path() / "slipway-sweep" : file);
}

std::string header(const Grid &grid)
{
    std::vector<std::string> cells;
    for (const GridAxis &axis : grid.axes)
        cells.push_back(axis.key);
    for (const char *column : {"verdict", "peak_bytes", "tokens_per_s", "tokens_per_s_per_gpu", "step_s", "mfu",
             "tokens_per_usd", "usd_per_billion_tokens", "pareto", "skipped"})
        cells.emplace_back(column);
    return csvRecord(cells);
}

} // namespace

SweepCsv::SweepCsv(std::filesystem::path file, const Grid &grid)
    : m_file(isWrittenInPlace(file) ? std::move(file) : resolveLinks(file)),
      m_grid(grid)
{
    Result<TemporaryFile> temporary = temporaryFor(m_file);
    if (!temporary) {
        m_failure = temporary.error();
    } else {
        m_temporary = *std::move(temporary);
        m_stream.open(m_temporary.path, std::ios::binary);
        if (!m_stream.is_open())
            m_failure = Error{
                .what = "cannot create: " + systemMessage(errno), .where = m_file.string(), .fault = Fault::Outside};
    }
    const std::string first = header(grid);
    m_stream << first;
    m_written = static_cast<std::int64_t>(first.size());
}

SweepCsv::~SweepCsv()
{
    std::error_code gone;
    std::filesystem::remove(m_temporary.path, gone);
}

std::int64_t SweepCsv::add(const SweepPoint &p)
{
    std::vector<std::string> cells = choicesOf(m_grid, p);
    const bool known = p.skipped.empty();
    if (known) {
        const auto number = [](const std::optional<double> &value) {
            return value ? formatExact(*value) : std::string();
        };
        for (std::string cell :
            {std::string(enumName(p.verdict)), std::to_string(p.peak), formatExact(p.tokensPerSecond),
                formatExact(p.tokensPerSecondPerGpu), formatExact(p.step), formatExact(p.mfu), number(p.tokensPerUsd),
                number(p.usdPerBillionTokens), std::string("0"), std::string()})
            cells.push_back(std::move(cell));
    } else {
        cells.resize(cells.size() + kFigures + 1);
        cells.push_back(p.skipped);
    }
    const std::string row = csvRecord(cells);
    m_stream << row;
    m_written += static_cast<std::int64_t>(row.size());
    // "...,0,\n": the mark is what comes before the last comma.
    return known ? m_written - static_cast<std::int64_t>(row.size() - row.rfind(',')) - 1 : -1;
}

Result<void> SweepCsv::finish(const ParetoFront &front)
{
    for (const ParetoFront::Member &member : front.members()) {
        m_stream.seekp(member.tag);
        m_stream.put('1');
    }
    m_stream.close();
    if (m_failure)
        return *m_failure;
    if (!m_stream)
        return Error{
            .what = "cannot be written: " + systemMessage(errno), .where = m_file.string(), .fault = Fault::Outside};
    if (isWrittenInPlace(m_file)) {
        const Result<std::string> table = readFile(m_temporary.path, kLargest);
        return table ? writeNamedFile(m_file, *table) : table.error();
    }
    return replaceFileBy(m_temporary, m_file);
}

} // namespace slipway
