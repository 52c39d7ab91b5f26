// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Allows one window per user and screen. A second instance passes on what it was asked to open, and exits.
#pragma once

#include <QLocalServer>
#include <QObject>
#include <QStringList>

#include "base/result.h"

namespace slipway::ui {

// The request of a start: the page and the files to show. Paths are absolute.
struct OpenRequest {
    QString page;
    QStringList files; // any files that the window can open
    bool operator==(const OpenRequest &) const = default;
};

class SingleInstance : public QObject {
    Q_OBJECT
public:
    // Returns the socket of this user and this screen. Empty if there is no private folder for it.
    static QString defaultSocket();

    explicit SingleInstance(QString socket = defaultSocket(), QObject *parent = nullptr);

    // Returns true if a window that is already open has accepted the request, and false if this process is the first
    // one.
    bool sendToRunning(const OpenRequest &request);
    // Listens for later instances. Without a socket, each start opens a separate window.
    bool listen();

Q_SIGNALS:
    void requested(const slipway::ui::OpenRequest &request);

private:
    void read();

    QString m_socket;
    QLocalServer m_server;
};

} // namespace slipway::ui
