// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/report/pdf_outline.h"

#include <QRegularExpression>

#include <map>
#include <optional>

namespace slipway::ui {

namespace {

// Encodes a text string in UTF-16, which can represent any character and needs no escapes.
QByteArray textString(const QString &text)
{
    QByteArray hex("<FEFF");
    for (const QChar c : text)
        hex += QByteArray::number(c.unicode(), 16).rightJustified(4, '0').toUpper();
    return hex + '>';
}

QByteArray reference(int object) { return QByteArray::number(object) + " 0 R"; }

class Document {
public:
    explicit Document(const QByteArray &bytes) : m_bytes(bytes) {}

    bool read()
    {
        m_xref = number(bytesAfter("startxref", m_bytes.lastIndexOf("startxref"))).value_or(-1);
        const qsizetype trailer = m_bytes.lastIndexOf("trailer");
        if (m_xref <= 0 || trailer < m_xref || !m_bytes.mid(m_xref).startsWith("xref"))
            return false;
        const QByteArray tail = m_bytes.mid(trailer);
        m_size = number(bytesAfter("/Size", 0, tail)).value_or(0);
        m_info = number(bytesAfter("/Info", 0, tail)).value_or(0);
        m_root = number(bytesAfter("/Root", 0, tail)).value_or(0);
        const int pages = number(bytesAfter("/Pages", 0, object(m_root))).value_or(0);
        static const QRegularExpression kKid(QStringLiteral("(\\d+) 0 R"));
        const QByteArray tree = object(pages);
        const qsizetype kids = tree.indexOf("/Kids");
        for (auto kid = kKid.globalMatch(QString::fromLatin1(tree.mid(kids, tree.indexOf(']', kids) - kids)));
            kid.hasNext();)
            m_pages.push_back(kid.next().captured(1).toInt());
        m_tree = pages;
        return m_size > 0 && m_info > 0 && pages > 0 && kids > 0 && !m_pages.empty();
    }

    // Returns an object from its number to "endobj". Empty if there is no such object.
    [[nodiscard]] QByteArray object(int which) const
    {
        // The cross-reference table of Qt's writer has one section with lines of 20 bytes.
        const qsizetype line = m_bytes.indexOf('\n', m_bytes.indexOf('\n', m_xref) + 1) + 1;
        const qsizetype at = m_bytes.mid(line + 20LL * which, 10).toLongLong();
        const QByteArray head = QByteArray::number(which) + " 0 obj";
        if (which <= 0 || which >= m_size || !m_bytes.mid(at).startsWith(head))
            return {};
        return m_bytes.mid(at, m_bytes.indexOf("endobj", at) - at);
    }
    [[nodiscard]] int annotationsOf(int page) const
    {
        return number(bytesAfter("/Annots", 0, object(m_pages[static_cast<std::size_t>(page - 1)]))).value_or(0);
    }

    int add(const QByteArray &content)
    {
        const int which = m_size++;
        m_new[which] = content;
        return which;
    }
    void replace(int which, const QByteArray &content) { m_new[which] = content; }
    [[nodiscard]] int pageObject(int page) const { return m_pages.at(static_cast<std::size_t>(page - 1)); }
    [[nodiscard]] int pageCount() const { return static_cast<int>(m_pages.size()); }
    [[nodiscard]] int info() const { return m_info; }
    [[nodiscard]] int root() const { return m_root; }
    [[nodiscard]] int pageTree() const { return m_tree; }

    [[nodiscard]] QByteArray updated() const
    {
        QByteArray out = m_bytes;
        if (!out.endsWith('\n'))
            out += '\n';
        QByteArray table("xref\n");
        for (const auto &[which, content] : m_new) {
            table += QByteArray::number(which) + " 1\n" + QByteArray::number(out.size()).rightJustified(10, '0') +
                     " 00000 n \n";
            out += QByteArray::number(which) + " 0 obj\n" + content + "\nendobj\n";
        }
        const qsizetype at = out.size();
        return out + table + "trailer\n<< /Size " + QByteArray::number(m_size) + " /Info " + reference(m_info) +
               " /Root " + reference(m_root) + " /Prev " + QByteArray::number(m_xref) + " >>\nstartxref\n" +
               QByteArray::number(at) + "\n%%EOF\n";
    }

private:
    [[nodiscard]] QByteArray bytesAfter(const char *word, qsizetype from) const
    {
        return from < 0 ? QByteArray() : bytesAfter(word, from, m_bytes);
    }
    [[nodiscard]] static QByteArray bytesAfter(const char *word, qsizetype from, const QByteArray &in)
    {
        const qsizetype at = in.indexOf(word, from);
        return at < 0 ? QByteArray() : in.mid(at + static_cast<qsizetype>(qstrlen(word)), 24).trimmed();
    }
    [[nodiscard]] static std::optional<int> number(const QByteArray &text)
    {
        qsizetype length = 0;
        while (length < text.size() && text[length] >= '0' && text[length] <= '9')
            ++length;
        bool fine = false;
        const int value = text.left(length).toInt(&fine);
        return fine ? std::optional(value) : std::nullopt;
    }

    QByteArray m_bytes;
    qsizetype m_xref = 0;
    int m_size = 0, m_info = 0, m_root = 0, m_tree = 0;
    std::vector<int> m_pages;
    std::map<int, QByteArray> m_new;
};

QByteArray destination(const Document &document, const PdfHeading &heading)
{
    return "[" + reference(document.pageObject(heading.page)) + " /XYZ null " +
           QByteArray::number(heading.top, 'f', 1) + " null]";
}

void addOutline(Document &document, const std::vector<PdfHeading> &headings)
{
    const int first = document.add({}); // the root of the outline; its items follow
    for (std::size_t i = 0; i < headings.size(); ++i) {
        const int self = first + 1 + static_cast<int>(i);
        QByteArray item = "<< /Title " + textString(headings[i].title) + " /Parent " + reference(first) + " /Dest " +
                          destination(document, headings[i]);
        if (i > 0)
            item += " /Prev " + reference(self - 1);
        if (i + 1 < headings.size())
            item += " /Next " + reference(self + 1);
        document.add(item + " >>");
    }
    document.replace(first, "<< /Type /Outlines /First " + reference(first + 1) + " /Last " +
                                reference(first + static_cast<int>(headings.size())) + " /Count " +
                                QByteArray::number(static_cast<int>(headings.size())) + " >>");
    document.replace(document.root(),
        "<< /Type /Catalog /Pages " + reference(document.pageTree()) + " /Outlines " + reference(first) +
            " /PageMode /UseOutlines /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>");
}

void addLinks(Document &document, const PdfAdditions &additions)
{
    std::map<int, QByteArray> links; // by number of the object that lists a page's annotations
    for (const PdfLink &link : additions.links) {
        const int list = document.annotationsOf(link.page);
        if (list == 0 || link.heading >= additions.headings.size())
            continue;
        QByteArray area;
        for (const double side : {link.area.left(), link.area.top(), link.area.right(), link.area.bottom()})
            area += QByteArray::number(side, 'f', 1) + ' ';
        const int annotation =
            document.add("<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect [" + area.trimmed() + "] /Dest " +
                         destination(document, additions.headings[link.heading]) + " >>");
        links[list] += reference(annotation) + ' ';
    }
    for (const auto &[list, all] : links)
        document.replace(list, "[" + all.trimmed() + "]");
}

QByteArray dateString(const QDateTime &at)
{
    return "(D:" + at.toUTC().toString(QStringLiteral("yyyyMMddHHmmss")).toLatin1() + "Z)";
}

} // namespace

QByteArray withAdditions(const QByteArray &pdf, const PdfAdditions &additions)
{
    Document document(pdf);
    if (!document.read())
        return {};
    for (const PdfHeading &heading : additions.headings) {
        if (heading.page < 1 || heading.page > document.pageCount())
            return {};
    }
    const QByteArray date = dateString(additions.created);
    document.replace(document.info(),
        "<< /Title " + textString(additions.title) + " /Subject " + textString(additions.subject) + " /Keywords " +
            textString(additions.keywords) + " /Creator (Slipway) /Producer (Qt " QT_VERSION_STR ") /CreationDate " +
            date + " /ModDate " + date + " >>");
    if (!additions.headings.empty())
        addOutline(document, additions.headings);
    addLinks(document, additions);
    return document.updated();
}

} // namespace slipway::ui
