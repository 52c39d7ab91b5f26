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
#include "ui/language/language.h"
#include "ui/wait_limit.h"
#include "ui/widgets/text.h"
#include "ui/window/file_kind.h"
#include "ui/window/main_window.h"

namespace slipway::ui {

inline Catalogue windowCatalogue()
{
    Catalogue catalogue;
    catalogue.gpus = {{.id = "card", .name = "Card 80GB", .memoryBytes = 80 * kGiB}};
    catalogue.models = {{.spec = examplePrediction().model}};
    catalogue.priceBooks = {{.id = "book", .title = "Book"}};
    return catalogue;
}

// Sets the language of the window, and English at its end.
struct Speaking {
    explicit Speaking(const char *language) { useLanguage(language); }
    ~Speaking() { useLanguage("en"); }
    Speaking(const Speaking &) = delete;
    Speaking &operator=(const Speaking &) = delete;
};

// What every window needs besides a plan and a catalogue, in a home folder that is gone with the test.
struct WindowHomeTest : ::testing::Test {
    TemporaryDirectory home;
    Registry registry{home.path() / "runs"};
    LocalHost host{home.path() / "slipway-train"};
    Theme theme{*qApp, Scheme::Light};

    WindowHomeTest() { ::setenv("XDG_DATA_HOME", home.path().c_str(), 1); }
    ~WindowHomeTest() override { ::unsetenv("XDG_DATA_HOME"); }
};

struct WindowTest : WindowHomeTest {
    Catalogue catalogue = windowCatalogue();
    PlanDocument document{examplePlanner(), {.gpu = "card", .microBatch = 8}};
    MainWindow window{{document, examplePlanner(), catalogue, registry, host, theme}};

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
