// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QApplication>
#include <gtest/gtest.h>

#include "ui/language/language.h"
#include "ui/theme/theme.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#include "ui/queued_events.h"
#define SLIPWAY_ORDERED_EVENTS
#endif
#endif

int main(int argc, char **argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    qputenv("QT_QPA_PLATFORM", "offscreen");
#ifdef SLIPWAY_ORDERED_EVENTS
    slipway::ui::testing::OrderedApplication application(argc, argv);
#else
    QApplication application(argc, argv);
#endif
    slipway::ui::useLanguage("en"); // whatever the machine speaks
    const slipway::ui::Theme theme(application, slipway::ui::Scheme::Light);
    return RUN_ALL_TESTS();
}
