// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Runs slow work on threads. The destructor waits for all threads, so that the work may use its owner.
#pragma once

#include <QObject>
#include <QPointer>
#include <QThread>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace slipway::ui {

class BackgroundTasks {
public:
    BackgroundTasks() = default;
    BackgroundTasks(const BackgroundTasks &) = delete;
    BackgroundTasks &operator=(const BackgroundTasks &) = delete;
    ~BackgroundTasks()
    {
        for (const QPointer<QThread> &thread : m_threads) {
            if (thread)
                thread->wait();
        }
    }

    // Calls `done` with the result on the receiver's thread, unless the receiver was destroyed.
    template<typename Work, typename Done>
    void run(QObject *receiver, Work work, Done done)
    {
        const auto answer = std::make_shared<std::optional<decltype(work())>>();
        QThread *thread = QThread::create([answer, work = std::move(work)] { answer->emplace(work()); });
        QObject::connect(thread, &QThread::finished, receiver, [answer, done = std::move(done)] { done(**answer); });
        QObject::connect(thread, &QThread::finished, thread, &QObject::deleteLater);
        std::erase_if(m_threads, [](const QPointer<QThread> &old) { return !old; });
        m_threads.emplace_back(thread);
        thread->start();
    }

private:
    std::vector<QPointer<QThread>> m_threads;
};

} // namespace slipway::ui
