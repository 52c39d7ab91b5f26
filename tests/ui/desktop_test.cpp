// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The program itself, as scripts call it.
#include <QEventLoop>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QSet>
#include <gmock/gmock.h>

#include "support/temporary_directory.h"
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
