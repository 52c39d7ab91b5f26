// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/language/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QHash>
#include <QLocale>
#include <QMutex>
#include <QStringList>
#include <QTranslator>
#include <clocale>

namespace slipway::ui {

namespace {

class PseudoTranslator : public QTranslator {
public:
    using QTranslator::QTranslator;
    [[nodiscard]] bool isEmpty() const override { return false; }
    QString translate(const char *context, const char *text, const char *, int) const override
    {
        // Qt parses the translated names of keys and the text that gives the layout direction.
        const bool ofQt = qstrcmp(context, "QShortcut") == 0 || qstrcmp(context, "QGuiApplication") == 0;
        return ofQt ? QString() : pseudoText(QString::fromUtf8(text));
    }
};

// Remembers what it translated, because a file of translations cannot be searched by its translations.
class ReversibleTranslator : public QTranslator {
public:
    using QTranslator::QTranslator;
    QString translate(const char *context, const char *text, const char *comment, int number) const override
    {
        QString shown = QTranslator::translate(context, text, comment, number);
        if (shown.isEmpty())
            return shown;
        const QMutexLocker lock(&m_mutex); // any thread translates
        QStringList &sources = m_sources[shown];
        if (const QString source = QString::fromUtf8(text); !sources.contains(source))
            sources << source;
        return shown;
    }
    [[nodiscard]] QString sources(const QString &shown) const
    {
        const QMutexLocker lock(&m_mutex);
        return m_sources.value(shown).join(u' ');
    }

private:
    mutable QMutex m_mutex;
    mutable QHash<QString, QStringList> m_sources; // by translation
};

void install(const QString &name, const QLocale &locale, const QString &folder)
{
    auto *translator = new ReversibleTranslator(QCoreApplication::instance());
    if (translator->load(locale, name, QStringLiteral("_"), folder))
        QCoreApplication::installTranslator(translator);
    else
        delete translator;
}

// Returns the user's locale, including its region such as de_AT or en_GB, if it has the wanted language.
QLocale localeOf(const std::string &language)
{
    const QLocale system = QLocale::system();
    const QLocale::Language wanted = language == "de"   ? QLocale::German
                                     : language == "en" ? QLocale::English
                                                        : system.language();
    if (wanted == system.language() && (wanted == QLocale::German || wanted == QLocale::English))
        return system;
    // The window has no other translations, and "1,5" in an English sentence would be misread.
    return wanted == QLocale::German ? QLocale(wanted, QLocale::Germany)
                                     : QLocale(QLocale::English, QLocale::UnitedStates);
}

} // namespace

// Lengthens each word in proportion to its length, as in a language with longer words, so that lines break at similar
// places.
QString pseudoText(const QString &text)
{
    if (text.isEmpty())
        return text;
    QString longer(u'[');
    qsizetype seen = 0, added = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        longer += text[i];
        ++seen;
        const bool wordEnds = i + 1 == text.size() || text[i + 1].isSpace();
        if (text[i].isSpace() || !wordEnds)
            continue;
        const qsizetype owed = (seen * 2 + 4) / 5 - added;
        longer += QString(owed, QChar(u'~'));
        added += owed;
    }
    return longer + u']';
}

QString englishText(const QString &shown)
{
    QString english;
    for (const QTranslator *each : QCoreApplication::instance()->findChildren<QTranslator *>()) {
        if (const auto *translator = dynamic_cast<const ReversibleTranslator *>(each); translator && english.isEmpty())
            english = translator->sources(shown);
    }
    return english.isEmpty() ? shown : english;
}

void useLanguage(const std::string &language)
{
    for (const QTranslator *earlier : QCoreApplication::instance()->findChildren<QTranslator *>())
        delete earlier; // the destructor removes the translator from the application
    // Qt sets the C library's locale from the environment. Libraries that read numbers with it must not see commas.
    std::setlocale(LC_NUMERIC, "C");
    if (language == kPseudoLanguage) {
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        QCoreApplication::installTranslator(new PseudoTranslator(QCoreApplication::instance()));
        return;
    }
    const QLocale locale = localeOf(language);
    QLocale::setDefault(locale);
    install(QStringLiteral("qtbase"), locale, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    install(QStringLiteral("slipway"), locale, QStringLiteral(":/translations"));
}

} // namespace slipway::ui
