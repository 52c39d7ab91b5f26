// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "ui/window/draft.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/user_folders.h"
#include "config/config_io.h"
#include "ui/language/core_texts.h"
#include "ui/widgets/text.h"

namespace slipway::ui {

namespace fs = std::filesystem;

namespace {

constexpr int kWriteAfterMs = 400; // delay, so that continuous typing causes only one write
constexpr Bytes kLargestDraft = kMiB;
constexpr int kVersion = 1; // of the form of a draft

bool isRunning(std::int64_t process) { return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM; }

} // namespace

Result<void> writeDraft(const fs::path &path, const Draft &draft)
{
    const nlohmann::ordered_json json{
        {"version", kVersion}, {"file", draft.file.toStdString()}, {"config", toJson(draft.config)}};
    // A field may contain bytes that are not valid UTF-8. They must not cause an exception here.
    return writePrivateFile(path, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

Result<Draft> readDraft(const fs::path &path)
{
    const Result<std::string> text = readPrivateFile(path, kLargestDraft);
    if (!text)
        return text.error();
    const Result<nlohmann::json> json = parseJson(*text);
    const Error damaged{
        .what = "the draft is damaged", .where = path.string(), .accepted = "a draft that this program wrote"};
    if (!json || !json->is_object() || !json->contains("version") || !(*json)["version"].is_number_integer())
        return damaged;
    if ((*json)["version"] != kVersion) {
        return Error{.what = "the draft is from another version of Slipway",
            .where = path.string(),
            .accepted = "a draft that this program wrote"};
    }
    if (!json->contains("config") || !json->contains("file") || !(*json)["file"].is_string())
        return damaged;
    Result<RunConfig> config = runConfigFromJson(nlohmann::ordered_json((*json)["config"]), path.string());
    if (!config)
        return config.error();
    return Draft{*std::move(config), qs((*json)["file"].get<std::string>())};
}

fs::path DraftKeeper::defaultFolder() { return userDataPath("drafts"); }

DraftKeeper::DraftKeeper(PlanDocument &document, fs::path folder, QObject *parent)
    : QObject(parent),
      m_document(document),
      m_folder(std::move(folder))
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(kWriteAfterMs);
    connect(&m_soon, &QTimer::timeout, this, &DraftKeeper::update);
    connect(&m_document, &PlanDocument::changed, &m_soon, qOverload<>(&QTimer::start));
    connect(&m_document, &PlanDocument::fileChanged, &m_soon, qOverload<>(&QTimer::start));
}

fs::path DraftKeeper::file() const { return m_folder / (std::to_string(::getpid()) + ".json"); }

std::vector<fs::path> DraftKeeper::leftBehind() const
{
    std::multimap<fs::file_time_type, fs::path, std::greater<>> found;
    std::error_code failure;
    for (const fs::directory_entry &entry : fs::directory_iterator(m_folder, failure)) {
        const std::optional<std::int64_t> process = parseInteger(entry.path().stem().string());
        if (process && *process > 0 && entry.path().extension() == ".json" && !isRunning(*process))
            found.emplace(entry.last_write_time(failure), entry.path());
    }
    std::vector<fs::path> drafts;
    for (const auto &[changed, path] : found)
        drafts.push_back(path);
    return drafts;
}

void DraftKeeper::update()
{
    m_soon.stop();
    if (m_folder.empty())
        return;
    if (!m_document.isModified())
        return forget();
    Result<void> written = makeUserFolder(m_folder);
    if (written)
        written = writeDraft(file(), {m_document.config(), m_document.file()});
    if (!written && !std::exchange(m_failureReported, true))
        Q_EMIT failed(tr("Unsaved changes are not kept as a draft: %1").arg(problemText(written.error())));
}

void DraftKeeper::forget()
{
    m_soon.stop();
    std::error_code failure;
    if (!m_folder.empty())
        fs::remove(file(), failure);
}

} // namespace slipway::ui
