// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Shows the thread sanitizer what Qt's event queue orders: Qt is not instrumented, so its locks go unseen. A signal is
// taken to come before each event that is delivered after it, on any thread. This may hide a race between two threads
// that exchange no event, but none that occurs between two events.
#include <QtCore/qnamespace.h>
#include <atomic>

// Qt declares it in a private header, and exports it for debuggers such as GammaRay.
struct QSignalSpyCallbackSet {
    using BeginCallback = void (*)(QObject *caller, int index, void **arguments);
    using EndCallback = void (*)(QObject *caller, int index);
    BeginCallback signalBegin, slotBegin;
    EndCallback signalEnd, slotEnd;
};
Q_CORE_EXPORT void qt_register_signal_spy_callbacks(QSignalSpyCallbackSet *callbacks);

namespace {

void order()
{
    static std::atomic<int> events;
    ++events;
}

[[maybe_unused]] const bool registered = [] {
    static QSignalSpyCallbackSet callbacks{
        .signalBegin = [](QObject *, int, void **) { order(); }, .slotBegin = {}, .signalEnd = {}, .slotEnd = {}};
    qt_register_signal_spy_callbacks(&callbacks);
    return QInternal::registerCallback(QInternal::EventNotifyCallback, [](void **) {
        order();
        return false; // the event is delivered
    });
}();

} // namespace
