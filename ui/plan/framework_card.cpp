// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/plan/framework_card.h"

#include <QComboBox>
#include <QHeaderView>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTableView>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "config/settings.h"
#include "predict/assess.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"
#include "ui/plan/display_names.h"
#include "ui/theme/style.h"
#include "ui/widgets/plain_table.h"
#include "ui/widgets/scrolling.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace {

constexpr int kShownProfiles = 10; // the other rows can be scrolled to

QString fieldOriginName(FieldOrigin origin)
{
    static constexpr std::array names{QT_TRANSLATE_NOOP("slipway::ui", "Documented"),
        QT_TRANSLATE_NOOP("slipway::ui", "Read in its source"), QT_TRANSLATE_NOOP("slipway::ui", "Measured"),
        QT_TRANSLATE_NOOP("slipway::ui", "Fitted"), QT_TRANSLATE_NOOP("slipway::ui", "Recalled, not checked"),
        QT_TRANSLATE_NOOP("slipway::ui", "Assumed")};
    return tr(names[static_cast<std::size_t>(origin)]);
}

// The engine and the options of the model are not settings and have no setting name.
QString optionName(const std::string &key)
{
    static constexpr std::array<std::pair<std::string_view, const char *>, 1> kOthers{
        {{"engine", QT_TRANSLATE_NOOP("slipway::ui", "Engine")}}};
    for (const auto &[name, shown] : kOthers) {
        if (key == name)
            return tr(shown);
    }
    if (const QString change = torchChangeName(key); !change.isEmpty())
        return change;
    return findSetting(key) != nullptr ? settingName(key)
                                       : capitalized(qs(key).replace(u'_', u' ').replace(u'.', u' '));
}

QString valueText(const std::string &key, const std::string &value)
{
    if (value == "true" || value == "false")
        return value == "true" ? tr("Yes") : tr("No");
    return valueName(key == "engine" ? "framework" : key, qs(value));
}

std::string keyOf(const std::string &option) { return std::string(trimmed(option.substr(0, option.find('=')))); }

QString referenceText(const AppliedField &field)
{
    return field.asOf.empty() ? qs(field.reference) : qs(field.reference) + QStringLiteral(" (%1)").arg(qs(field.asOf));
}

// What the plan's version of PyTorch does, unless an option among the fields overrides it.
std::vector<AppliedField> torchFields(
    const Frameworks &frameworks, const TorchChanges &changes, const std::vector<AppliedField> &fields)
{
    std::vector<AppliedField> list;
    for (const TorchChange &change : frameworks.torchChanges) {
        const std::string key = std::string(kTorchOption) + change.key;
        const auto named = std::find_if(kTorchChanges.begin(), kTorchChanges.end(),
            [&](const NamedTorchChange &one) { return one.key == change.key; });
        if (named == kTorchChanges.end() ||
            std::any_of(fields.begin(), fields.end(), [&](const AppliedField &field) { return field.key == key; }))
            continue;
        const QString version = QStringLiteral("%1.%2").arg(change.since / 100).arg(change.since % 100);
        list.push_back({.key = key,
            .value = changes.*named->member ? "true" : "false",
            .origin = change.origin.kind,
            .reference = tr("PyTorch %1 and later: %2").arg(version, qs(change.origin.reference)).toStdString(),
            .asOf = change.origin.asOf});
    }
    return list;
}

// Edits a value with a list of choices if the field has choices, and otherwise with a line of text.
class FieldDelegate : public QStyledItemDelegate {
public:
    explicit FieldDelegate(FrameworkFieldModel &model) : QStyledItemDelegate(&model), m_model(model) {}

    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const std::vector<Choice> choices = m_model.choices(index.row());
        if (choices.empty())
            return QStyledItemDelegate::createEditor(parent, option, index);
        auto *box = new QComboBox(parent);
        for (const Choice &choice : choices)
            box->addItem(choice.shown, choice.value);
        connect(box, &QComboBox::activated, this, [this, box] {
            auto *self = const_cast<FieldDelegate *>(this);
            Q_EMIT self->commitData(box);
            Q_EMIT self->closeEditor(box);
        });
        return box;
    }
    void setEditorData(QWidget *editor, const QModelIndex &index) const override
    {
        if (auto *box = qobject_cast<QComboBox *>(editor))
            box->setCurrentIndex(box->findData(index.data(Qt::EditRole)));
        else
            QStyledItemDelegate::setEditorData(editor, index);
    }
    void setModelData(QWidget *editor, QAbstractItemModel *model, const QModelIndex &index) const override
    {
        if (const auto *box = qobject_cast<QComboBox *>(editor))
            model->setData(index, box->currentData());
        else
            QStyledItemDelegate::setModelData(editor, model, index);
    }

private:
    FrameworkFieldModel &m_model;
};

} // namespace

std::vector<Choice> frameworkChoices(const Catalogue &catalogue)
{
    std::vector<Choice> choices;
    const Setting *setting = findSetting("framework");
    for (const std::string &name : setting->choices())
        choices.push_back({qs(name), valueName("framework", qs(name)), {}});
    const auto engines = std::ssize(choices);
    for (const FrameworkProfile &profile : catalogue.frameworks.profiles) {
        const auto isShown = [&](const Choice &choice) { return choice.value == qs(profile.id); };
        if (std::any_of(choices.begin(), choices.end(), isShown))
            continue;
        QString tip = qs(profile.id);
        if (!profile.releases.empty())
            tip += QStringLiteral("\n") +
                   tr("Versions %1 to %2. To choose one, type %3@%2.")
                       .arg(qs(profile.releases.front().version), qs(profile.releases.back().version), qs(profile.id));
        choices.push_back({qs(profile.id), qs(profile.title), tip});
    }
    std::sort(choices.begin() + engines, choices.end(),
        [](const Choice &a, const Choice &b) { return a.shown.compare(b.shown, Qt::CaseInsensitive) < 0; });
    return choices;
}

void FrameworkFieldModel::set(std::vector<AppliedField> fields, std::vector<std::string> changed)
{
    beginResetModel();
    m_fields = std::move(fields);
    m_changed = std::move(changed);
    const auto rank = [this](const AppliedField &field) {
        const bool own = std::find(m_changed.begin(), m_changed.end(), field.key) != m_changed.end();
        const bool ofTorch = field.key.starts_with(kTorchOption);
        return own ? 0 : ofTorch ? 3 : isGuessed(field.origin) ? 1 : 2;
    };
    std::stable_sort(m_fields.begin(), m_fields.end(),
        [&](const AppliedField &a, const AppliedField &b) { return rank(a) < rank(b); });
    endResetModel();
}

bool FrameworkFieldModel::isChanged(int row) const
{
    return std::find(m_changed.begin(), m_changed.end(), field(row).key) != m_changed.end();
}

std::vector<Choice> FrameworkFieldModel::choices(int row) const
{
    const std::string &key = field(row).key;
    const Setting *setting = findSetting(key == "engine" ? "framework" : key);
    const std::vector<std::string> names =
        setting != nullptr ? setting->choices() : std::vector<std::string>{"true", "false"};
    std::vector<Choice> choices;
    for (const std::string &name : names)
        choices.push_back({qs(name), valueText(key, name), {}});
    return choices;
}

int FrameworkFieldModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_fields.size());
}

int FrameworkFieldModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant FrameworkFieldModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const AppliedField &at = field(index.row());
    if (role == Qt::EditRole)
        return qs(at.value);
    if (role == Qt::FontRole)
        return fontOf(isChanged(index.row()) ? TextKind::Strong : TextKind::Body);
    if (role == Qt::ToolTipRole && index.column() == Option) {
        const Setting *setting = findSetting(at.key);
        return setting != nullptr ? tipText(capitalized(coreText(setting->help))) : QString();
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    switch (index.column()) {
    case Option:
        return optionName(at.key);
    case Value:
        return valueText(at.key, at.value);
    case KnownBy:
        return isChanged(index.row()) ? tr("Your choice") : fieldOriginName(at.origin);
    case Reference:
        return isChanged(index.row())    ? QString()
               : role == Qt::ToolTipRole ? tipText(referenceText(at))
                                         : referenceText(at);
    default:
        return {};
    }
}

QVariant FrameworkFieldModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignLeft | Qt::AlignVCenter);
    const QStringList names{tr("Option"), tr("Value"), tr("Known by"), tr("Reference")};
    return role == Qt::DisplayRole ? QVariant(names.value(section)) : QVariant();
}

Qt::ItemFlags FrameworkFieldModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags all = QAbstractTableModel::flags(index);
    return index.isValid() && index.column() == Value ? all | Qt::ItemIsEditable : all;
}

bool FrameworkFieldModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (role != Qt::EditRole || !index.isValid() || index.column() != Value)
        return false;
    const AppliedField at = field(index.row()); // a copy, because receivers of the signal refill the model
    if (const std::string text = value.toString().trimmed().toStdString(); text != at.value)
        Q_EMIT edited(at.key, text);
    return true;
}

FrameworkCard::FrameworkCard(PlanDocument &document, const Catalogue &catalogue, QWidget *parent)
    : Card(tr("Framework"), parent),
      m_document(document),
      m_catalogue(catalogue),
      m_model(new FrameworkFieldModel(this)),
      m_table(new QTableView),
      m_problem(makeLabel({}, TextKind::Muted)),
      m_reset(new QPushButton(tr("Reset changes")))
{
    m_reset->setProperty(kQuiet, true);
    m_reset->setToolTip(tr("Plan with the options of the profile again"));
    addToTitle(m_reset);
    m_table->setModel(m_model);
    m_table->setItemDelegateForColumn(FrameworkFieldModel::Value, new FieldDelegate(*m_model));
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                             QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
    m_table->setTabKeyNavigation(false); // so that Tab leaves the table
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(kPlainRow);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setAccessibleName(tr("Options of the framework"));
    passWheel(*m_table);
    m_problem->setWordWrap(true);
    body()->addWidget(m_table);
    body()->addWidget(m_problem);
    connect(m_model, &FrameworkFieldModel::edited, this, &FrameworkCard::change);
    connect(m_reset, &QPushButton::clicked, this, [this] { setOptions({}); });
    connect(&m_document, &PlanDocument::changed, this, &FrameworkCard::refresh);
    refresh();
}

void FrameworkCard::refresh()
{
    const RunConfig &config = m_document.config();
    const Result<FrameworkVersion> version = m_catalogue.frameworks.resolve(config.software);
    setVisible(!config.software.empty() && version);
    if (isHidden())
        return;
    Result<ResolvedConfig> resolved = resolveConfig(config, m_catalogue);
    if (!resolved)
        return; // the last valid options stay visible, like the other results
    std::vector<std::string> changed;
    for (const std::string &option : config.frameworkOptions)
        changed.push_back(keyOf(option));
    const std::vector<AppliedField> ofTorch =
        torchFields(m_catalogue.frameworks, resolved->config.simulated.torchChanges, resolved->software);
    resolved->software.insert(resolved->software.end(), ofTorch.begin(), ofTorch.end());
    m_problem->hide();
    m_reset->setVisible(!changed.empty());
    m_model->set(std::move(resolved->software), std::move(changed));
    setHint(tr("how %1 is planned; double-click a value to change it")
            .arg(qs(m_catalogue.frameworks.find(version->id)->title)));
    fit();
}

void FrameworkCard::fit()
{
    for (const int column : {FrameworkFieldModel::Option, FrameworkFieldModel::Value, FrameworkFieldModel::KnownBy})
        m_table->resizeColumnToContents(column);
    showRows(*m_table, std::min(m_model->rowCount(), kShownProfiles));
}

void FrameworkCard::change(const std::string &key, const std::string &value)
{
    std::vector<std::string> options = m_document.config().frameworkOptions;
    std::erase_if(options, [&](const std::string &option) { return keyOf(option) == key; });
    options.push_back(key + "=" + value);
    setOptions(options);
}

// Applies the options. A value that the planner refuses changes nothing.
void FrameworkCard::setOptions(const std::vector<std::string> &options)
{
    RunConfig after = m_document.config();
    after.frameworkOptions = options;
    if (const Result<Prediction> outcome = m_document.planner().predict(after); !outcome) {
        m_problem->setText(fieldMessage(outcome.error()));
        m_problem->show();
        return;
    }
    m_document.replace(after, tr("Change an option of the framework"));
}

} // namespace slipway::ui
