// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QString>

#include "hosts/refresh_runs.h"
#include "hosts/run_moves.h"
#include "runs/registry.h"

class QTimer;

namespace slipway::ui {

// Keeps the local copies of remote runs up to date, and moves runs whose host is gone. It has its own thread, so that
// an unreachable host delays nothing else.
class RemoteRunSync : public QObject {
    Q_OBJECT
public:
    explicit RemoteRunSync(Registry registry) : m_registry(std::move(registry)) {}
    void start(); // called on its own thread

Q_SIGNALS:
    // Emitted if a copy could not be written, once per message.
    void failed(const QString &message);

private:
    void refresh();

    Registry m_registry;
    RunRefresher m_refresher;
    RunKeeper m_keeper;
    QTimer *m_timer = nullptr;
    QString m_lastMessage;
};

} // namespace slipway::ui
