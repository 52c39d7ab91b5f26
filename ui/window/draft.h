// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Drafts keep a plan with unsaved changes on disk, so that a crash or a power failure loses nothing.
#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <vector>

#include "ui/plan/plan_document.h"

namespace slipway::ui {

struct Draft {
    RunConfig config;
    // The file from which the plan was opened or to which it was saved. Empty if there is none.
    QString file;
    bool operator==(const Draft &) const = default;
};

Result<void> writeDraft(const std::filesystem::path &path, const Draft &draft);
Result<Draft> readDraft(const std::filesystem::path &path);

// Writes the draft of a document while it has unsaved changes, and removes the draft when there are none.
class DraftKeeper : public QObject {
    Q_OBJECT
public:
    // Returns the user's folder of drafts. It is empty if there is no home folder. No draft is kept then.
    static std::filesystem::path defaultFolder();

    // The draft's file is named after this process, so that two windows never share one.
    DraftKeeper(PlanDocument &document, std::filesystem::path folder = defaultFolder(), QObject *parent = nullptr);

    // Returns the drafts of processes that ended without removing them, with the newest first.
    [[nodiscard]] std::vector<std::filesystem::path> leftBehind() const;
    // Writes or removes the draft now.
    void update();
    // Removes the draft, because the user has saved or discarded the changes.
    void forget();

Q_SIGNALS:
    void failed(const QString &message); // emitted only once

private:
    [[nodiscard]] std::filesystem::path file() const;

    PlanDocument &m_document;
    std::filesystem::path m_folder;
    QTimer m_soon;
    bool m_failureReported = false;
};

} // namespace slipway::ui
