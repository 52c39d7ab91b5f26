// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// One window per user and screen: a second start hands over what it was asked to open, and ends.
#pragma once

#include <QLocalServer>
#include <QObject>
#include <QStringList>

#include "base/result.h"

namespace slipway::ui {

// What a start was asked to show. Paths are absolute.
struct OpenRequest {
    QString page;
    QStringList files; // any that the window opens
    bool operator==(const OpenRequest &) const = default;
};

class SingleInstance : public QObject {
    Q_OBJECT
public:
    // The socket of this user and this screen; empty where no private folder can hold one.
    static QString defaultSocket();

    explicit SingleInstance(QString socket = defaultSocket(), QObject *parent = nullptr);

    // True: a window that is open already has taken the request. False: this process is the first one.
    bool handOver(const OpenRequest &request);
    // Listens for later starts. Without a socket, each start opens a window of its own.
    bool listen();

Q_SIGNALS:
    void requested(const slipway::ui::OpenRequest &request);

private:
    void read();

    QString m_socket;
    QLocalServer m_server;
};

} // namespace slipway::ui
