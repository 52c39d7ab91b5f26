// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "state/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "data/checksum.h"
#include "data/input_file.h"

namespace slipway {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json; // for JSON that is written

constexpr Bytes kLengthBytes = 8, kDataAlignment = 64;

// A tensor takes about ten values; no model has a million tensors.
constexpr JsonLimits kHeaderLimits{
    .bytes = kLargestSafetensorsHeader, .depth = 8, .values = 8'000'000, .keys = 1'000'000};

bool isSize(const Json &value)
{
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{1} << 62U;
}

// The largest possible header in a file with `bytes` bytes after the length field.
std::uint64_t headerRoom(std::uint64_t bytes)
{
    return std::min(static_cast<std::uint64_t>(kLargestSafetensorsHeader), bytes);
}

// The size of the tensor in bytes; empty if it overflows or a dimension is invalid.
std::optional<Bytes> readShape(const Json &shape, TensorEntry &tensor)
{
    if (!shape.is_array())
        return std::nullopt;
    Bytes bytes = sizeOf(tensor.type);
    for (const Json &dimension : shape) {
        if (!isSize(dimension))
            return std::nullopt;
        tensor.shape.push_back(dimension.get<std::int64_t>());
        if (__builtin_mul_overflow(bytes, tensor.shape.back(), &bytes))
            return std::nullopt;
    }
    return bytes;
}

Result<TensorEntry> readTensor(const std::string &name, const Json &json, const std::string &where)
{
    const auto complain = [&](const std::string &what, const std::string &accepted = {}) {
        return damagedFile(where, "tensor " + name + " " + what, accepted);
    };
    if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") || !json.contains("data_offsets"))
        return complain("is not described", "dtype, shape and data_offsets");
    const Json &type = json.at("dtype");
    const auto known = type.is_string() ? enumFromName<TensorType>(type.get_ref<const std::string &>()) : std::nullopt;
    if (!known)
        return complain("has an unknown dtype", enumChoices<TensorType>());
    TensorEntry tensor{.name = name, .type = *known, .shape = {}, .begin = 0, .end = 0};
    const std::optional<Bytes> bytes = readShape(json.at("shape"), tensor);
    if (!bytes)
        return complain("has an invalid shape");
    const Json &offsets = json.at("data_offsets");
    if (!offsets.is_array() || offsets.size() != 2 || !isSize(offsets[0]) || !isSize(offsets[1]))
        return complain("has no offsets");
    tensor.begin = offsets[0].get<Bytes>();
    tensor.end = offsets[1].get<Bytes>();
    if (tensor.end < tensor.begin || tensor.end - tensor.begin != *bytes)
        return complain("has offsets that do not fit its shape", std::to_string(*bytes) + " bytes");
    return tensor;
}

Result<void> readMetadata(const Json &json, SafetensorsHeader &header, const std::string &where)
{
    if (!json.is_object())
        return damagedFile(where, "__metadata__ is not an object");
    for (const auto &[key, value] : json.items()) {
        if (!value.is_string())
            return damagedFile(where, "__metadata__ of " + key + " is not a text");
        header.metadata[key] = value.get<std::string>();
    }
    return {};
}

// Checks that there are neither gaps nor overlaps: each tensor begins where the previous one ends, and the last one
// ends with the file.
Result<void> checkLayout(const SafetensorsHeader &header, Bytes dataBytes, const std::string &where)
{
    Bytes expected = 0;
    for (const TensorEntry &tensor : header.tensors) {
        if (tensor.begin != expected)
            return damagedFile(where,
                "tensor " + tensor.name + " begins at byte " + std::to_string(tensor.begin) + " of the data",
                std::to_string(expected));
        expected = tensor.end;
    }
    if (expected != dataBytes)
        return damagedFile(where, "has " + std::to_string(dataBytes) + " bytes of data, but its header describes " +
                                      std::to_string(expected));
    return {};
}

} // namespace

Bytes sizeOf(TensorType type)
{
    switch (type) {
    case TensorType::F64:
    case TensorType::I64:
        return 8;
    case TensorType::F32:
    case TensorType::I32:
        return 4;
    case TensorType::F16:
    case TensorType::BF16:
    case TensorType::I16:
        return 2;
    case TensorType::I8:
    case TensorType::U8:
    case TensorType::Bool:
        return 1;
    }
    return 0;
}

Result<SafetensorsHeader> parseSafetensors(
    std::span<const std::byte> beginning, Bytes fileBytes, const std::string &where)
{
    std::uint64_t length = 0;
    const auto room = static_cast<std::uint64_t>(fileBytes) - sizeof length;
    if (beginning.size() < sizeof length)
        return damagedFile(where, "has " + std::to_string(fileBytes) + " bytes, too few for a safetensors file");
    std::memcpy(&length, beginning.data(), sizeof length);
    if (length > headerRoom(room) || length > beginning.size() - sizeof length)
        return damagedFile(where,
            "is truncated or not a safetensors file: its header would have " + std::to_string(length) + " bytes",
            "at most " + std::to_string(headerRoom(room)));
    const auto *const text = reinterpret_cast<const char *>(beginning.data() + sizeof length);
    const Result<Json> parsed =
        length > 0 && *text == '{' ? parseJson({text, length}, kHeaderLimits) : Result<Json>(Error{.what = "is none"});
    if (!parsed || !parsed->is_object())
        return damagedFile(
            where, "has a header that is not a JSON object" + (parsed ? "" : ": it " + parsed.error().what));
    const Json &json = *parsed;

    SafetensorsHeader header{.tensors = {}, .metadata = {}, .dataStart = static_cast<Bytes>(sizeof length + length)};
    for (const auto &[name, value] : json.items()) {
        if (name == "__metadata__") {
            if (const Result<void> read = readMetadata(value, header, where); !read)
                return read.error();
            continue;
        }
        Result<TensorEntry> tensor = readTensor(name, value, where);
        if (!tensor)
            return tensor.error();
        header.tensors.push_back(std::move(*tensor));
    }
    std::stable_sort(header.tensors.begin(), header.tensors.end(), [](const TensorEntry &a, const TensorEntry &b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    if (const Result<void> layout = checkLayout(header, fileBytes - header.dataStart, where); !layout)
        return layout.error();
    return header;
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path &path)
{
    Result<InputFile> file = InputFile::open(path);
    if (!file)
        return file.error();
    std::vector<std::byte> beginning(static_cast<std::size_t>(std::min<Bytes>(file->size(), kLengthBytes)));
    Result<void> read = file->read(0, beginning);
    std::uint64_t length = 0;
    if (read && std::ssize(beginning) == kLengthBytes) {
        std::memcpy(&length, beginning.data(), sizeof length);
        const std::uint64_t room = headerRoom(static_cast<std::uint64_t>(file->size() - kLengthBytes));
        beginning.resize(sizeof length + std::min(length, room));
        read = file->read(kLengthBytes, std::span(beginning).subspan(sizeof length));
    }
    if (!read)
        return read.error();
    Result<SafetensorsHeader> header = parseSafetensors(beginning, file->size(), path.string());
    if (!header)
        return header.error();
    return SafetensorsFile(std::move(*file), std::move(*header));
}

SafetensorsFile::SafetensorsFile(InputFile file, SafetensorsHeader header)
    : m_file(std::move(file)),
      m_header(std::move(header))
{
    for (std::size_t i = 0; i < m_header.tensors.size(); ++i)
        m_places.emplace(m_header.tensors[i].name, i);
}

const TensorEntry *SafetensorsFile::find(std::string_view name) const
{
    const auto found = m_places.find(name);
    return found == m_places.end() ? nullptr : &m_header.tensors[found->second];
}

Result<void> SafetensorsFile::read(const TensorEntry &tensor, Bytes from, std::span<std::byte> out) const
{
    return m_file.read(m_header.dataStart + tensor.begin + from, out);
}

Result<std::string> SafetensorsFile::checksum(const TensorEntry &tensor) const
{
    return checksumOf(m_file, m_header.dataStart + tensor.begin, tensor.end - tensor.begin);
}

Result<void> writeSafetensors(const std::filesystem::path &path, std::span<const TensorToWrite> tensors,
    const std::map<std::string, std::string> &metadata, FileAccess access)
{
    OrderedJson json = OrderedJson::object();
    if (!metadata.empty())
        json["__metadata__"] = metadata;
    Bytes offset = 0;
    for (const TensorToWrite &tensor : tensors) {
        const Bytes end = offset + static_cast<Bytes>(tensor.data.size());
        json[tensor.name] = {
            {"dtype", enumName(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string header = json.dump();
    header.resize(static_cast<std::size_t>(roundUp(static_cast<Bytes>(header.size()) + 8, kDataAlignment) - 8), ' ');
    const std::uint64_t length = header.size();

    Result<OutputFile> file = OutputFile::create(path, access);
    if (!file)
        return file.error();
    Result<void> written = file->append(std::as_bytes(std::span(&length, 1)));
    if (written)
        written = file->append(std::as_bytes(std::span(header)));
    for (const TensorToWrite &tensor : tensors) {
        if (written)
            written = file->append(tensor.data);
    }
    return written ? file->commit() : written;
}

} // namespace slipway
