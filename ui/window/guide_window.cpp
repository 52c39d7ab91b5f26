// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/guide_window.h"

#include <QDesktopServices>
#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QTextBlock>
#include <QTextFrame>
#include <QTextTable>
#include <QVBoxLayout>

#include "ui/theme/theme_colors.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

const QString kFolder = QStringLiteral("qrc:/guide/guide/");

QString titleOf(const QString &page)
{
    QFile file(QStringLiteral(":/guide/guide/") + page + QStringLiteral(".md"));
    if (!file.open(QIODevice::ReadOnly))
        return page;
    return QString::fromUtf8(file.readLine()).remove(u'#').trimmed();
}

// Converts a heading such as "From a table" to the anchor "from-a-table", as websites do.
QString slugOf(const QString &heading)
{
    QString slug;
    for (const QChar c : heading.toLower()) {
        if (c.isLetterOrNumber() || c == u'-' || c == u'_')
            slug += c;
        else if (c == u' ')
            slug += u'-';
    }
    return slug;
}

// The first cell of a table that follows a code block has the format of the code.
void styleHeader(const QTextTable &table)
{
    for (int column = 0; column < table.columns(); ++column) {
        const QTextTableCell cell = table.cellAt(0, column);
        QTextCursor cursor = cell.firstCursorPosition();
        QTextBlockFormat block;
        block.setAlignment(cursor.blockFormat().alignment());
        cursor.setBlockFormat(block);
        cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor::KeepAnchor);
        QTextCharFormat bold;
        bold.setFontWeight(QFont::Bold);
        cursor.mergeCharFormat(bold);
    }
}

void styleTables(QTextFrame *frame, const QPalette &palette)
{
    for (QTextFrame *child : frame->childFrames()) {
        if (auto *table = qobject_cast<QTextTable *>(child)) {
            QTextTableFormat format = table->format();
            format.setBorderCollapse(true);
            format.setBorder(1);
            format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            format.setBorderBrush(themeColor(ThemeColor::Border, palette));
            format.setCellPadding(5);
            table->setFormat(format);
            styleHeader(*table);
        }
        styleTables(child, palette);
    }
}

} // namespace

GuideBrowser::GuideBrowser(QWidget *parent) : QTextBrowser(parent)
{
    setOpenLinks(false);
    setAccessibleName(tr("Guide"));
    setFrameShape(QFrame::NoFrame);
    connect(this, &QTextBrowser::sourceChanged, this, &GuideBrowser::applyStyle);
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) {
        const QUrl target = source().resolved(link);
        if (target.scheme() == QStringLiteral("qrc"))
            setSource(target);
        else
            QDesktopServices::openUrl(target);
    });
}

void GuideBrowser::doSetSource(const QUrl &url, QTextDocument::ResourceType type)
{
    if (url.adjusted(QUrl::RemoveFragment) != source().adjusted(QUrl::RemoveFragment) || document()->isEmpty()) {
        const QUrl page = url.adjusted(QUrl::RemoveFragment);
        QTextBrowser::doSetSource(
            page, type == QTextDocument::UnknownResource ? QTextDocument::MarkdownResource : type);
    }
    if (!url.fragment().isEmpty())
        showHeading(url.fragment());
}

bool GuideBrowser::showHeading(const QString &anchor)
{
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0 || slugOf(block.text()) != anchor)
            continue;
        QTextCursor end(document());
        end.movePosition(QTextCursor::End);
        setTextCursor(end); // the heading is then scrolled to the top and not to the bottom
        setTextCursor(QTextCursor(block));
        return true;
    }
    return false;
}

void GuideBrowser::changeEvent(QEvent *event)
{
    QTextBrowser::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !source().isEmpty())
        applyStyle();
}

// Sets margins and colors, because Qt draws Markdown without margins, and code and links in its own colors.
void GuideBrowser::applyStyle()
{
    document()->setDocumentMargin(22);
    styleTables(document()->rootFrame(), palette());
    const QColor link = themeColor(ThemeColor::Accent, palette());
    const QColor code = themeColor(ThemeColor::Raised, palette());
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat format = block.blockFormat();
        const bool isCode = format.hasProperty(QTextFormat::BlockCodeFence) ||
                            format.hasProperty(QTextFormat::BlockCodeLanguage) || format.nonBreakableLines();
        if (isCode) {
            format.setBackground(code);
            // A command and the output below it are two blocks with different languages.
            const QString language = format.stringProperty(QTextFormat::BlockCodeLanguage);
            const QTextBlockFormat before = block.previous().blockFormat();
            if (block.previous().isValid() && before.nonBreakableLines() &&
                before.stringProperty(QTextFormat::BlockCodeLanguage) != language)
                format.setTopMargin(8);
        } else if (!QTextCursor(block).currentTable())
            format.setBottomMargin(format.headingLevel() > 0 ? 6 : 9);
        if (format.headingLevel() > 0)
            format.setTopMargin(14);
        QTextCursor(block).setBlockFormat(format);
        for (QTextBlock::iterator part = block.begin(); !part.atEnd(); ++part) {
            const QTextFragment fragment = part.fragment();
            if (!fragment.charFormat().isAnchor())
                continue;
            QTextCharFormat colored;
            colored.setForeground(link);
            QTextCursor cursor(document());
            cursor.setPosition(fragment.position());
            cursor.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
            cursor.mergeCharFormat(colored);
        }
    }
}

QStringList GuideWindow::pageNames()
{
    return {QStringLiteral("README"), QStringLiteral("planning"), QStringLiteral("frameworks"),
        QStringLiteral("exploring"), QStringLiteral("launching"), QStringLiteral("watching"),
        QStringLiteral("other-trainers"), QStringLiteral("reports"), QStringLiteral("calibrating"),
        QStringLiteral("serving"), QStringLiteral("desktop"), QStringLiteral("settings"), QStringLiteral("trainer"),
        QStringLiteral("parallelism"), QStringLiteral("models"), QStringLiteral("hosts"),
        QStringLiteral("file-formats"), QStringLiteral("json")};
}

GuideWindow::GuideWindow(QWidget *parent)
    : QWidget(parent, Qt::Window),
      m_pages(new QListWidget),
      m_search(new QLineEdit),
      m_browser(new GuideBrowser)
{
    setWindowTitle(tr("Guide – Slipway"));
    resize(withinScreen(*this, {1180, 780})); // fits lines of 100 characters beside the list of pages
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto *side = new QVBoxLayout;
    side->setContentsMargins(12, 12, 8, 12);
    auto *steps = new QHBoxLayout;
    for (const auto &[text, tip, act] : {std::tuple(QStringLiteral("←"), tr("Back"), &QTextBrowser::backward),
             std::tuple(QStringLiteral("→"), tr("Forward"), &QTextBrowser::forward)}) {
        auto *button = new QPushButton(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setEnabled(false);
        connect(button, &QPushButton::clicked, m_browser, act);
        connect(m_browser,
            text == QStringLiteral("←") ? &QTextBrowser::backwardAvailable : &QTextBrowser::forwardAvailable, button,
            &QPushButton::setEnabled);
        steps->addWidget(button);
    }
    side->addLayout(steps);
    m_search->setPlaceholderText(tr("Search the guide"));
    m_search->setAccessibleName(tr("Search the guide"));
    m_search->setClearButtonEnabled(true);
    side->addWidget(m_search);
    m_pages->setAccessibleName(tr("Pages of the guide"));
    m_pages->setFrameShape(QFrame::NoFrame);
    m_pages->setFixedWidth(250);
    m_pages->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (const QString &page : pageNames()) {
        auto *item = new QListWidgetItem(page == QStringLiteral("README") ? tr("Contents") : titleOf(page));
        item->setData(Qt::UserRole, page);
        m_pages->addItem(item);
    }
    side->addWidget(m_pages, 1);
    row->addLayout(side);
    auto *reading = new QVBoxLayout;
    reading->setSpacing(0);
    reading->addWidget(makeNotice());
    reading->addWidget(m_browser, 1);
    row->addLayout(reading, 1);
    connect(m_pages, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem *item) {
        if (item)
            m_browser->setSource(QUrl(kFolder + item->data(Qt::UserRole).toString() + QStringLiteral(".md")));
    });
    connect(m_browser, &QTextBrowser::sourceChanged, this, [this](const QUrl &url) {
        for (int i = 0; i < m_pages->count(); ++i) {
            if (url.fileName() == m_pages->item(i)->data(Qt::UserRole).toString() + QStringLiteral(".md")) {
                const QSignalBlocker quiet(m_pages);
                m_pages->setCurrentRow(i);
            }
        }
    });
    connect(m_search, &QLineEdit::textChanged, this, [this] { search(); });
    connect(m_search, &QLineEdit::returnPressed, this, [this] { m_browser->find(m_search->text()); });
    connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, m_search, qOverload<>(&QWidget::setFocus));
    connect(new QShortcut(QKeySequence(Qt::Key_Escape), this), &QShortcut::activated, this, &QWidget::close);
    connect(new QShortcut(QKeySequence::Back, this), &QShortcut::activated, m_browser, &QTextBrowser::backward);
}

// Says in other languages, above the first page, that the guide is in English.
QLabel *GuideWindow::makeNotice()
{
    const QString english = QStringLiteral("The guide is in English."), translated = tr("The guide is in English.");
    m_notice = makeLabel(translated, TextKind::Muted);
    m_notice->setContentsMargins(22, 14, 22, 0);
    m_notice->setWordWrap(true);
    m_notice->hide();
    connect(m_browser, &QTextBrowser::sourceChanged, this, [this, other = translated != english](const QUrl &url) {
        m_notice->setVisible(other && url.fileName() == pageNames().front() + QStringLiteral(".md"));
    });
    return m_notice;
}

void GuideWindow::open(const QString &page)
{
    const qsizetype at = std::max<qsizetype>(0, pageNames().indexOf(page));
    m_pages->setCurrentRow(static_cast<int>(at));
}

// Lists only the pages that contain the words, and shows the first match on the current page.
void GuideWindow::search()
{
    const QString words = m_search->text().simplified();
    for (int i = 0; i < m_pages->count(); ++i) {
        QFile file(
            QStringLiteral(":/guide/guide/") + m_pages->item(i)->data(Qt::UserRole).toString() + QStringLiteral(".md"));
        const bool found =
            words.isEmpty() ||
            (file.open(QIODevice::ReadOnly) && QString::fromUtf8(file.readAll()).contains(words, Qt::CaseInsensitive));
        m_pages->item(i)->setHidden(!found);
    }
    m_browser->moveCursor(QTextCursor::Start);
    if (!words.isEmpty())
        m_browser->find(words);
}

} // namespace slipway::ui
