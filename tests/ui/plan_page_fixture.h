// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The Plan page of examplePlanner(), and typing into its fields.
#pragma once

#include <QLineEdit>

#include "ui/plan/plan_page.h"
#include "ui/window_fixture.h"

namespace slipway::ui {

inline Catalogue smallCatalogue()
{
    Catalogue catalogue = windowCatalogue();
    catalogue.gpus.push_back({.id = "cpu", .name = "This computer", .isCpu = true});
    return catalogue;
}

struct PlanPageTest : ::testing::Test {
    RunConfig start{.gpu = "card", .microBatch = 8};
    Catalogue catalogue = smallCatalogue();
    PlanDocument document{examplePlanner(), start};
    PlanPage page{document, catalogue};

    QLineEdit *edit(const char *key) { return static_cast<TextInput *>(page.form().row(key)->input())->edit(); }
    void type(const char *key, const char *text)
    {
        edit(key)->selectAll();
        QTest::keyClicks(edit(key), QString::fromUtf8(text));
    }
};

} // namespace slipway::ui
