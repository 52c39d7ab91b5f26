// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// A window with a home folder of its own and a planner whose answers can be worked out on paper.
#pragma once

#include <QApplication>
#include <QTest>
#include <gmock/gmock.h>

#include "hosts/local_host.h"
#include "support/temporary_directory.h"
#include "ui/examples.h"
#include "ui/widgets/text.h"
#include "ui/window/file_kind.h"
#include "ui/window/main_window.h"

namespace slipway::ui {

inline constexpr int kLimitMs = 20'000;

inline Catalogue windowCatalogue()
{
    Catalogue catalogue;
    catalogue.gpus = {{.id = "card", .name = "Card 80GB", .memoryBytes = 80 * kGiB}};
    catalogue.models = {{.spec = examplePrediction().model}};
    catalogue.priceBooks = {{.id = "book", .title = "Book"}};
    return catalogue;
}

struct WindowTest : testing::Test {
    TemporaryDirectory home;
    Catalogue catalogue = windowCatalogue();
    Registry registry{home.path() / "runs"};
    LocalHost host{home.path() / "slipway-train"};
    Theme theme{*qApp, Scheme::Light};
    PlanDocument document{examplePlanner(), {.gpu = "card", .microBatch = 8}};
    MainWindow window{{document, examplePlanner(), catalogue, registry, host, theme}};

    WindowTest() { ::setenv("XDG_DATA_HOME", home.path().c_str(), 1); }
    ~WindowTest() override { ::unsetenv("XDG_DATA_HOME"); }

    QString file(const char *name, std::string_view text)
    {
        std::filesystem::create_directories((home.path() / name).parent_path());
        writeText(home.path() / name, text);
        return qs((home.path() / name).string());
    }
    QString plan(const char *name, int microBatch)
    {
        return file(name, "gpu: card\nmicro_batch: " + std::to_string(microBatch) + "\n");
    }
    FileKind kind(const char *name, std::string_view text)
    {
        const Result<RecognizedFile> found = recognizeFile(file(name, text).toStdString());
        EXPECT_TRUE(found) << name << ": " << found.error().message();
        return found ? found->kind : FileKind::Configuration;
    }
    template<typename Dialog>
    Dialog *opened()
    {
        return QTest::qWaitFor([this] { return window.findChild<Dialog *>() != nullptr; }, kLimitMs)
                   ? window.findChild<Dialog *>()
                   : nullptr;
    }
};

} // namespace slipway::ui
