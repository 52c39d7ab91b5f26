// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "hardware/catalogue.h"
#include "ui/plan/plan_document.h"
#include "ui/widgets/fields.h"

class QVBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace slipway::ui {

// The form with the settings of a plan. Next to a field with an invalid value, it shows what is wrong and what would be
// accepted.
class PlanForm : public QWidget {
    Q_OBJECT
public:
    PlanForm(PlanDocument &document, const Catalogue &catalogue, QWidget *parent = nullptr);

    // Returns the row of a setting, or nullptr if the form has none.
    [[nodiscard]] FieldRow *row(const std::string &key) const;
    // Returns the errors of fields with refused texts, by key.
    [[nodiscard]] const std::map<std::string, Error> &refused() const { return m_refused; }
    [[nodiscard]] QLineEdit *searchField() const { return m_search; }
    // Puts the cursor into the field of a setting, after opening the section that hides it.
    void focusSetting(const std::string &key);
    // Reloads the price books and calibrations from the catalogue.
    void setChoices(const Catalogue &catalogue);

Q_SIGNALS:
    void refusedChanged();
    void scriptRequested();  // requests the questions about the user's own script
    void pricesRequested();  // requests the editor of the price books
    void logRequested();     // requests a calibration from a log
    void removalRequested(); // requests to remove the calibration in use

private:
    QPushButton *link(const QString &text, const QString &tip, void (PlanForm::*asked)());
    void build(const Catalogue &catalogue);
    void addModelAndHardware(QVBoxLayout *page, const Catalogue &catalogue);
    void addStep(QVBoxLayout *page, const Catalogue &catalogue);
    void addCost(QVBoxLayout *page, const Catalogue &catalogue);
    void addMore(QVBoxLayout *page, const Catalogue &catalogue);
    QVBoxLayout *section(QVBoxLayout *page, const QString &title);
    QVBoxLayout *folded(QVBoxLayout *page, const QString &title);
    void add(QVBoxLayout *section, const std::string &key, Input *input, const QString &unit = {});
    void onFieldEdited(const std::string &key, const QString &text);
    void completeName(const std::string &key, const QString &typed);
    void setRefused(std::map<std::string, Error> refused);
    void refresh();
    void showError(const Error &error);
    [[nodiscard]] QString nearestModels(const std::string &name) const;
    [[nodiscard]] QString shownText(const Setting &setting) const;
    [[nodiscard]] SettingTexts neededStrategy(const std::string &key, const std::string &text) const;
    [[nodiscard]] SettingTexts neededPrecision(const std::string &key, const std::string &text) const;
    void refreshNotes();
    void showSettled(const std::string &key, const Prediction &prediction, const QString &otherwise);

    void search(const QString &text);

    // A group of rows below a title, or in a box that a button folds.
    struct Section {
        QVBoxLayout *rows = nullptr;
        QWidget *head = nullptr;
        QWidget *box = nullptr;
        std::vector<std::string> keys;
    };

    PlanDocument &m_document;
    QLineEdit *m_search = nullptr;
    QLabel *m_nothingFound = nullptr; // shown below the search field
    std::vector<Section> m_sections;
    std::vector<QPushButton *> m_links;
    std::vector<std::string> m_models; // their names in the catalogue
    std::map<std::string, FieldRow *> m_rows;
    QPushButton *m_remove = nullptr;        // removes the calibration in use
    std::map<std::string, Error> m_refused; // the errors of fields with refused values, by key
    QString m_strategyNote;                 // why the form chose a parallelism strategy
    QString m_precisionNote;                // why the form chose a precision
    bool m_editing = false;                 // whether this form is changing the document
};

} // namespace slipway::ui
