// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/single_instance.h"

#include <QCryptographicHash>
#include <QLocalSocket>
#include <QSysInfo>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/user_folders.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kPatienceMs = 2000;
constexpr JsonLimits kRequestLimits{.bytes = 256 * kKiB, .depth = 4, .values = 4096, .keys = 8};
constexpr char kEnd = '\n';

QByteArray written(const OpenRequest &request)
{
    nlohmann::json files = nlohmann::json::array();
    for (const QString &file : request.files)
        files.push_back(file.toStdString());
    const nlohmann::json json{{"page", request.page.toStdString()}, {"files", files}};
    return QByteArray::fromStdString(json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) + kEnd;
}

std::optional<OpenRequest> parsed(const QByteArray &text)
{
    const Result<nlohmann::json> json = parseJson(text.toStdString(), kRequestLimits);
    if (!json || !json->is_object() || !json->contains("page") || !(*json)["page"].is_string() ||
        !json->contains("files") || !(*json)["files"].is_array())
        return std::nullopt;
    OpenRequest request{.page = qs((*json)["page"].get<std::string>()), .files = {}};
    for (const nlohmann::json &file : (*json)["files"]) {
        if (!file.is_string())
            return std::nullopt;
        request.files << qs(file.get<std::string>());
    }
    return request;
}

} // namespace

QString SingleInstance::defaultSocket()
{
    const std::filesystem::path folder = userCachePath("window");
    if (folder.empty() || !makeUserFolder(folder))
        return {};
    // A start on another screen must not raise a window that its user cannot see. The name of the machine is included
    // because several machines may share the home folder.
    const QByteArray screen =
        QSysInfo::machineHostName().toUtf8() + '\n' + qgetenv("DISPLAY") + '\n' + qgetenv("WAYLAND_DISPLAY");
    const QByteArray hash = QCryptographicHash::hash(screen, QCryptographicHash::Sha256).toHex().left(12);
    return qs((folder / hash.toStdString()).string());
}

SingleInstance::SingleInstance(QString socket, QObject *parent) : QObject(parent), m_socket(std::move(socket))
{
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::read);
}

bool SingleInstance::sendToRunning(const OpenRequest &request)
{
    if (m_socket.isEmpty())
        return false;
    QLocalSocket socket;
    socket.connectToServer(m_socket);
    if (!socket.waitForConnected(kPatienceMs))
        return false;
    socket.write(written(request));
    // The reply shows that the window responds. A window that hangs must not prevent this start.
    return socket.waitForBytesWritten(kPatienceMs) && socket.waitForReadyRead(kPatienceMs);
}

bool SingleInstance::listen()
{
    if (m_socket.isEmpty())
        return false;
    if (m_server.listen(m_socket))
        return true;
    // The socket belongs to a process that crashed, because sendToRunning() has found that nobody answers.
    QLocalServer::removeServer(m_socket);
    return m_server.listen(m_socket);
}

void SingleInstance::read()
{
    while (QLocalSocket *socket = m_server.nextPendingConnection()) {
        socket->setParent(this);
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        const auto text = std::make_shared<QByteArray>();
        const auto take = [this, socket, text] {
            text->append(socket->readAll());
            if (text->size() > kRequestLimits.bytes)
                return socket->abort();
            if (!text->endsWith(kEnd))
                return;
            const std::optional<OpenRequest> request = parsed(*text);
            text->clear();
            socket->write(QByteArray(1, kEnd));
            socket->flush();
            if (request)
                Q_EMIT requested(*request);
        };
        connect(socket, &QLocalSocket::readyRead, this, take);
        take();
    }
}

} // namespace slipway::ui
