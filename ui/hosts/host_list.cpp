// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/hosts/host_list.h"

#include <QStandardPaths>

#include <algorithm>
#include <glob.h>

#include "base/file.h"
#include "base/text.h"
#include "base/user_folders.h"

namespace slipway::ui {

namespace fs = std::filesystem;

namespace {

constexpr int kDeepestInclude = 8;

void addOnce(std::vector<std::string> &names, const std::string &name)
{
    if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
}

// Splits a line into words, which are separated by spaces or one '='. Words with spaces are quoted.
std::vector<std::string> wordsOf(std::string_view line)
{
    std::vector<std::string> words;
    std::string word;
    bool quoted = false, begun = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
            begun = true;
        } else if (!quoted && (c == ' ' || c == '\t' || c == '\r' || (c == '=' && words.empty()))) {
            if (begun)
                words.push_back(std::exchange(word, {}));
            begun = false;
        } else if (!quoted && c == '#' && !begun) {
            break;
        } else {
            word += c;
            begun = true;
        }
    }
    if (begun)
        words.push_back(word);
    return words;
}

std::vector<fs::path> included(const std::string &pattern, const fs::path &folder)
{
    fs::path path = pattern.starts_with("~/") ? homeFolder() / pattern.substr(2) : fs::path(pattern);
    if (path.is_relative())
        path = folder / path;
    std::vector<fs::path> files;
    glob_t found{};
    if (::glob(path.c_str(), 0, nullptr, &found) == 0)
        files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    return files;
}

void addAliases(const fs::path &config, const fs::path &folder, int depth, std::vector<std::string> &names)
{
    const Result<std::string> text =
        depth > kDeepestInclude ? Result<std::string>(std::string()) : readFile(config, kMiB);
    if (!text)
        return;
    for (const std::string_view line : split(*text, '\n')) {
        const std::vector<std::string> words = wordsOf(line);
        if (words.size() < 2)
            continue;
        const std::string key = toLower(words[0]);
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (key == "host" && words[i].find_first_of("*?!") == std::string::npos && !words[i].starts_with('-'))
                addOnce(names, words[i]);
            if (key == "include") {
                for (const fs::path &file : included(words[i], folder))
                    addAliases(file, folder, depth + 1, names);
            }
        }
    }
}

} // namespace

std::vector<std::string> sshAliases(const fs::path &config)
{
    std::vector<std::string> names;
    addAliases(config, config.parent_path(), 0, names);
    return names;
}

fs::path HostList::defaultFile() { return userConfigPath("hosts"); }

fs::path HostList::sshConfig() { return homeFolder().empty() ? fs::path() : homeFolder() / ".ssh" / "config"; }

bool HostList::slurmHere() { return !QStandardPaths::findExecutable(QStringLiteral("sbatch")).isEmpty(); }

HostList::HostList(fs::path file, fs::path ssh, bool slurm)
    : m_file(std::move(file)),
      m_ssh(std::move(ssh)),
      m_slurm(slurm)
{
}

std::vector<std::string> HostList::added() const
{
    std::vector<std::string> names;
    if (const Result<std::string> text = readFile(m_file, kMiB)) {
        for (const std::string_view line : split(*text, '\n')) {
            if (const std::string_view name = trimmed(line); !name.empty() && name.front() != '#')
                addOnce(names, std::string(name));
        }
    }
    return names;
}

std::vector<ListedHost> HostList::hosts() const
{
    std::vector<ListedHost> hosts{{"local", "this machine"}};
    if (m_slurm)
        hosts.push_back({"slurm:local", "Slurm"});
    for (const std::string &alias : sshAliases(m_ssh))
        hosts.push_back({alias, "ssh configuration"});
    for (const std::string &name : added()) {
        if (std::none_of(hosts.begin(), hosts.end(), [&](const ListedHost &host) { return host.name == name; }))
            hosts.push_back({name, "added", true});
    }
    return hosts;
}

Result<void> HostList::add(const std::string &name)
{
    const std::string word(trimmed(name));
    if (word.empty() || word.starts_with('-') || word.find_first_of(" \t\n\r\"'") != std::string::npos)
        return Error{.what = "'" + word.substr(0, 60) + "' is not a valid host name",
            .where = "host",
            .accepted = "an alias from ~/.ssh/config, user@host, or slurm:alias"};
    std::vector<std::string> names = added();
    addOnce(names, word);
    return write(names);
}

Result<void> HostList::remove(const std::string &name)
{
    std::vector<std::string> names = added();
    std::erase(names, name);
    return write(names);
}

Result<void> HostList::write(const std::vector<std::string> &names) const
{
    if (Result<void> made = makeUserFolder(m_file.parent_path()); !made)
        return made;
    std::string text;
    for (const std::string &name : names)
        text += name + "\n";
    return writeNamedFile(m_file, text);
}

} // namespace slipway::ui
