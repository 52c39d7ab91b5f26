// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <QBuffer>
#include <QEventLoop>
#include <QImage>
#include <QPixmap>
#include <QTimer>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "desktop/session.h"
#include "ui/report/report_pdf.h"

namespace slipway::desktop {

namespace {

constexpr int kReadingLimitMs = 20'000, kSearchLimitMs = 60'000, kMostPixels = 8192;

Result<QSize> sizeOf(const std::string &text)
{
    const std::vector<std::string_view> parts = split(text, 'x');
    if (parts.size() == 2) {
        const auto width = parseInteger(parts[0]), height = parseInteger(parts[1]);
        if (width && height && *width >= 320 && *width <= kMostPixels && *height >= 240 && *height <= kMostPixels)
            return QSize(static_cast<int>(*width), static_cast<int>(*height));
    }
    return Error{.what = "'" + text + "' is not a valid picture size",
        .where = "--size",
        .accepted = "WxH, 320x240 to 8192x8192"};
}

// Waits until the runs have been read. A timeout is an error, so that no empty picture is written.
Result<void> showRun(Session &session, const Options &options)
{
    const ui::RunsPage &page = session.window().runsPage();
    if (const Result<void> chosen = chooseRuns(session, options); !chosen)
        return chosen;
    session.window().show(ui::MainWindow::Page::Runs);
    if (options.runs.empty() && session.registry().list().empty())
        return {};
    bool read = false, listed = page.model().rowCount() > 0;
    QEventLoop loop;
    const auto done = [&] {
        if (read && listed)
            loop.quit();
    };
    QObject::connect(
        &page, options.runs.size() > 1 ? &ui::RunsPage::compareShown : &ui::RunsPage::shownChanged, &loop, [&] {
            read = true;
            done();
        });
    QObject::connect(&page, &ui::RunsPage::listShown, &loop, [&] {
        listed = true;
        done();
    });
    QTimer::singleShot(kReadingLimitMs, &loop, &QEventLoop::quit);
    loop.exec();
    if (!read)
        return Error{.what = "the run could not be read within 20 s",
            .where = options.runs.empty() ? "" : options.runs.front(),
            .fault = Fault::Outside};
    return {};
}

// Tests this machine and waits for the result.
void askHost(ui::HostsPage &page)
{
    QEventLoop loop;
    QTimer::singleShot(kReadingLimitMs, &loop, &QEventLoop::quit);
    QObject::connect(&page, &ui::HostsPage::tested, &loop, &QEventLoop::quit);
    page.test();
    loop.exec();
}

// Waits until the grid has been predicted.
Result<void> showWholeGrid(Session &session, const Options &options)
{
    QEventLoop loop;
    QObject::connect(&session.window().explorePage(), &ui::ExplorePage::sweepEnded, &loop, &QEventLoop::quit);
    if (const Result<void> begun = showGrid(session, options); !begun)
        return begun;
    loop.exec();
    return {};
}

// Waits until the search for suggestions has ended, and shows what was found by then if it takes too long.
Result<void> showWholePlan(Session &session, const Options &options)
{
    session.window().show(ui::MainWindow::Page::Plan);
    if (const Result<void> shown = showPlan(session, options); !shown)
        return shown;
    const ui::PlanResults &results = session.window().planPage().results();
    QEventLoop loop;
    QObject::connect(&results, &ui::PlanResults::searchEnded, &loop, &QEventLoop::quit);
    QTimer::singleShot(kSearchLimitMs, &loop, &QEventLoop::quit);
    if (results.isSearching())
        loop.exec();
    return {};
}

// Waits until the server and its comparison have been predicted.
Result<void> showWholeServe(Session &session, const Options &options)
{
    ui::ServePage &page = session.window().servePage();
    QEventLoop loop;
    const auto done = [&] {
        if (!page.isComputing())
            loop.quit();
    };
    QObject::connect(&page, &ui::ServePage::predicted, &loop, done);
    QObject::connect(&page, &ui::ServePage::drawn, &loop, done);
    if (const Result<void> shown = showServe(session, options); !shown)
        return shown;
    page.open(page.configOfPlan());
    loop.exec();
    return {};
}

Result<void> writePng(const QImage &picture, const std::string &out)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (picture.isNull() || !picture.save(&buffer, "PNG"))
        return Error{.what = "the picture could not be drawn", .where = out, .fault = Fault::Outside};
    return writeNamedFile(out, std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

// Draws the report of the run, or of the plan. The paper is white in every theme.
Result<void> writeReport(Options options, const QSize &size)
{
    if (const Result<ui::Scheme> scheme = schemeOf(options.theme); !scheme)
        return scheme.error();
    options.kind = options.runs.empty() ? "plan" : "run";
    options.subjects = {options.runs.empty() ? options.source.file : options.runs.front()};
    const Result<Report> report = reportOf(options);
    return report ? writePng(ui::drawReport(*report, size), options.out) : report.error();
}

Result<void> writePicture(ui::MainWindow &window, const QSize &size, const std::string &out)
{
    window.setAttribute(Qt::WA_DontShowOnScreen);
    window.resize(size);
    window.show();
    // Layouts need several rounds, because word-wrapped text needs its width first. Then each round draws one chart.
    for (int round = 0; round < 40; ++round)
        QApplication::processEvents();
    return writePng(window.grab().toImage(), out);
}

} // namespace

int drawShot(const Options &asked, int &argc, char **argv)
{
    Options options = asked;
    if (options.page.empty())
        options.page = "plan";
    if (options.out.empty())
        return fail({.what = "the output file is missing", .where = "--out", .accepted = "FILE.png"});
    const std::vector<std::string> pages{"plan", "explore", "runs", "hosts", "serve", "report"};
    if (std::find(pages.begin(), pages.end(), options.page) == pages.end())
        return fail(unknownName("page", options.page, pages, "PAGE"));
    const Result<QSize> size = sizeOf(options.size);
    if (!size)
        return fail(size.error());
    const QSize pixels = (QSizeF(*size) * options.scale).toSize();
    if (pixels.width() > kMostPixels || pixels.height() > kMostPixels)
        return fail({.what = "the picture would have " + std::to_string(pixels.width()) + "x" +
                             std::to_string(pixels.height()) + " pixels",
            .where = "--scale",
            .accepted = "a size and a scale with at most 8192x8192 pixels"});
    const OffscreenPlatform offscreen(options.page == "report" ? 1 : options.scale);
    QApplication application(argc, argv);
    if (const Result<void> spoken = startLanguage(options, "en"); !spoken)
        return fail(spoken.error());
    if (options.page == "report") {
        const Result<void> written = writeReport(options, pixels);
        return written ? 0 : fail(written.error());
    }
    Result<std::unique_ptr<Session>> session = Session::open(options, application);
    if (!session)
        return fail(session.error());
    // An invalid plan is an error, because its picture would show the results of another plan.
    if (const Result<Prediction> &outcome = (*session)->document().outcome(); options.page == "plan" && !outcome)
        return fail(outcome.error());
    ui::MainWindow &window = (*session)->window();
    window.resize(*size);
    if (options.page == "explore") {
        if (const Result<void> shown = showWholeGrid(**session, options); !shown)
            return fail(shown.error());
    }
    if (options.page == "runs") {
        if (const Result<void> shown = showRun(**session, options); !shown)
            return fail(shown.error());
    }
    if (options.page == "plan") {
        if (const Result<void> shown = showWholePlan(**session, options); !shown)
            return fail(shown.error());
    }
    if (options.page == "serve") {
        if (const Result<void> shown = showWholeServe(**session, options); !shown)
            return fail(shown.error());
    }
    if (options.page == "hosts") {
        askHost(window.hostsPage());
        window.show(ui::MainWindow::Page::Hosts);
    }
    const Result<void> written = writePicture(window, *size, options.out);
    return written ? 0 : fail(written.error());
}

} // namespace slipway::desktop
