// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/file_export.h"

#include <QProgressDialog>
#include <QTimer>

#include <atomic>

#include "base/file.h"
#include "ui/language/core_texts.h"
#include "ui/widgets/message.h"
#include "ui/widgets/save_path.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kShownAfterMs = 700, kLookEveryMs = 100;

} // namespace

struct FileExport::State {
    std::atomic<bool> cancelled = false;
    std::atomic<std::size_t> done = 0, all = 0;
};

FileExport::Write FileExport::ofText(std::function<std::string()> text)
{
    return [text = std::move(text)](const QString &path, const Progress &progress) -> Result<void> {
        const std::string made = text();
        return progress(0, 0) ? writeNamedFile(pathFrom(path), made) : Result<void>(cancelled());
    };
}

FileExport::FileExport(QWidget *page) : m_page(page) {}

FileExport::~FileExport()
{
    for (const std::weak_ptr<State> &state : m_states) {
        if (const std::shared_ptr<State> running = state.lock())
            running->cancelled = true;
    }
}

void FileExport::ask(const QString &title, const QString &name, const QString &suffix, const Prepare &prepare)
{
    askSavePath(m_page, title, name, suffix, [this, title, prepare](const QString &path) {
        const Result<Write> write = prepare();
        if (write)
            start(title, path, *write);
        else
            showProblem(m_page, title, problemText(write.error()));
    });
}

void FileExport::start(const QString &title, const QString &path, const Write &write, const QString &done)
{
    const auto state = std::make_shared<State>();
    std::erase_if(m_states, [](const std::weak_ptr<State> &old) { return old.expired(); });
    m_states.push_back(state);
    const QPointer<QProgressDialog> dialog(makeDialog(title, state));
    Q_EMIT statusMessage(tr("Exporting…"));
    const auto work = [write, path, state] {
        return write(path, [state](std::size_t part, std::size_t all) {
            state->done = part;
            state->all = all;
            return !state->cancelled;
        });
    };
    const auto end = [this, title, path, done, state, dialog](const Result<void> &written) {
        if (dialog) {
            dialog->hide();
            dialog->deleteLater();
        }
        if (written)
            Q_EMIT statusMessage((done.isEmpty() ? tr("Exported to %1") : done).arg(path));
        else if (state->cancelled)
            Q_EMIT statusMessage(tr("The export was cancelled"));
        else
            showProblem(m_page, title, problemText(written.error()));
        Q_EMIT ended(bool(written));
    };
    m_background.run(this, work, end);
}

QProgressDialog *FileExport::makeDialog(const QString &title, const std::shared_ptr<State> &state)
{
    auto *dialog = new QProgressDialog(tr("Exporting…"), tr("Cancel"), 0, 0, m_page);
    dialog->setWindowTitle(title);
    dialog->setWindowModality(Qt::WindowModal);
    dialog->setAutoReset(false);
    dialog->setMinimumDuration(kShownAfterMs);
    connect(dialog, &QProgressDialog::canceled, this, [state] { state->cancelled = true; });
    auto *look = new QTimer(dialog);
    connect(look, &QTimer::timeout, dialog, [dialog, state] {
        const std::size_t all = state->all;
        dialog->setMaximum(all > 0 ? 100 : 0);
        if (all > 0 && dialog->isVisible())
            dialog->setValue(static_cast<int>(100 * state->done / all));
    });
    look->start(kLookEveryMs);
    return dialog;
}

} // namespace slipway::ui
