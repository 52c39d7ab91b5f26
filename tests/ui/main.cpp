// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QApplication>
#include <gtest/gtest.h>

#include "ui/language/language.h"
#include "ui/theme/theme.h"

int main(int argc, char **argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    slipway::ui::useLanguage("en"); // whatever the machine speaks
    const slipway::ui::Theme theme(application, slipway::ui::Scheme::Light);
    return RUN_ALL_TESTS();
}
