// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QWidget>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "hardware/catalogue.h"
#include "serve/serve_prediction.h"
#include "ui/widgets/fields.h"

class QVBoxLayout;

namespace slipway::ui {

// The form with the settings of a server. Next to a field with an invalid value, it shows what is wrong and what would
// be accepted. An invalid value changes nothing.
class ServeForm : public QWidget {
    Q_OBJECT
public:
    ServeForm(const Catalogue &catalogue, const Frameworks &frameworks, QWidget *parent = nullptr);

    [[nodiscard]] const ServeConfig &config() const { return m_config; }
    void setConfig(const ServeConfig &config); // emits no signal
    // Applies several changes at once, for example those of a suggestion or of a point in a chart.
    void apply(std::span<const std::pair<std::string, std::string>> changes);
    [[nodiscard]] FieldRow *row(const std::string &key) const; // nullptr if there is none
    // Shows the outcome of the prediction: an error at its field, or otherwise the defaults as hints.
    void show(const Result<ServePrediction> &outcome);
    using QWidget::show;

Q_SIGNALS:
    void changed();

private:
    void build(const Catalogue &catalogue, const Frameworks &frameworks);
    QVBoxLayout *section(QVBoxLayout *page, const QString &title);
    void add(QVBoxLayout *section, const std::string &key, Input *input, const QString &unit = {});
    void onEdited(const std::string &key, const QString &typed);
    void refresh();

    ServeConfig m_config;
    std::map<std::string, FieldRow *> m_rows;
    std::map<std::string, Error> m_refused; // by key
};

} // namespace slipway::ui
