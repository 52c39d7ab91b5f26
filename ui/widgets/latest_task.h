// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "ui/widgets/background_tasks.h"

namespace slipway::ui {

// Runs one task at a time on a thread. A newer task cancels the running one, whose answer is dropped, and starts as
// soon as that one has ended. The receiver owns the LatestTask.
template<typename Answer>
class LatestTask {
public:
    using Cancelled = std::function<bool()>;
    using Work = std::function<Answer(const Cancelled &)>;

    // `done` is called on the receiver's thread.
    LatestTask(QObject *receiver, std::function<void(const Answer &)> done)
        : m_receiver(receiver),
          m_done(std::move(done))
    {
    }
    ~LatestTask() { cancel(); } // the destructor of m_background waits for the task

    void start(Work work)
    {
        if (!m_running)
            return begin(std::move(work), false);
        *m_cancelled = true;
        m_waiting = std::move(work);
        m_waitingCancelled = false;
    }
    // Ends the newest task early. Its answer, as far as it is complete, is still delivered. A task that has not begun
    // yet begins as a cancelled one, because the answer of the task before it belongs to another question.
    void cancel()
    {
        *m_cancelled = true;
        m_waitingCancelled = true;
    }
    [[nodiscard]] bool running() const { return m_running; }

private:
    void begin(Work work, bool alreadyCancelled)
    {
        m_running = true;
        m_cancelled = std::make_shared<std::atomic<bool>>(alreadyCancelled);
        m_background.run(
            m_receiver,
            [work = std::move(work), cancelled = m_cancelled] {
                return work([cancelled] { return cancelled->load(); });
            },
            [this](const Answer &answer) { end(answer); });
    }
    void end(const Answer &answer)
    {
        m_running = false;
        if (Work next = std::exchange(m_waiting, nullptr))
            begin(std::move(next), m_waitingCancelled);
        else
            m_done(answer);
    }

    QObject *m_receiver;
    std::function<void(const Answer &)> m_done;
    Work m_waiting;
    bool m_waitingCancelled = false;
    bool m_running = false;
    std::shared_ptr<std::atomic<bool>> m_cancelled = std::make_shared<std::atomic<bool>>(false);
    BackgroundTasks m_background; // the last member, because the task may use the members above
};

} // namespace slipway::ui
