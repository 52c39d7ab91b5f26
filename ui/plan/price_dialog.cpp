// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/price_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDate>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "cost/price_import.h"
#include "hardware/user_folder.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/theme/style.h"
#include "ui/widgets/screen_room.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr std::size_t kListedRows = 5;

// Describes the imported and the skipped rows of a price list.
QString wordsOf(const PriceImport &import)
{
    QStringList lines;
    for (const PriceBook &book : import.books)
        lines << (book.prices.size() == 1
                      ? QObject::tr("Imported %1: 1 price").arg(qs(book.id))
                      : QObject::tr("Imported %1: %2 prices").arg(qs(book.id)).arg(book.prices.size()));
    if (!import.skipped.empty())
        lines << QObject::tr("%1 of %2 rows could not be read and were skipped:")
                     .arg(import.skipped.size())
                     .arg(import.rows);
    for (std::size_t i = 0; i < std::min(import.skipped.size(), kListedRows); ++i)
        lines << problemText(import.skipped[i].error);
    if (import.skipped.size() > kListedRows)
        lines << QStringLiteral("…");
    QStringList unknown;
    for (const std::string &card : import.unknownGpus)
        unknown << qs(card);
    if (!unknown.isEmpty())
        lines << QObject::tr("Not in the GPU catalogue: %1").arg(unknown.mid(0, 12).join(QStringLiteral(", ")));
    return lines.join(u'\n');
}

} // namespace

PriceDialog::PriceDialog(const Catalogue &catalogue, std::filesystem::path folder, QWidget *parent)
    : QDialog(parent),
      m_catalogue(catalogue),
      m_folder(std::move(folder)),
      m_model(new PriceModel(this)),
      m_books(new QComboBox),
      m_table(new QTableView),
      m_name(new QLineEdit),
      m_spot(new QCheckBox(tr("Spot prices"))),
      m_about(makeLabel({}, TextKind::Muted)),
      m_problem(makeLabel({}, TextKind::Body)),
      m_add(new QPushButton(tr("Add row"))),
      m_remove(new QPushButton(tr("Remove row"))),
      m_copy(new QPushButton(tr("Copy and edit"))),
      m_import(new QPushButton(tr("Import price list…"))),
      m_save(nullptr)
{
    setWindowTitle(tr("Prices"));
    resize(withinScreen(*this, {920, 560}));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(10);
    auto *head = new QHBoxLayout;
    head->addWidget(makeElidedLabel(tr("Price book"), TextKind::Title));
    m_books->setAccessibleName(tr("Price book"));
    m_books->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_books->setMinimumContentsLength(10); // it is wider if there is space
    fillBooks();
    connect(m_books, &QComboBox::activated, this, [this](int index) {
        m_books->setCurrentIndex(m_shown);
        leave([this, index] {
            m_books->setCurrentIndex(index);
            showAt(index);
        });
    });
    head->addWidget(m_books, 1);
    head->addWidget(m_copy);
    connect(m_copy, &QPushButton::clicked, this, [this] { leave([this] { copyAs({}); }); });
    m_import->setToolTip(tr("A vms.csv file of SkyPilot's catalogue, with the columns InstanceType, AcceleratorName, "
                            "AcceleratorCount, Price, Region and SpotPrice"));
    head->addWidget(m_import);
    connect(m_import, &QPushButton::clicked, this, [this] { leave([this] { askList(); }); });
    column->addLayout(head);
    m_about->setWordWrap(true);
    column->addWidget(m_about);
    column->addWidget(makeTable(), 1);
    column->addWidget(makeEdits());
    m_problem->setWordWrap(true);
    m_problem->hide();
    column->addWidget(m_problem);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_save = buttons->addButton(tr("Save"), QDialogButtonBox::AcceptRole);
    m_save->setProperty(kPrimary, true);
    connect(m_save, &QPushButton::clicked, this, &PriceDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &PriceDialog::reject);
    column->addWidget(buttons);
    showAt(0);
}

QWidget *PriceDialog::makeTable()
{
    m_table->setModel(m_model);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(
        QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(PriceModel::Source, QHeaderView::Stretch);
    // The column stretches, but its title is never cut.
    m_table->horizontalHeader()->setMinimumSectionSize(
        m_table->horizontalHeader()->sectionSizeHint(PriceModel::Source));
    m_table->setAccessibleName(tr("Prices in this price book"));
    return m_table;
}

QWidget *PriceDialog::makeEdits()
{
    auto *box = new QWidget;
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    QLabel *label = makeLabel(tr("Name"), TextKind::Body);
    label->setBuddy(m_name);
    m_name->setAccessibleName(tr("Name of the price book"));
    row->addWidget(label);
    row->addWidget(m_name, 1);
    row->addWidget(m_spot);
    row->addWidget(m_add);
    row->addWidget(m_remove);
    connect(m_add, &QPushButton::clicked, this, [this] {
        m_model->addRow(m_catalogue.gpus.empty() ? QString() : qs(m_catalogue.gpus.front().id));
        m_table->selectRow(m_model->rowCount() - 1);
        m_table->edit(m_model->index(m_model->rowCount() - 1, PriceModel::GpuName));
    });
    connect(m_remove, &QPushButton::clicked, this, [this] { m_model->removeRow(m_table->currentIndex().row()); });
    return box;
}

void PriceDialog::fillBooks()
{
    m_books->clear();
    for (const PriceBook &book : m_catalogue.priceBooks)
        m_books->addItem(
            isOwn(book.id) ? tr("%1 (own)").arg(qs(book.id)) : coreText(book.title.empty() ? book.id : book.title),
            qs(book.id));
}

bool PriceDialog::isOwn(const std::string &id) const
{
    std::error_code ignored;
    const Result<std::filesystem::path> file = yamlFileFor(m_folder, id);
    return file && std::filesystem::exists(*file, ignored);
}

void PriceDialog::showBook(const QString &id)
{
    const int index = std::max(0, m_books->findData(id));
    m_books->setCurrentIndex(index);
    showAt(index);
}

void PriceDialog::showAt(int index)
{
    if (index < 0 || static_cast<std::size_t>(index) >= m_catalogue.priceBooks.size())
        return;
    m_shown = index;
    m_book = m_catalogue.priceBooks[static_cast<std::size_t>(index)];
    const bool own = isOwn(m_book.id);
    m_model->set(m_book, own);
    m_name->setText(qs(m_book.id));
    m_spot->setChecked(!m_book.prices.empty() && m_book.prices.front().spot);
    m_about->setText(own ? tr("Your price book, as of %1. Double-click a cell to edit it.").arg(localDate(m_book.asOf))
                         : tr("Shipped with Slipway, as of %1. Copy it to edit it. %2")
                               .arg(localDate(m_book.asOf), coreText(m_book.notes)));
    for (QWidget *widget : std::initializer_list<QWidget *>{m_name, m_spot, m_add, m_remove, m_save})
        widget->setEnabled(own);
    m_name->setReadOnly(true);
    m_copy->setEnabled(!m_book.ratiosOnly);
    setProblem({});
}

void PriceDialog::copyAs(const QString &name)
{
    QString free = name.isEmpty() ? m_name->text() + QStringLiteral("-own") : name;
    for (int i = 2; name.isEmpty() && m_catalogue.priceBook(free.toStdString()); ++i)
        free = qs(m_book.id) + QStringLiteral("-own-%1").arg(i);
    m_model->set(m_book, true);
    m_book.title.clear();
    m_name->setText(free);
    m_name->setReadOnly(false);
    m_about->setText(tr("Copy of '%1', not saved yet. Double-click a cell to edit it.").arg(qs(m_book.id)));
    for (QWidget *widget : std::initializer_list<QWidget *>{m_name, m_spot, m_add, m_remove, m_save})
        widget->setEnabled(true);
    m_copy->setEnabled(false);
    m_name->setFocus();
    m_name->selectAll();
}

void PriceDialog::save()
{
    const std::string id = m_name->text().trimmed().toStdString();
    if (!isOwn(id) && m_catalogue.priceBook(id)) {
        setProblem(tr("'%1' is the name of a shipped price book. Choose another name.").arg(qs(id)));
        return;
    }
    const std::string today = QDate::currentDate().toString(Qt::ISODate).toStdString();
    const Result<PriceBook> book = editedBook(m_book, id, m_spot->isChecked(), m_model->edits(), today, m_catalogue);
    if (!book) {
        setProblem(problemText(book.error()));
        return;
    }
    if (const Result<void> written = writePriceBooks(m_folder, {*book}); !written) {
        setProblem(problemText(written.error()));
        return;
    }
    Q_EMIT saved(qs(id));
    accept();
}

void PriceDialog::reject()
{
    leave([this] { QDialog::reject(); });
}

// Asks for confirmation before unsaved edits are lost.
void PriceDialog::leave(const std::function<void()> &then)
{
    if (!m_model->changed())
        return then();
    auto *box = new QMessageBox(QMessageBox::Question, tr("Prices"),
        tr("Discard the unsaved changes to '%1'?").arg(m_name->text()), QMessageBox::Cancel, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box->addButton(tr("Discard"), QMessageBox::DestructiveRole), &QPushButton::clicked, this, then);
    box->setDefaultButton(QMessageBox::Cancel);
    box->open();
}

void PriceDialog::askList()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Import price list"), {}, tr("Price lists (*.csv);;All files (*)"));
    if (!path.isEmpty())
        importList(path.toStdString(), priceBookNameFor(path.toStdString()));
}

void PriceDialog::importList(const std::filesystem::path &file, const std::string &name)
{
    const Result<PriceImport> import = importPriceList(file, name, dateOfList(file), m_catalogue);
    if (!import) {
        setProblem(problemText(import.error()));
        return;
    }
    for (const PriceBook &book : import->books) {
        if (!isOwn(book.id) && m_catalogue.priceBook(book.id)) {
            setProblem(tr("'%1' is the name of a shipped price book. Rename the file.").arg(qs(book.id)));
            return;
        }
    }
    if (const Result<void> written = writePriceBooks(m_folder, import->books); !written) {
        setProblem(problemText(written.error()));
        return;
    }
    const QString id = qs(import->books.front().id);
    Q_EMIT saved(id);
    fillBooks();
    showBook(id);
    setProblem(wordsOf(*import));
}

void PriceDialog::setProblem(const QString &problem)
{
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
}

QString PriceDialog::problem() const { return m_problem->isHidden() ? QString() : m_problem->text(); }

} // namespace slipway::ui
