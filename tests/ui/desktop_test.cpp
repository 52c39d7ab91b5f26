// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The program itself, as scripts call it.
#include <QEventLoop>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QSet>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "predict/predict.h"
#include "predict/search_settings.h"
#include "support/temporary_directory.h"
#include "ui/theme/theme_colors.h"
#include "ui/widgets/text.h"
#include "ui/window/single_instance.h"

namespace slipway::ui {
namespace {

struct DesktopTest : ::testing::Test {
    TemporaryDirectory home;
    QString out = qs((home.path() / "out.png").string());
    QByteArray errors;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();

    int run(const QStringList &arguments)
    {
        QProcess process;
        environment.insert(QStringLiteral("XDG_DATA_HOME"), qs(home.path().string()));
        environment.insert(
            QStringLiteral("XDG_CACHE_HOME"), qs((home.path() / "cache").string())); // no window of the user answers
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        process.setProcessEnvironment(environment);
        QEventLoop loop;
        QObject::connect(&process, &QProcess::finished, &loop, &QEventLoop::quit);
        QObject::connect(&process, &QProcess::errorOccurred, &loop, &QEventLoop::quit); // it did not start
        process.start(QStringLiteral(SLIPWAY_DESKTOP_PROGRAM), arguments);
        loop.exec();
        errors = process.readAllStandardError();
        return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    }
    static QStringList words(const char *line) { return QString::fromUtf8(line).split(u' '); }
};

TEST_F(DesktopTest, DrawsAPageOfTheAskedSizeThatIsNotBlank)
{
    for (const char *page : {"plan", "explore", "runs"}) {
        ASSERT_EQ(run(words("shot --page") << qs(std::string(page)) << words("--size 1100x700 --out") << out), 0)
            << errors.constData();
        const QImage image(out);
        EXPECT_EQ(image.size(), QSize(1100, 700));
        QSet<QRgb> colors;
        for (int x = 0; x < image.width(); x += 3)
            for (int y = 0; y < image.height(); y += 3)
                colors.insert(image.pixel(x, y));
        EXPECT_GT(colors.size(), 20) << page;
    }
}

TEST_F(DesktopTest, AMagnifiedPictureHasMorePixelsOfTheSamePage)
{
    environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QStringLiteral("3")); // of the user's screen: not of pictures
    for (const char *page : {"plan", "report"}) {
        ASSERT_EQ(
            run(words("shot --page") << qs(std::string(page)) << words("--size 1000x640 --scale 1.5 --out") << out), 0)
            << errors.constData();
        EXPECT_EQ(QImage(out).size(), QSize(1500, 960)) << page;
    }
    EXPECT_EQ(run(words("shot plan --size 8000x8000 --scale 2 --out") << out), 2);
    EXPECT_TRUE(errors.contains("16000x16000")) << errors.constData();
}

TEST_F(DesktopTest, ASmallPictureHasTheWholePageAndOnlyTheScrollBarsOfTheWindow)
{
    // The blue button ends before the margin of the header, and no scroll bar is beside it.
    const auto buttonEnd = [this](const char *size, int scale) {
        EXPECT_EQ(run(words("shot plan --model 1B --gpu a100-sxm-80gb --theme light --size")
                      << QString::fromUtf8(size) << QStringLiteral("--scale") << QString::number(scale)
                      << QStringLiteral("--out") << out),
            0)
            << errors.constData();
        const QImage image(out);
        const int row = 50 * scale;
        const QColor accent = themeColor(ThemeColor::Accent, false);
        int end = -1;
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixelColor(x, row - 10 * scale) == accent)
                end = x;
        }
        EXPECT_EQ(image.pixelColor(image.width() - 6 * scale, row), image.pixelColor(image.width() - 1, row)) << size;
        return image.width() - end;
    };
    EXPECT_NEAR(buttonEnd("960x640", 1), 21, 1);
    EXPECT_NEAR(buttonEnd("720x450", 2), 42, 2);
}

TEST_F(DesktopTest, APictureOfAPlanHasTheSuggestionsOfTheWholeSearch)
{
    const Catalogue catalogue = loadCatalogue().value();
    std::string flags; // of a plan to which the search adds suggestions
    std::size_t all = 0;
    for (const char *model : {"100M", "1B", "7B"}) {
        for (const char *gpu : {"a100-sxm-40gb", "h100-sxm-80gb", "rtx-4090"}) {
            for (int gpus = 1; gpus <= 8 && flags.empty(); gpus += 7) {
                RunConfig config{.gpu = gpu};
                config.model.name = model;
                config.parallel.gpus = gpus;
                config.parallel.kind = gpus > 1 ? ParallelKind::Ddp : ParallelKind::None;
                const Result<Prediction> plan = predict(config, catalogue);
                if (!plan)
                    continue;
                const auto found = searchSettings(config, catalogue, [] { return false; });
                all = mergedSuggestions(found.value(), plan->suggestions).size();
                if (all != plan->suggestions.size())
                    flags = fmt::format("--model {} --gpu {} --gpus {} --parallel {}", model, gpu, gpus,
                        enumName(config.parallel.kind));
            }
        }
    }
    ASSERT_FALSE(flags.empty());
    ASSERT_EQ(run(words("shot plan --theme light --size 1280x2600")
                  << words(flags.c_str()) << QStringLiteral("--out") << out),
        0)
        << errors.constData();
    const QImage image(out);
    const QColor accent = themeColor(ThemeColor::Accent, false);
    constexpr int kHeader = 80, kLeft = 1190, kRight = 1240, kBetween = 10; // where the word "Apply" is
    std::size_t rows = 0;
    int last = -kBetween;
    for (int y = kHeader; y < image.height(); ++y) {
        bool any = false;
        for (int x = kLeft; x < kRight; ++x)
            any = any || image.pixelColor(x, y) == accent;
        rows += any && y - last >= kBetween ? 1 : 0;
        last = any ? y : last;
    }
    EXPECT_EQ(rows, all) << flags;
}

TEST_F(DesktopTest, DrawsWithoutARuntimeFolderAndWithoutAWordOnTheErrorStream)
{
    writeText(home.path() / "plan.yaml", "model: 100M\ngpu: a100-sxm-80gb\nmicro_batch: 4\n");
    environment.remove(QStringLiteral("XDG_RUNTIME_DIR"));
    ASSERT_EQ(run(words("shot plan --model 100M --micro-batch 4 --out") << out), 0);
    EXPECT_EQ(errors.toStdString(), "");
    ASSERT_EQ(run(words("pdf plan") << qs((home.path() / "plan.yaml").string()) << words("--out") << out), 0);
    EXPECT_EQ(errors.toStdString(), "");
}

TEST_F(DesktopTest, DarkIsDarkAndTheFlagsOfPlanAreTaken)
{
    ASSERT_EQ(run(words("shot plan --dark --model 100M --micro-batch 4 --out") << out), 0) << errors.constData();
    EXPECT_LT(QImage(out).pixelColor(90, 790).lightness(), 60);
    ASSERT_EQ(run(words("shot plan --theme light --out") << out), 0);
    EXPECT_GT(QImage(out).pixelColor(90, 790).lightness(), 200);
}

TEST_F(DesktopTest, WrongUseIsNotHandedToAWindowThatRuns)
{
    const QByteArray cache = qgetenv("XDG_CACHE_HOME");
    qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((home.path() / "cache").string()));
    SingleInstance window; // answers while the loop of `run` waits
    if (cache.isEmpty())
        qunsetenv("XDG_CACHE_HOME");
    else
        qputenv("XDG_CACHE_HOME", cache);
    ASSERT_TRUE(window.listen());
    EXPECT_EQ(run(words("--page runs")), 0) << errors.constData();
    EXPECT_EQ(run(words("--page plam")), 2);
    EXPECT_THAT(errors.toStdString(), ::testing::HasSubstr("did you mean plan?"));
}

TEST_F(DesktopTest, WrongUseEndsWithTwoAndSaysWhatWouldBeRight)
{
    EXPECT_EQ(run(words("shot nowhere --out") << out), 2);
    EXPECT_THAT(errors.toStdString(), ::testing::HasSubstr("plan, explore, runs"));
    EXPECT_EQ(run(words("shot plan --ot") << out), 2);
    EXPECT_THAT(errors.toStdString(), ::testing::HasSubstr("did you mean --out?"));
    for (const auto &[line, nearest] : {std::pair{"--page plam", "plan"}, {"--page explore --view tabel", "table"},
             {"sht", "shot"}, {"--them dark", "--theme"}}) {
        EXPECT_EQ(run(words(line)), 2) << line;
        EXPECT_THAT(errors.toStdString(), ::testing::HasSubstr(std::string("did you mean ") + nearest + "?")) << line;
    }
    EXPECT_EQ(run(words("shot plan --size huge --out") << out), 2);
    EXPECT_THAT(errors.toStdString(), ::testing::HasSubstr("--size"));
    EXPECT_EQ(run(words("shot plan --micro-batch lots --out") << out), 2);
    EXPECT_THAT(errors.toStdString(), ::testing::HasSubstr("--micro-batch"));
    EXPECT_EQ(run(words("shot plan --model nonesuch --out") << out), 2);
    EXPECT_THAT(errors.toStdString(), ::testing::HasSubstr("nonesuch"));
    EXPECT_EQ(run(words("shot plan")), 2);
    EXPECT_EQ(run(words("shot runs --run missing --out") << out), 2);
    EXPECT_FALSE(QFile::exists(out));
}

TEST_F(DesktopTest, WritesAReportOfAPlanFile)
{
    writeText(home.path() / "plan.yaml", "model: 100M\ngpu: a100-sxm-80gb\nmicro_batch: 4\n");
    const QString pdf = qs((home.path() / "plan.pdf").string());
    ASSERT_EQ(run({QStringLiteral("pdf"), QStringLiteral("plan"), qs((home.path() / "plan.yaml").string()),
                  QStringLiteral("--out"), pdf}),
        0)
        << errors.constData();
    QFile file(pdf);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().startsWith("%PDF-"));
}

} // namespace
} // namespace slipway::ui
