// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// What the desktop offers to the window: notifications, and whether its colors are dark.
#include <QDBusVariant>
#include <QStringList>
#include <QVariant>
#include <gtest/gtest.h>
#include <optional>

#include "ui/runs/notifier.h"
#include "ui/theme/system_scheme.h"

namespace slipway::ui {
namespace {

TEST(DesktopNotifierTest, AsksTheBusFirstAndTheCommandWhereThereIsNone)
{
    QStringList heard;
    bool busThere = true;
    DesktopNotifier notifier(
        [&](const QString &title, const QString &body) {
            heard << QStringLiteral("bus ") + title + u'|' + body;
            return busThere;
        },
        [&](const QString &program, const QStringList &arguments) {
            heard << program + u' ' + arguments.join(u'|');
            return true;
        });
    notifier.notify(QStringLiteral("run: Stalled"), QStringLiteral("<b>no</b> step"));
    EXPECT_EQ(heard, QStringList{QStringLiteral("bus run: Stalled|&lt;b&gt;no&lt;/b&gt; step")});
    busThere = false;
    heard.clear();
    notifier.notify(QStringLiteral("--help"), QStringLiteral("x"));
    ASSERT_EQ(heard.size(), 2);
    EXPECT_TRUE(heard[1].startsWith(QStringLiteral("notify-send "))) << heard[1].toStdString();
    EXPECT_TRUE(heard[1].endsWith(QStringLiteral("|--|--help|x")))
        << "a title is no option: " << heard[1].toStdString();
}

TEST(SystemSchemeTest, FollowsThePortalWhileItChanges)
{
    SystemScheme scheme;
    int changes = 0;
    QObject::connect(&scheme, &SystemScheme::changed, &scheme, [&] { ++changes; });
    const QString space = QStringLiteral("org.freedesktop.appearance"), key = QStringLiteral("color-scheme");
    scheme.onSettingChanged(space, key, QDBusVariant(1U));
    EXPECT_EQ(scheme.dark(), true);
    scheme.onSettingChanged(space, key, QDBusVariant(1U));
    scheme.onSettingChanged(space, QStringLiteral("accent-color"), QDBusVariant(2U));
    EXPECT_EQ(changes, 1);
    scheme.onSettingChanged(
        space, key, QDBusVariant(QVariant::fromValue(QDBusVariant(2U)))); // as older portals wrap it
    EXPECT_EQ(scheme.dark(), false);
    scheme.onSettingChanged(space, key, QDBusVariant(0U));
    EXPECT_EQ(scheme.dark(), std::nullopt);
    EXPECT_EQ(changes, 3);
}

} // namespace
} // namespace slipway::ui
