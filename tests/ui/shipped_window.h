// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A window with the shipped catalogue and all that the planner can do, and a user in front of it.
#pragma once

#include "ui/user.h"
#include "ui/window_fixture.h"

namespace slipway::ui {

struct ShippedWindowTest : WindowHomeTest {
    Catalogue catalogue = loadCatalogue().value();
    Planner planner{.predict = [this](const RunConfig &c) { return predict(c, catalogue); },
        .memoryOverStep = [this](const RunConfig &c, std::size_t stage) { return memoryOverStep(c, catalogue, stage); },
        .timeline = [this](const RunConfig &c, std::size_t stage) { return timelineOf(c, catalogue, stage); },
        .buffersAt = [this](const RunConfig &c, std::size_t instant,
                         std::size_t stage) { return buffersAt(c, catalogue, instant, stage); },
        .firstSteps = [this](const RunConfig &c, std::size_t stage) { return firstSteps(c, catalogue, stage); },
        .offers = [this](const RunConfig &c) { return offersFor(c, catalogue); }};
    PlanDocument document;
    MainWindow window{{document, planner, catalogue, registry, host, theme}};
    User user{static_cast<QWidget &>(window)};

    explicit ShippedWindowTest(const RunConfig &config) : document(planner, config) {}
};

} // namespace slipway::ui
