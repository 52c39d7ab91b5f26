// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/runs/run_trash.h"

#include <QFile>

#include "runs/rename_run.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace fs = std::filesystem;

Result<void> RunTrash::put(const std::vector<RunEntry> &runs)
{
    std::vector<Trashed> moved;
    Result<void> result = Result<void>();
    for (const RunEntry &run : runs) {
        Result<Trashed> one = put(run);
        if (!one) {
            result = one.error();
            break;
        }
        moved.push_back(*std::move(one));
    }
    if (!moved.empty())
        m_moves.push_back(std::move(moved));
    return result;
}

Result<RunTrash::Trashed> RunTrash::put(const RunEntry &run) const
{
    const fs::path entry = m_registry.folder() / run.name;
    std::error_code failure;
    if (!isTerminal(run.status.state))
        return Error{
            .what = "the run has not ended", .where = run.directory.string(), .accepted = "a run that has ended"};
    if (fs::is_symlink(entry, failure)) {
        const fs::path named = fs::read_symlink(entry, failure);
        if (!fs::remove(entry, failure))
            return Error{
                .what = "cannot be removed: " + failure.message(), .where = entry.string(), .fault = Fault::Outside};
        return Trashed{.name = run.name, .place = named, .isLink = true};
    }
    QString place;
    if (!QFile::moveToTrash(qs(entry.string()), &place))
        return Error{.what = "cannot be moved to the trash. The run is unchanged",
            .where = entry.string(),
            .fault = Fault::Outside};
    return Trashed{.name = run.name, .place = place.toStdString()};
}

Result<fs::path> RunTrash::restore()
{
    if (m_moves.empty())
        return fs::path();
    const std::vector<Trashed> last = std::move(m_moves.back());
    m_moves.pop_back();
    std::vector<Trashed> left;
    Result<fs::path> result = fs::path();
    for (const Trashed &run : last) {
        const Result<void> back = restore(run);
        std::error_code ignored;
        if (!back) {
            result = back.error();
            if (fs::exists(run.place, ignored))
                left.push_back(run);
        } else if (result) {
            result = fs::canonical(m_registry.folder() / run.name, ignored);
        }
    }
    if (!left.empty()) // another attempt may succeed
        m_moves.push_back(std::move(left));
    return result;
}

Result<void> RunTrash::restore(const Trashed &run) const
{
    std::error_code failure;
    if (run.isLink) {
        fs::create_directory_symlink(run.place, m_registry.folder() / run.name, failure);
        return failure ? Result<void>(Error{.what = "cannot be written: " + failure.message(),
                             .where = (m_registry.folder() / run.name).string(),
                             .fault = Fault::Outside})
                       : Result<void>();
    }
    if (const Result<void> moved = moveIntoList(m_registry, run.place, run.name); !moved)
        return moved;
    // The trash keeps a note of the original location of the directory.
    fs::path note = run.place.parent_path().parent_path() / "info" / run.place.filename();
    note += ".trashinfo";
    fs::remove(note, failure);
    return {};
}

} // namespace slipway::ui
