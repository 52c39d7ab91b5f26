// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// The files of ui/translations against the sources.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QXmlStreamReader>
#include <gmock/gmock.h>

#include "config/choice_names.h"
#include "config/settings.h"
#include "serve/serve_config.h"
#include "support/temporary_directory.h"
#include "ui/plan/display_names.h"
#include "ui/widgets/text.h"

namespace slipway::ui {
namespace {

const QString kSources = QStringLiteral(SLIPWAY_SOURCES);

struct Message {
    QString context, source, comment, translation, state; // state: "" for a finished one

    [[nodiscard]] QString key() const { return context + u'\n' + source + u'\n' + comment; }
    [[nodiscard]] std::string shown() const { return QString(context + QStringLiteral(": ") + source).toStdString(); }
};

std::vector<Message> readMessages(const QString &path)
{
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    QXmlStreamReader xml(&file);
    std::vector<Message> messages;
    QString context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        const QString name = xml.name().toString();
        if (name == QStringLiteral("name"))
            context = xml.readElementText();
        else if (name == QStringLiteral("message"))
            messages.push_back({.context = context});
        else if (name == QStringLiteral("source"))
            messages.back().source = xml.readElementText();
        else if (name == QStringLiteral("comment"))
            messages.back().comment = xml.readElementText();
        else if (name == QStringLiteral("translation")) {
            messages.back().state = xml.attributes().value(QStringLiteral("type")).toString();
            messages.back().translation = xml.readElementText();
        }
    }
    EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
    return messages;
}

std::vector<Message> german()
{
    const std::vector<Message> messages = readMessages(kSources + QStringLiteral("/ui/translations/slipway_de.ts"));
    EXPECT_GT(messages.size(), 900u);
    return messages;
}

QSet<QString> keysOf(const std::vector<Message> &messages)
{
    QSet<QString> keys;
    for (const Message &message : messages)
        keys.insert(message.key());
    return keys;
}

QStringList found(const QString &pattern, const QString &text)
{
    QStringList all;
    for (QRegularExpressionMatchIterator each = QRegularExpression(pattern).globalMatch(text); each.hasNext();)
        all << each.next().captured();
    all.sort();
    return all;
}

TEST(Translations, HoldEveryTextOfTheSourcesAndNoOther)
{
    const TemporaryDirectory folder;
    const QString fresh = qs((folder.path() / "fresh.ts").string());
    QProcess lupdate;
    lupdate.setWorkingDirectory(kSources);
    // As packaging/translations calls it.
    lupdate.start(QStringLiteral(SLIPWAY_LUPDATE),
        QStringLiteral("-silent -no-obsolete -locations none -I . ui app/desktop -ts").split(u' ') << fresh);
    ASSERT_TRUE(lupdate.waitForFinished(120'000)) << lupdate.errorString().toStdString();
    ASSERT_EQ(lupdate.exitCode(), 0);
    const std::vector<Message> inSources = readMessages(fresh), translated = german();
    const QSet<QString> wanted = keysOf(inSources), there = keysOf(translated);
    for (const Message &message : inSources)
        EXPECT_TRUE(there.contains(message.key()))
            << "not in slipway_de.ts; packaging/translations adds it: " << message.shown();
    for (const Message &message : translated)
        EXPECT_TRUE(wanted.contains(message.key()))
            << "no longer in the sources; packaging/translations removes it: " << message.shown();
}

// The texts that initialize a member in the sources of the window, those in several literals joined.
QStringList initializersOf(const QString &member)
{
    const QString literal = QStringLiteral(R"x("((?:[^"\\]|\\.)*)")x");
    const QRegularExpression each(literal),
        form(QStringLiteral(R"x(\.%1\s*=\s*((?:%2\s*)+)[,}])x").arg(member, literal));
    QStringList all;
    QDirIterator sources(
        kSources + QStringLiteral("/ui"), {QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
    while (sources.hasNext()) {
        QFile source(sources.next());
        EXPECT_TRUE(source.open(QIODevice::ReadOnly));
        for (QRegularExpressionMatchIterator one = form.globalMatch(QString::fromUtf8(source.readAll()));
            one.hasNext();) {
            QString text;
            for (QRegularExpressionMatchIterator part = each.globalMatch(one.next().captured(1)); part.hasNext();)
                text += part.next().captured(1);
            all << text;
        }
    }
    return all;
}

TEST(Translations, HoldTheErrorsThatTheWindowMakesAsCoreDoes)
{
    QSet<QString> translated;
    for (const Message &message : german()) {
        if (message.context.startsWith(QStringLiteral("Core")))
            translated.insert(message.source);
    }
    const QStringList what = initializersOf(QStringLiteral("what"));
    EXPECT_GT(what.size(), 10);
    for (const QString &text : what + initializersOf(QStringLiteral("accepted")))
        EXPECT_TRUE(translated.contains(text)) << "not in core_sentence_list.cpp: " << text.toStdString();
}

TEST(Translations, HoldNameAndHelpOfEverySettingOfAPlan)
{
    QSet<QString> names, helps;
    for (const Message &message : german()) {
        if (message.context == QStringLiteral("slipway::ui"))
            names.insert(message.source);
        if (message.context == QStringLiteral("CoreTexts"))
            helps.insert(message.source);
    }
    for (const Setting &setting : settings()) {
        EXPECT_TRUE(names.contains(settingName(setting.key))) << "no name in display_names.cpp: " << setting.key;
        if (setting.runOnly)
            continue;
        EXPECT_TRUE(helps.contains(qs(setting.help))) << "no help in core_texts.cpp: " << setting.key;
    }
}

TEST(Translations, HoldTheNamesOfTheChoicesOfSettings)
{
    QSet<QString> texts;
    for (const Message &message : german()) {
        if (message.context == QStringLiteral("CoreTexts"))
            texts.insert(message.source);
    }
    for (const std::string_view name : choiceNames())
        EXPECT_TRUE(texts.contains(qs(name))) << "not in core_texts.cpp: " << name;
}

TEST(Translations, HoldTheHelpOfEverySettingOfServing)
{
    QSet<QString> helps;
    for (const Message &message : german()) {
        if (message.context == QStringLiteral("CoreTexts"))
            helps.insert(message.source);
    }
    for (const ServeSetting &setting : serveSettings())
        EXPECT_TRUE(helps.contains(qs(setting.help))) << "no help in core_texts.cpp: " << setting.key;
}

TEST(Translations, AreFinished)
{
    for (const Message &message : german()) {
        EXPECT_EQ(message.state.toStdString(), "") << message.shown();
        EXPECT_FALSE(message.translation.isEmpty()) << message.shown();
    }
}

TEST(Translations, KeepPlaceholdersMnemonicsLinesAndEnds)
{
    for (const Message &message : german()) {
        for (const char *pattern : {"%L?[0-9]", "%n", "&", "\n", "\\.\\.\\.", "\\*\\.[a-z]+"}) {
            const QString searched = QString::fromLatin1(pattern);
            EXPECT_EQ(found(searched, message.source), found(searched, message.translation))
                << pattern << " in " << message.shown() << " -> " << message.translation.toStdString();
        }
        for (const QChar end : QStringLiteral("….:?"))
            EXPECT_EQ(message.source.endsWith(end), message.translation.endsWith(end))
                << message.shown() << " -> " << message.translation.toStdString();
    }
}

// One word for one thing, as the glossary asks of the English texts.
TEST(Translations, UseOneGermanWordForOneThing)
{
    const std::vector<std::pair<QString, const char *>> retired{
        {QStringLiteral("\\b(Rang|Ränge) (pro|auf|in)\\b|parallele Ränge"), "Ranks; Rang is that of a LoRA adapter"},
        {QStringLiteral("\\bSchicht(en)?\\b"), "Layer"},
        {QStringLiteral("\\b(Köpfe|Kopfdimension)\\b"), "Heads, Head-Dimension"},
        {QStringLiteral("\\bSchrittzeit\\b"), "Schrittdauer"},
        {QStringLiteral("\\bTrainingszeit\\b"), "Trainingsdauer"},
        {QStringLiteral("\\bProtokolle?\\b"), "Log"},
        {QStringLiteral("\\bAusgabetokens?\\b"), "Ausgabe-Token"},
        {QStringLiteral("\\b[Jj]e (Token|GPU)\\b"), "pro"},
        {QStringLiteral("Parallelismus\\b"), "Parallelisierung"},
        {QStringLiteral("\\b(Flash|Ring|Query) Attention\\b"), "with a hyphen"},
        {QStringLiteral("\\bverschachtelt"), "verschränkt"},
        {QStringLiteral("\\bStandard: "), "Vorgabe"},
        {QStringLiteral("\\bVerluste\\b"), "Losses"},
        {QStringLiteral("\\bOperationen\\b"), "Ops"},
        {QStringLiteral("'%\\d'"), "the quotation marks of German: „%1“"},
    };
    for (const Message &message : german()) {
        for (const auto &[pattern, instead] : retired)
            EXPECT_EQ(found(pattern, message.translation), QStringList())
                << message.shown() << " -> " << message.translation.toStdString() << ": " << instead;
    }
}

TEST(Translations, HaveContextsThatTheProgramLooksUp)
{
    QSet<QString> known{QStringLiteral("QObject"), QStringLiteral("slipway::ui"), QStringLiteral("CoreTexts"),
        QStringLiteral("CoreSentences")};
    static const QRegularExpression kClass(
        QStringLiteral("class (\\w+)[^;{]*\\{[^}]*?Q_OBJECT"), QRegularExpression::DotMatchesEverythingOption);
    for (QDirIterator files(kSources + QStringLiteral("/ui"), {QStringLiteral("*.h"), QStringLiteral("*.cpp")},
             QDir::Files, QDirIterator::Subdirectories);
        files.hasNext();) {
        QFile file(files.next());
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        for (QRegularExpressionMatchIterator each = kClass.globalMatch(text); each.hasNext();)
            known.insert(QStringLiteral("slipway::ui::") + each.next().captured(1));
    }
    for (const Message &message : german())
        EXPECT_TRUE(known.contains(message.context))
            << message.shown() << ": no class with Q_OBJECT has this name; write QObject::tr";
}

// What core and the pages write, with the parts of each literal joined.
QString textsInSources()
{
    QString written;
    for (const char *folder :
        {"/core", "/ui/explore", "/ui/hosts", "/ui/report", "/ui/runs", "/ui/serve", "/ui/window"}) {
        for (QDirIterator files(kSources + QString::fromLatin1(folder),
                 {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files, QDirIterator::Subdirectories);
            files.hasNext();) {
            QFile file(files.next());
            EXPECT_TRUE(file.open(QIODevice::ReadOnly));
            written += QString::fromUtf8(file.readAll());
        }
    }
    return written.remove(QRegularExpression(QStringLiteral("\"\\s*\n\\s*\"")));
}

// The texts in the tables of scaling laws and price books that match the form, each in quotation marks.
QStringList textsInCatalogue(const QRegularExpression &form)
{
    QStringList texts;
    for (const char *name : {"scaling_laws.yaml", "prices.yaml"}) {
        QFile file(kSources + QStringLiteral("/resources/catalogue/") + QString::fromLatin1(name));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
        const QString text = QString::fromUtf8(file.readAll());
        for (QRegularExpressionMatchIterator each = form.globalMatch(text); each.hasNext();)
            texts << u'"' + each.next().captured(1) + u'"';
    }
    return texts;
}

QStringList titlesInCatalogue()
{
    return textsInCatalogue(
        QRegularExpression(QStringLiteral("^ +title: *\"?(.*?)\"? *$"), QRegularExpression::MultilineOption));
}

// Of price books, and of prices, which are the last field of their row.
QStringList notesInCatalogue()
{
    return textsInCatalogue(
        QRegularExpression(QStringLiteral("\\bnotes: *\"?([^\"\n}]*)\"?\\}? *$"), QRegularExpression::MultilineOption));
}

// A title such as "Kaplan 2020" has only names. One with words, such as "AWS on demand", is translated.
TEST(Translations, HoldTheTitlesOfTheCatalogueThatHaveWords)
{
    QSet<QString> translated;
    for (const Message &message : german()) {
        if (message.context == QStringLiteral("CoreTexts"))
            translated.insert(u'"' + message.source + u'"');
    }
    const QStringList titles = titlesInCatalogue();
    EXPECT_GT(titles.size(), 20);
    for (const QString &title : titles.filter(QRegularExpression(QStringLiteral(" [a-z]"))))
        EXPECT_TRUE(translated.contains(title)) << "not in core_texts.cpp: " << title.toStdString();
}

// core cannot mark its texts, so a list repeats them: each must still be one that core, or the window, writes.
TEST(Translations, OfTextsOfCoreBelongToTextsThatAreWritten)
{
    const QString written = textsInSources() + titlesInCatalogue().join(u' ') + notesInCatalogue().join(u' ');
    for (const Message &message : german()) {
        const QString literal = u'"' + message.source + u'"';
        EXPECT_TRUE(message.context != QStringLiteral("CoreTexts") || written.contains(literal)) << message.shown();
    }
}

// Of a sentence with places, the words between them.
TEST(Translations, OfSentencesOfCoreHaveTheirFixedWords)
{
    const QString written = textsInSources();
    static const QRegularExpression kPlace(QStringLiteral("%\\d")), kEnds(QStringLiteral("^[ ':;,.()]+|[ ':;,.()]+$"));
    for (const Message &message : german()) {
        if (message.context != QStringLiteral("CoreSentences"))
            continue;
        for (QString words : message.source.split(kPlace)) {
            words.remove(kEnds);
            EXPECT_TRUE(written.contains(words))
                << message.shown() << ": nobody writes '" << words.toStdString() << "'";
        }
    }
}

} // namespace
} // namespace slipway::ui
