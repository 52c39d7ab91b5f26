// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QTextBrowser>
#include <QWidget>

class QLineEdit;
class QListWidget;

namespace slipway::ui {

// Shows a page of the guide. Links lead to other pages, and to headings by anchors such as "#from-a-table".
class GuideBrowser : public QTextBrowser {
    Q_OBJECT
public:
    explicit GuideBrowser(QWidget *parent = nullptr);
    bool showHeading(const QString &anchor);

protected:
    void doSetSource(const QUrl &url, QTextDocument::ResourceType type) override;
    void changeEvent(QEvent *event) override;

private:
    void applyStyle(); // sets colors and spacing of the text
};

// Shows the guide without a network connection, with its pages on the left and the text on the right.
class GuideWindow : public QWidget {
    Q_OBJECT
public:
    explicit GuideWindow(QWidget *parent = nullptr);

    void open(const QString &page); // such as "planning"; opens the first page if the page does not exist
    [[nodiscard]] GuideBrowser &browser() const { return *m_browser; }
    [[nodiscard]] QListWidget &pages() const { return *m_pages; }
    [[nodiscard]] QLineEdit &searchField() const { return *m_search; }
    [[nodiscard]] QLabel &notice() const { return *m_notice; } // about the language of the guide
    static QStringList pageNames();                            // in reading order

private:
    QLabel *makeNotice();
    void search();

    QListWidget *m_pages;
    QLineEdit *m_search;
    GuideBrowser *m_browser;
    QLabel *m_notice;
};

} // namespace slipway::ui
