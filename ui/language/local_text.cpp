// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/language/local_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

namespace slipway::ui {

namespace {

bool isDigit(QChar c) { return c >= u'0' && c <= u'9'; }

// Replaces only the separators between digits. Sentences keep their commas and full stops.
QString withLocalSeparators(const QString &text)
{
    const QLocale locale;
    // The C locale has no group separator, but English text has one.
    if (locale.language() == QLocale::C)
        return text;
    const QString point = locale.decimalPoint(), group = locale.groupSeparator();
    QString local;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const bool within = i > 0 && i + 1 < text.size() && isDigit(text[i - 1]) && isDigit(text[i + 1]);
        local += within && text[i] == u'.' ? point : within && text[i] == u',' ? group : QString(text[i]);
    }
    return local;
}

} // namespace

QString tr(const char *text, const char *comment) { return QCoreApplication::translate("slipway::ui", text, comment); }

QString localText(const std::string &text) { return localText(QString::fromStdString(text)); }

QString localText(const QString &text)
{
    static const QRegularExpression kDollars(QStringLiteral("^\\$[0-9.,]+[KMBT]?$"));
    if (text.startsWith(u'-'))
        return u'-' + localText(text.mid(1));
    QString local = withLocalSeparators(text);
    if (kDollars.match(text).hasMatch())
        return tr("$%1", "an amount of US dollars").arg(local.remove(u'$'));
    const QString days = QStringLiteral(" days");
    if (local.endsWith(days))
        return tr("%1 days").arg(local.chopped(days.size()));
    return local;
}

QString localNumber(double value, int decimals)
{
    QString digits = QString::number(value, 'f', decimals);
    const qsizetype whole = decimals > 0 ? digits.indexOf(u'.') : digits.size();
    for (qsizetype at = whole - 3; at > 0 && isDigit(digits[at - 1]); at -= 3)
        digits.insert(at, u',');
    return withLocalSeparators(digits);
}

QString localDate(const std::string &iso8601)
{
    constexpr std::string_view kTo = " to ";
    if (const std::size_t at = iso8601.find(kTo); at != std::string::npos)
        return tr("%1 to %2", "two dates")
            .arg(localDate(iso8601.substr(0, at)), localDate(iso8601.substr(at + kTo.size())));
    const QString written = QString::fromStdString(iso8601);
    const QDate date = QDate::fromString(written, Qt::ISODate);
    return date.isValid() ? date.toString(tr("yyyy-MM-dd", "QDate's format of a day")) : written;
}

QString localMinute(const QDateTime &time)
{
    return time.toString(tr("yyyy-MM-dd HH:mm", "QDateTime's format of a day and a time"));
}

QString inSentence(const QString &name) { return QLocale().language() == QLocale::German ? name : name.toLower(); }

QString withPoint(const QString &typed)
{
    static const QRegularExpression kComma(QStringLiteral("^\\s*([+-]?\\d+),(\\d+)(\\s*[A-Za-z%]*\\s*)$"));
    const QRegularExpressionMatch match = kComma.match(typed);
    const bool maybeGroups = match.capturedLength(2) == 3 && !match.captured(1).startsWith(u'0');
    if (!match.hasMatch() || maybeGroups)
        return typed;
    return match.captured(1) + u'.' + match.captured(2) + match.captured(3);
}

} // namespace slipway::ui
