// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "base/yaml.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/file.h"
#include "base/text.h"

namespace slipway {

namespace {

// Carries a refusal out of yaml-cpp's callbacks, which can only throw.
struct YamlRefusal {
    int line;
    std::string what;
    std::string accepted;
};

class TreeBuilder : public YAML::EventHandler {
public:
    explicit TreeBuilder(const YamlLimits &limits) : m_limits(limits) {}

    [[nodiscard]] YamlNode take() && { return std::move(m_root); }

    void OnDocumentStart(const YAML::Mark &) override {}
    void OnDocumentEnd() override {}
    void OnAnchor(const YAML::Mark &mark, const std::string &) override { refuseAnchors(mark); }
    void OnAlias(const YAML::Mark &mark, YAML::anchor_t) override { refuseAnchors(mark); }

    void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override
    {
        add(mark, anchor, {.kind = YamlNode::Kind::Null});
    }

    void OnScalar(
        const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor, const std::string &value) override
    {
        refuseTag(mark, tag);
        if (atKey()) {
            addKey(mark, value);
            return;
        }
        const bool quoted = tag == "!";
        const bool null = !quoted && (value.empty() || value == "~" || value == "null");
        add(mark, anchor,
            {.kind = null ? YamlNode::Kind::Null : YamlNode::Kind::Scalar,
                .quoted = quoted,
                .scalar = null ? "" : value});
    }

    void OnSequenceStart(
        const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override
    {
        open(mark, tag, anchor, YamlNode::Kind::Sequence);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(
        const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override
    {
        open(mark, tag, anchor, YamlNode::Kind::Map);
    }
    void OnMapEnd() override { close(); }

private:
    static int lineOf(const YAML::Mark &mark) { return mark.line + 1; }

    // A map waits for a key where it has as many keys as values.
    [[nodiscard]] bool atKey() const
    {
        return !m_open.empty() && m_open.back()->kind == YamlNode::Kind::Map &&
               m_open.back()->keys.size() == m_open.back()->items.size();
    }

    [[noreturn]] static void refuseAnchors(const YAML::Mark &mark)
    {
        throw YamlRefusal{lineOf(mark), "anchors and aliases are not supported", "the value itself"};
    }

    static void refuseTag(const YAML::Mark &mark, const std::string &tag)
    {
        if (!tag.empty() && tag != "?" && tag != "!")
            throw YamlRefusal{lineOf(mark), "the tag " + tag.substr(0, 60) + " is not supported", "a plain value"};
    }

    void addKey(const YAML::Mark &mark, const std::string &key)
    {
        if (!m_keys.back().insert(key).second)
            throw YamlRefusal{lineOf(mark), "'" + key.substr(0, 60) + "' appears twice", "each key once"};
        YamlNode &map = *m_open.back();
        map.keys.push_back(key);
        map.keyLines.push_back(lineOf(mark));
    }

    YamlNode &add(const YAML::Mark &mark, YAML::anchor_t anchor, YamlNode node)
    {
        if (anchor != 0)
            refuseAnchors(mark);
        if (atKey())
            throw YamlRefusal{lineOf(mark), "a key that is not plain text", "key: value"};
        if (++m_nodes > m_limits.nodes)
            throw YamlRefusal{lineOf(mark), "more than " + std::to_string(m_limits.nodes) + " values", ""};
        node.line = lineOf(mark);
        if (m_open.empty())
            return m_root = std::move(node);
        return m_open.back()->items.emplace_back(std::move(node));
    }

    void open(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor, YamlNode::Kind kind)
    {
        refuseTag(mark, tag);
        if (m_open.size() >= static_cast<std::size_t>(m_limits.depth))
            throw YamlRefusal{lineOf(mark), "nested deeper than " + std::to_string(m_limits.depth) + " levels", ""};
        // Only the last item of a container is ever open, so that a growing vector leaves these pointers alone.
        m_open.push_back(&add(mark, anchor, {.kind = kind}));
        m_keys.emplace_back();
    }

    void close()
    {
        m_open.pop_back();
        m_keys.pop_back();
    }

    const YamlLimits &m_limits;
    YamlNode m_root;
    std::vector<YamlNode *> m_open;
    std::vector<std::unordered_set<std::string>> m_keys; // of the open containers, because a map can have very many
    std::size_t m_nodes = 0;
};

Error errorAt(const std::string &where, int line, std::string what, std::string accepted = {})
{
    return {.what = std::move(what), .where = where + ":" + std::to_string(line), .accepted = std::move(accepted)};
}

constexpr const char *kAccepted = "a text file in YAML, in UTF-8";

// What people hand over in place of a text.
std::string_view knownFormat(std::string_view bytes)
{
    static constexpr std::pair<std::string_view, std::string_view> kFormats[] = {{"\x7f"
                                                                                  "ELF",
                                                                                     "a program"},
        {"PK\x03\x04", "a ZIP archive"}, {"\x1f\x8b", "a gzip archive"}, {"\x28\xb5\x2f\xfd", "a zstd archive"},
        {"%PDF-", "a PDF"}, {"\x89PNG", "a picture"}, {"SQLite format 3", "a database"}, {"\xff\xfe", "text in UTF-16"},
        {"\xfe\xff", "text in UTF-16"}};
    for (const auto &[first, name] : kFormats) {
        if (bytes.starts_with(first))
            return name;
    }
    return {};
}

// "is a ZIP archive", with the line where it shows.
std::optional<Error> faultOfText(std::string_view text, const std::string &where)
{
    if (const std::string_view format = knownFormat(text); !format.empty())
        return errorAt(where, 1, "this is " + std::string(format), kAccepted);
    const auto strange = std::find_if(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\x1b';
    });
    if (strange == text.end())
        return std::nullopt;
    static constexpr char digits[] = "0123456789abcdef";
    const std::string byte = *strange == 0
                                 ? "NUL byte"
                                 : std::string("control character 0x") + digits[*strange >> 4] + digits[*strange & 15];
    return errorAt(where, static_cast<int>(std::count(text.begin(), strange, '\n')) + 1,
        "contains a " + byte + ", so it is not text", kAccepted);
}

// The first bytes of a file that can be read more than once.
std::string headOf(const std::filesystem::path &path)
{
    std::string head(4096, '\0');
    std::error_code failure;
    std::ifstream file;
    if (std::filesystem::is_regular_file(path, failure))
        file.open(path, std::ios::binary);
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    return head;
}

// The block scalars' and plain scalars' way of being something else than text.
bool readsAsText(std::string_view text)
{
    static constexpr std::string_view first = "-?:,[]{}#&*!|>'\"%@` \t=<";
    if (text.empty() || first.find(text.front()) != std::string_view::npos || text.back() == ' ' || text.back() == ':')
        return false;
    // Within a list, yaml-cpp ends a plain text at a question mark.
    if (text.find_first_of(",?[]{}\"\\") != std::string_view::npos || text.find(": ") != std::string_view::npos ||
        text.find(" #") != std::string_view::npos)
        return false;
    return std::none_of(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool readsAsAnotherType(std::string_view text)
{
    static constexpr std::string_view words[] = {
        "null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", ".inf"};
    const std::string lower = toLower(text);
    return parseNumber(text) || parseCount(text) ||
           std::find(std::begin(words), std::end(words), lower) != std::end(words);
}

} // namespace

const YamlNode *YamlNode::find(std::string_view key) const
{
    const auto found = std::find(keys.begin(), keys.end(), key);
    return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

Result<YamlNode> parseYaml(std::string_view text, const std::string &where, const YamlLimits &limits)
{
    if (static_cast<Bytes>(text.size()) > limits.bytes)
        return Error{.what = "is larger than " + formatBytes(limits.bytes), .where = where, .accepted = kAccepted};
    if (std::optional<Error> fault = faultOfText(text, where))
        return *std::move(fault);
    TreeBuilder builder(limits);
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        if (parser)
            return errorAt(where, 1, "more than one document", "one document");
    } catch (const YamlRefusal &refusal) {
        return errorAt(where, refusal.line, refusal.what, refusal.accepted);
    } catch (const YAML::Exception &failure) {
        return errorAt(where, std::max(0, failure.mark.line) + 1, failure.msg, "YAML");
    }
    return std::move(builder).take();
}

Result<std::string> readYamlText(const std::filesystem::path &path, const YamlLimits &limits)
{
    std::error_code failure;
    if (std::filesystem::is_directory(path, failure))
        return Error{.what = "is a folder", .where = path.string(), .accepted = kAccepted};
    Result<std::string> text = readFile(path, limits.bytes);
    if (text) {
        std::optional<Error> fault = faultOfText(*text, path.string());
        return fault ? Result<std::string>(*std::move(fault)) : text;
    }
    if (text.error().fault != Fault::Input || !std::filesystem::exists(path, failure))
        return text;
    // Too large: what it is says more than how large it is.
    if (std::optional<Error> fault = faultOfText(headOf(path), path.string()))
        return *std::move(fault);
    return Error{.what = "is larger than " + formatBytes(limits.bytes),
        .where = path.string(),
        .accepted = std::string(kAccepted) + ", of at most " + formatBytes(limits.bytes)};
}

Result<YamlNode> readYaml(const std::filesystem::path &path, const YamlLimits &limits)
{
    const Result<std::string> text = readYamlText(path, limits);
    if (!text)
        return text.error();
    return parseYaml(*text, path.string(), limits);
}

std::string yamlScalar(std::string_view text)
{
    if (readsAsText(text) && !readsAsAnotherType(text))
        return std::string(text);
    std::string quoted = "\"";
    static constexpr char digits[] = "0123456789abcdef";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            quoted += {'\\', c};
        else if (c == '\n')
            quoted += "\\n";
        else if (byte < 0x20 || byte == 0x7f)
            quoted += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        else
            quoted += c;
    }
    return quoted += '"';
}

} // namespace slipway
