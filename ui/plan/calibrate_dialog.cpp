// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/calibrate_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/plan_display.h"
#include "ui/theme/style.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kNarrow = 104; // least width of a column of figures, in pixels

QString errorText(double error)
{
    return (std::round(1000 * error) < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
           localNumber(std::abs(100 * error), 1) + QStringLiteral(" %");
}

QString meanText(const QString &what, const MeanErrors &errors)
{
    return errors.rows == 0 ? QString()
                            : tr("%1: mean error %2 % before, %3 % after")
                                  .arg(what)
                                  .arg(localNumber(100 * errors.before, 1))
                                  .arg(localNumber(100 * errors.after, 1));
}

QStringList cellsOf(const std::optional<BeforeAfter> &figure, const std::function<QString(double)> &text)
{
    const QString none = QStringLiteral("–");
    return figure
               ? QStringList{text(figure->measured), errorText(figure->errorBefore()), errorText(figure->errorAfter())}
               : QStringList{none, none, none};
}

// Returns the name, with a number if a calibration of the user has it already, so that none is replaced.
QString freeName(const CalibrateDialog::SavedOn &savedOn, const std::string &name)
{
    QString free = qs(name);
    for (int number = 2; savedOn(free.toStdString()); ++number)
        free = qs(name) + u'-' + QString::number(number);
    return free;
}

QLabel *problemLabel()
{
    QLabel *label = makeLabel({}, TextKind::Body);
    label->setWordWrap(true);
    label->hide();
    return label;
}

} // namespace

CalibrateDialog::CalibrateDialog(
    const Catalogue &catalogue, CalibrationOutcome outcome, Keep keep, SavedOn savedOn, QWidget *parent)
    : QDialog(parent),
      m_catalogue(catalogue),
      m_outcome(std::move(outcome)),
      m_keep(std::move(keep)),
      m_savedOn(std::move(savedOn)),
      m_warning(new Banner(Pill::Tone::Warn)),
      m_name(new QLineEdit(freeName(m_savedOn, m_outcome.calibration.id))),
      m_problem(problemLabel())
{
    setWindowTitle(tr("Calibrate"));
    resize(withinScreen(*this, {820, 560}));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(10);
    const bool fitted = !m_outcome.calibration.devices.empty();
    column->addWidget(
        makeLabel(fitted ? tr("Calibration result") : tr("These runs do not change any constant"), TextKind::Title));
    QStringList means{meanText(tr("Tokens/s"), m_outcome.speed), meanText(tr("Peak memory"), m_outcome.memory)};
    means.removeAll(QString());
    const auto skipped = std::count_if(
        m_outcome.rows.begin(), m_outcome.rows.end(), [](const CalibratedRow &row) { return !row.skipped.empty(); });
    if (skipped > 0)
        means << tr("%1 of %2 rows are left out").arg(skipped).arg(m_outcome.rows.size());
    column->addWidget(makeLabel(means.join(QStringLiteral(". ")), TextKind::Muted));
    column->addWidget(m_warning);
    column->addWidget(makeTable(), 1);
    column->addWidget(makeConstants(), 1);
    auto *row = new QHBoxLayout;
    QLabel *label = makeLabel(tr("Save as"), TextKind::Body);
    label->setBuddy(m_name);
    m_name->setAccessibleName(tr("Name of the calibration"));
    m_name->setTextMargins(4, 0, 4, 0);
    row->addWidget(label);
    row->addWidget(m_name, 1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_keepButton = buttons->addButton(tr("Save and use in the plan"), QDialogButtonBox::AcceptRole);
    m_keepButton->setProperty(kPrimary, true);
    m_keepButton->setEnabled(fitted);
    m_name->setEnabled(fitted);
    connect(m_keepButton, &QPushButton::clicked, this, &CalibrateDialog::keep);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    row->addWidget(buttons);
    column->addWidget(m_problem);
    column->addLayout(row);
}

QWidget *CalibrateDialog::makeTable()
{
    const QStringList header{tr("Run"), tr("Tokens/s/GPU"), tr("Error before"), tr("Error after"), tr("Peak memory"),
        tr("Error before"), tr("Error after")};
    m_table = new QTableWidget(static_cast<int>(m_outcome.rows.size()), static_cast<int>(header.size()));
    m_table->setHorizontalHeaderLabels(header);
    for (int r = 0; r < m_table->rowCount(); ++r) {
        const CalibratedRow &row = m_outcome.rows[static_cast<std::size_t>(r)];
        QStringList cells{qs(row.id)};
        cells += cellsOf(row.tokensPerSecondPerGpu, [](double value) { return localText(formatCount(value)); });
        cells += cellsOf(row.peak, bytesText);
        for (int c = 0; c < cells.size(); ++c) {
            auto *item = new QTableWidgetItem(cells[c]);
            item->setTextAlignment((c == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            item->setToolTip(tipText(row.skipped.empty() ? deviceText(row.gpu, row.framework)
                                                         : tr("Skipped: %1").arg(coreText(row.skipped))));
            m_table->setItem(r, c, item);
        }
        if (row.skipped.empty())
            continue;
        // The reason takes the place of the figures.
        m_table->setSpan(r, 1, 1, m_table->columnCount() - 1);
        m_table->item(r, 1)->setText(tr("Skipped: %1").arg(coreText(row.skipped)));
        m_table->item(r, 1)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setHighlightSections(false);
    for (int c = 0; c < m_table->columnCount(); ++c) {
        m_table->horizontalHeaderItem(c)->setTextAlignment(
            (c == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        m_table->setColumnWidth(c, std::max(kNarrow, m_table->horizontalHeader()->sectionSizeHint(c)));
    }
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->setAccessibleName(tr("Prediction errors before and after"));
    return m_table;
}

QWidget *CalibrateDialog::makeConstants() const
{
    auto *content = new QWidget;
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    const auto add = [column](const QString &text, TextKind kind) {
        QLabel *label = makeLabel(text, kind);
        label->setWordWrap(true);
        column->addWidget(label);
    };
    for (const DeviceCalibration &device : m_outcome.calibration.devices) {
        add(tr("Fitted: %1").arg(deviceText(device.gpu, device.framework)), TextKind::Section);
        for (const FittedConstant &fitted : device.constants)
            add(coreText(titleOf(fitted.constant)) + QStringLiteral(": ") + coreText(valueText(fitted)),
                TextKind::Body);
        if (device.stepP90 > 0)
            add(tr("Measured step times are then %1 to %2 % of the prediction (P10–P90).")
                    .arg(localNumber(100 * device.stepP10, 0))
                    .arg(localNumber(100 * device.stepP90, 0)),
                TextKind::Muted);
    }
    QString last;
    for (const RefusedConstant &refused : m_outcome.refused) {
        const QString device = deviceText(refused.gpu, refused.framework);
        if (device != std::exchange(last, device))
            add(tr("Not fitted: %1").arg(device), TextKind::Section);
        add(coreText(titleOf(refused.constant)) + QStringLiteral(" – ") + coreText(refused.why), TextKind::Muted);
    }
    column->addStretch(1);
    return makeScrolling(content);
}

QString CalibrateDialog::deviceText(const std::string &gpu, const std::string &framework) const
{
    const Result<Gpu> known = m_catalogue.gpu(gpu);
    const FrameworkProfile *profile = m_catalogue.frameworks.find(framework);
    return qs(known ? known->name : gpu) + QStringLiteral(" · ") + qs(profile == nullptr ? framework : profile->title);
}

void CalibrateDialog::setName(const QString &name) { m_name->setText(name); }

QString CalibrateDialog::problem() const { return m_problem->isHidden() ? QString() : m_problem->text(); }

void CalibrateDialog::setWarning(const QString &text) { m_warning->setText(text); }

QString CalibrateDialog::warning() const { return m_warning->text(); }

void CalibrateDialog::keep()
{
    const std::string name = m_name->text().trimmed().toStdString();
    const std::optional<std::string> date = m_savedOn(name);
    if (!date)
        return save(name);
    const QString which = date->empty() ? tr("Replace the calibration '%1'?").arg(qs(name))
                                        : tr("Replace the calibration '%1' of %2?").arg(qs(name), localDate(*date));
    auto *box = new QMessageBox(QMessageBox::Question, tr("Replace calibration"), which, QMessageBox::Cancel, this);
    box->setInformativeText(tr("Plans that use this calibration will use the new one. This cannot be undone."));
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    const QPushButton *replace = box->addButton(tr("Replace"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(replace, &QPushButton::clicked, this, [this, name] { save(name); });
    connect(box, &QMessageBox::rejected, this, [this] {
        m_name->setFocus();
        m_name->selectAll();
    });
    box->open();
}

void CalibrateDialog::save(const std::string &name)
{
    Calibration calibration = m_outcome.calibration;
    calibration.id = name;
    if (const Result<void> kept = m_keep(calibration); !kept) {
        m_problem->setText(problemText(kept.error()));
        m_problem->show();
        return;
    }
    Q_EMIT this->kept(qs(calibration.id));
    accept();
}

LogDialog::LogDialog(const QString &configuration, QWidget *parent)
    : QDialog(parent),
      m_text(new QPlainTextEdit),
      m_problem(problemLabel())
{
    setWindowTitle(tr("Calibrate from a log"));
    resize(withinScreen(*this, {720, 460}));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(8);
    column->addWidget(makeLabel(tr("Paste the training log"), TextKind::Title));
    QLabel *of = makeLabel(
        tr("The log must come from the configuration on the Plan page: %1.").arg(configuration), TextKind::Muted);
    of->setWordWrap(true);
    column->addWidget(of);
    m_text->setFont(fontOf(TextKind::Mono));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setTabChangesFocus(true);
    m_text->setPlaceholderText(QStringLiteral(
        "step 10 | loss: 6.1 | dt: 338.21ms | tok/sec: 15,501\nelapsed time per iteration (ms): 1234.5 | throughput "
        "per GPU (TFLOP/s/GPU): 250.1\nstep: 10  memory: 35.50GiB(44.9%)  tps: 7,123\nmax_memory_allocated: 23.5 GiB"));
    m_text->setAccessibleName(tr("Training log"));
    column->addWidget(m_text, 1);
    column->addWidget(m_problem);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    const QPushButton *file = buttons->addButton(tr("Open file…"), QDialogButtonBox::ActionRole);
    buttons->addButton(tr("Calibrate"), QDialogButtonBox::AcceptRole)->setProperty(kPrimary, true);
    connect(file, &QPushButton::clicked, this, &LogDialog::askFile);
    connect(buttons, &QDialogButtonBox::accepted, this, &LogDialog::calibrationRequested);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] { setProblem({}); });
    column->addWidget(buttons);
}

void LogDialog::setProblem(const QString &text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
    if (!text.isEmpty())
        m_text->setFocus(); // so that the user can correct the log there
}

QString LogDialog::problem() const { return m_problem->isHidden() ? QString() : m_problem->text(); }

void LogDialog::setText(const QString &text) { m_text->setPlainText(text); }
std::string LogDialog::text() const { return m_text->toPlainText().toStdString(); }

void LogDialog::askFile()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open training log"));
    if (path.isEmpty())
        return;
    const Result<std::string> content = readFile(path.toStdString(), kLargest);
    if (content)
        m_text->setPlainText(qs(*content));
    else
        setProblem(problemText(content.error()));
}

} // namespace slipway::ui
