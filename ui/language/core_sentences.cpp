// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/language/core_sentences.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <iterator>
#include <vector>

#include "ui/language/core_sentence_list.h"
#include "ui/language/core_texts.h"
#include "ui/language/local_text.h"

namespace slipway::ui {

namespace {

constexpr const char *kContext = "CoreSentences";

struct Sentence {
    const char *written;
    qsizetype letters; // number of letters outside the placeholders
    QRegularExpression form;
};

// A sentence with fewer fixed letters would match almost any text. Its placeholders therefore match only a number with
// its unit, or one word.
constexpr qsizetype kFewLetters = 6;

Sentence sentenceOf(const char *written)
{
    static const QRegularExpression kPlace(QStringLiteral("%\\d"));
    const QString text = QString::fromUtf8(written);
    const QStringList fixed = text.split(kPlace);
    const QString words = fixed.join(QString());
    const qsizetype letters = std::count_if(words.begin(), words.end(), [](QChar c) { return c.isLetter(); });
    const QString place =
        letters < kFewLetters ? QStringLiteral("([\\d.,]+ [A-Za-z/%]+|\\S+)") : QStringLiteral("(.+?)");
    QString form;
    for (qsizetype i = 0; i < fixed.size(); ++i)
        form += (i == 0                    ? QString()
                    : i + 1 < fixed.size() ? place
                                           : QStringLiteral("(.+)")) +
                QRegularExpression::escape(fixed[i]);
    return {written, letters,
        QRegularExpression(QRegularExpression::anchoredPattern(form), QRegularExpression::DotMatchesEverythingOption)};
}

// Returns the sentences with the most fixed letters first, because these match a text most specifically.
const std::vector<Sentence> &sentences()
{
    static const std::vector<Sentence> all = [] {
        std::vector<Sentence> made;
        std::ranges::transform(coreSentenceList(), std::back_inserter(made), sentenceOf);
        std::stable_sort(
            made.begin(), made.end(), [](const Sentence &a, const Sentence &b) { return a.letters > b.letters; });
        return made;
    }();
    return all;
}

bool isFigure(const QString &text) { return !text.isEmpty() && (text[0].isDigit() || text[0] == u'$'); }

QString placeholderText(const QString &captured)
{
    const QString text = coreText(captured.toStdString());
    return text == captured && isFigure(captured) ? localText(captured) : text;
}

const QString kSentenceEnd = QStringLiteral(". ");

// Translates a sentence that may begin with a capital, though the list has it with a small letter.
QString sentencePlaceText(const QString &captured)
{
    QString text = placeholderText(captured);
    if (text != captured || captured.isEmpty() || !captured[0].isUpper())
        return text;
    const QString small = captured[0].toLower() + captured.mid(1), filled = placeholderText(small);
    return filled == small ? captured : filled[0].toUpper() + filled.mid(1);
}

// Translates a text of several sentences. The first sentence must be known, with or without its full stop, or be a
// figure at the end of one.
std::optional<QString> sentenceBySentence(const QString &text)
{
    const qsizetype end = text.indexOf(kSentenceEnd);
    if (end <= 0)
        return std::nullopt;
    const auto rest = [&] { return sentencePlaceText(text.mid(end + kSentenceEnd.size())); };
    const QString first = text.left(end), filled = sentencePlaceText(first);
    if (filled != first || isFigure(first))
        return filled + kSentenceEnd + rest();
    const QString closed = text.left(end + 1), filledClosed = sentencePlaceText(closed);
    if (filledClosed == closed)
        return std::nullopt;
    return filledClosed + u' ' + rest();
}

} // namespace

std::optional<QString> coreSentence(const QString &text)
{
    for (const Sentence &sentence : sentences()) {
        const QRegularExpressionMatch match = sentence.form.match(text);
        if (!match.hasMatch())
            continue;
        // If a placeholder has matched the end of a sentence, it also contains the beginning of the next one. The text
        // is then translated sentence by sentence, unless its first sentence is unknown.
        const QStringList places = match.capturedTexts().mid(1);
        if (std::any_of(places.begin(), places.end(), [](const QString &p) { return p.contains(kSentenceEnd); })) {
            if (std::optional<QString> apart = sentenceBySentence(text))
                return apart;
        }
        QString translation = QCoreApplication::translate(kContext, sentence.written);
        // The placeholders are filled in one pass, because an inserted text can itself contain a percent sign and a
        // digit.
        QString filled;
        for (qsizetype i = 0; i < translation.size(); ++i) {
            const bool place = translation[i] == u'%' && i + 1 < translation.size() && translation[i + 1].isDigit();
            filled +=
                place ? placeholderText(match.captured(translation[i + 1].digitValue())) : QString(translation[i]);
            i += place ? 1 : 0;
        }
        return filled;
    }
    return sentenceBySentence(text);
}

} // namespace slipway::ui
