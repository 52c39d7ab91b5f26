// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>

#include "hardware/catalogue.h"
#include "ui/widgets/fields.h"

class QBoxLayout;
class QHBoxLayout;
class QPushButton;

namespace slipway::ui {

class Card;

// The page that is shown at the first start. It offers three ways to begin.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(const Catalogue &catalogue, QWidget *parent = nullptr);

    [[nodiscard]] ComboInput &model() const { return *m_model; }
    [[nodiscard]] ComboInput &gpu() const { return *m_gpu; }
    [[nodiscard]] QPushButton *planButton() const { return m_plan; }
    [[nodiscard]] QPushButton *modelButton() const { return m_openModel; }
    [[nodiscard]] QPushButton *logButton() const { return m_openLog; }

Q_SIGNALS:
    void planRequested(const QString &model, const QString &gpu);
    void openRequested(const QString &path);
    void logRequested(); // requests the dialog for pasting a log
    void guideRequested();
    void skipped();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void makeChoices(const Catalogue &catalogue);
    Card *makePreset();
    Card *makeOwnModel();
    Card *makeLog();
    QHBoxLayout *makeFoot();
    void askFile(const QString &title, const QString &filter);

    QBoxLayout *m_ways;
    ComboInput *m_model, *m_gpu;
    QPushButton *m_plan, *m_openModel, *m_openLog;
};

} // namespace slipway::ui
