// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/save_path.h"

#include <QFileDialog>

#include "ui/language/local_text.h"

namespace slipway::ui {

void askSavePath(QWidget *parent, const QString &title, const QString &name, const QString &suffix,
    const std::function<void(const QString &path)> &then)
{
    auto *dialog = new QFileDialog(parent, title, {}, tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(name);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, then);
    dialog->open();
}

} // namespace slipway::ui
