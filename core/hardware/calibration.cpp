// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include "hardware/calibration.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "base/file.h"
#include "base/user_folders.h"
#include "base/text.h"
#include "base/yaml_files.h"
#include "base/yaml_row.h"
#include "hardware/catalogue.h"
#include "hardware/user_folder.h"

namespace slipway {

namespace {

// A constant outside these limits is not a property of a device. It shows that the configuration differs.
constexpr double kLeastFactor = 0.01, kMostFactor = 100, kMostBytes = 1e13;
constexpr double kLeastSeconds = 1e-9, kMostSeconds = 1e6; // of a GEMM

std::string toYaml(const Calibration &calibration)
{
    std::string yaml =
        "# Constants fitted by slipway calibrate: factors on the catalogue's rates and times, and bytes.\n"
        "id: " +
        yamlScalar(calibration.id) + "\nas_of: " + yamlScalar(calibration.asOf) + "\ndevices:\n";
    for (const DeviceCalibration &device : calibration.devices) {
        yaml += "- gpu: " + yamlScalar(device.gpu) + "\n  framework: " + yamlScalar(device.framework) + "\n";
        for (const FittedConstant &fitted : device.constants) {
            const std::string name(enumName(fitted.constant));
            yaml += "  " + name + ": " + formatExact(fitted.value) + "\n  " + name +
                    "_error: " + formatExact(fitted.error) + "\n";
        }
        if (device.stepP90 > 0)
            yaml +=
                "  step_p10: " + formatExact(device.stepP10) + "\n  step_p90: " + formatExact(device.stepP90) + "\n";
        yaml += device.rows.empty() ? "  rows: []\n" : "  rows:\n";
        for (const std::string &row : device.rows)
            yaml += "  - " + yamlScalar(row) + "\n";
    }
    if (calibration.devices.empty())
        yaml += "  []\n";
    for (const GemmTable &table : calibration.gemms) {
        yaml += (&table == &calibration.gemms.front() ? "products:\n- gpu: " : "- gpu: ") + yamlScalar(table.gpu) +
                "\n  measured:\n";
        for (const MeasuredGemm &p : table.gemms)
            yaml += "  - {type: " + std::string(enumName(p.type)) + ", m: " + std::to_string(p.m) +
                    ", n: " + std::to_string(p.n) + ", k: " + std::to_string(p.k) +
                    ", batch: " + std::to_string(p.batch) + ", seconds: " + formatExact(p.seconds) + "}\n";
    }
    for (const SoftwareOfRuns &each : calibration.software)
        yaml += (&each == &calibration.software.front() ? "software:\n- gpu: " : "- gpu: ") + yamlScalar(each.gpu) +
                "\n  given: " + yamlScalar(each.given) + "\n  framework: " + yamlScalar(each.framework) + "\n" +
                (each.option.empty() ? "" : "  framework_option: " + yamlScalar(each.option) + "\n");
    return yaml;
}

void checkRange(YamlRow &row, int line, std::string_view key, double value, double least, double most)
{
    if (value < least || value > most)
        row.fail(line, "'" + std::string(key) + "' is " + formatExact(value),
            formatExact(least) + " to " + formatExact(most));
}

Result<DeviceCalibration> deviceOf(const YamlNode &node, const std::string &where)
{
    YamlRow row(node, where);
    DeviceCalibration device{.gpu = row.requiredText("gpu"), .framework = row.requiredText("framework")};
    for (std::size_t i = 0; i < EnumNames<Constant>::names.size(); ++i) {
        const auto constant = static_cast<Constant>(i);
        const std::string_view key = enumName(constant);
        const std::optional<double> value = row.number(key);
        const std::optional<double> error = row.number(std::string(key) + "_error");
        if (!value)
            continue;
        checkRange(row, node.line, key, *value, isBytes(constant) ? 0 : kLeastFactor,
            isBytes(constant) ? kMostBytes : kMostFactor);
        device.set(constant, *value, error.value_or(0));
    }
    device.stepP10 = row.number("step_p10").value_or(0);
    device.stepP90 = row.number("step_p90").value_or(0);
    if (device.stepP10 != 0 || device.stepP90 != 0) {
        checkRange(row, node.line, "step_p10", device.stepP10, kLeastFactor, 1);
        checkRange(row, node.line, "step_p90", device.stepP90, 1, kMostFactor);
    }
    device.rows = row.texts("rows");
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    return device;
}

Result<SoftwareOfRuns> softwareFrom(const YamlNode &node, const std::string &where)
{
    YamlRow row(node, where);
    SoftwareOfRuns software{.gpu = row.requiredText("gpu"),
        .given = row.requiredText("given"),
        .framework = row.requiredText("framework"),
        .option = row.text("framework_option")};
    const Result<void> finished = row.finish();
    return finished ? Result<SoftwareOfRuns>(std::move(software)) : Result<SoftwareOfRuns>(finished.error());
}

Result<MeasuredGemm> gemmOf(const YamlNode &node, const std::string &where)
{
    YamlRow row(node, where);
    MeasuredGemm gemm{.type = row.choice("type", GemmType::Half)};
    for (const auto &[key, field] : {std::pair{"m", &gemm.m}, {"n", &gemm.n}, {"k", &gemm.k}, {"batch", &gemm.batch}}) {
        *field = row.requiredInteger(key);
        checkRange(row, node.line, key, double(*field), 1, kLargestGemmSize);
    }
    gemm.seconds = row.requiredNumber("seconds");
    checkRange(row, node.line, "seconds", gemm.seconds, kLeastSeconds, kMostSeconds);
    const Result<void> finished = row.finish();
    return finished ? Result<MeasuredGemm>(gemm) : Result<MeasuredGemm>(finished.error());
}

Result<GemmTable> gemmsOf(const YamlNode &node, const std::string &where)
{
    YamlRow row(node, where);
    GemmTable table{.gpu = row.requiredText("gpu")};
    const YamlNode *const measured = row.child("measured");
    if (const Result<void> finished = row.finish(); !finished)
        return finished.error();
    if (!measured || measured->kind != YamlNode::Kind::Sequence)
        return Error{.what = "has no list of measured GEMMs",
            .where = where + ":" + std::to_string(node.line),
            .accepted = "a file written by slipway calibrate"};
    for (const YamlNode &each : measured->items) {
        const Result<MeasuredGemm> gemm = gemmOf(each, where);
        if (!gemm)
            return gemm.error();
        table.gemms.push_back(*gemm);
    }
    return table;
}

} // namespace

std::optional<double> DeviceCalibration::find(Constant constant) const
{
    const auto found = std::find_if(constants.begin(), constants.end(),
        [constant](const FittedConstant &fitted) { return fitted.constant == constant; });
    return found == constants.end() ? std::nullopt : std::optional(found->value);
}

bool DeviceCalibration::fitsSpeed() const
{
    return !gemms.empty() || std::any_of(constants.begin(), constants.end(),
                                 [](const FittedConstant &fitted) { return !isOfMemory(fitted.constant); });
}

bool DeviceCalibration::fitsMemory() const
{
    return std::any_of(
        constants.begin(), constants.end(), [](const FittedConstant &fitted) { return isOfMemory(fitted.constant); });
}

void DeviceCalibration::set(Constant constant, double value, double error)
{
    const auto found = std::find_if(constants.begin(), constants.end(),
        [constant](const FittedConstant &fitted) { return fitted.constant == constant; });
    if (found == constants.end())
        constants.push_back({constant, value, error});
    else
        *found = {constant, value, error};
}

DeviceCalibration Calibration::of(std::string_view gpu, std::string_view framework) const
{
    const auto found = std::find_if(devices.begin(), devices.end(),
        [&](const DeviceCalibration &device) { return device.gpu == gpu && device.framework == framework; });
    DeviceCalibration device = found == devices.end()
                                   ? DeviceCalibration{.gpu = std::string(gpu), .framework = std::string(framework)}
                                   : *found;
    if (const auto table = std::find_if(gemms.begin(), gemms.end(), [&](const GemmTable &t) { return t.gpu == gpu; });
        table != gemms.end())
        device.gemms = table->gemms;
    return device;
}

const SoftwareOfRuns *Calibration::softwareOf(std::string_view gpu, std::string_view given) const
{
    const auto found = std::find_if(software.begin(), software.end(),
        [&](const SoftwareOfRuns &each) { return each.gpu == gpu && each.given == given; });
    return found == software.end() ? nullptr : &*found;
}

std::filesystem::path userCalibrationFolder() { return userDataPath("calibrations"); }

Result<std::filesystem::path> writeCalibration(const std::filesystem::path &folder, const Calibration &calibration)
{
    Result<std::filesystem::path> file = yamlFileFor(folder, calibration.id);
    if (!file)
        return file;
    if (const Result<void> made = makeUserFolder(folder); !made)
        return made.error();
    if (const Result<void> written = writeNamedFile(*file, toYaml(calibration)); !written)
        return written.error();
    return file;
}

Result<Calibration> readCalibration(const std::filesystem::path &file)
{
    const Result<YamlNode> tree = readYaml(file, {.bytes = 16 * kMiB});
    if (!tree)
        return tree.error();
    YamlRow top(*tree, file.string());
    Calibration calibration{.id = top.requiredText("id"), .asOf = top.requiredText("as_of")};
    const YamlNode *const devices = top.child("devices"), *const gemms = top.child("products"),
                          *const software = top.child("software");
    if (const Result<void> finished = top.finish(); !finished)
        return finished.error();
    if (!devices || devices->kind != YamlNode::Kind::Sequence)
        return Error{.what = "has no list of devices",
            .where = file.string(),
            .accepted = "a file written by slipway calibrate"};
    for (const YamlNode &node : devices->items) {
        Result<DeviceCalibration> device = deviceOf(node, file.string());
        if (!device)
            return device.error();
        calibration.devices.push_back(*std::move(device));
    }
    for (const auto &[key, list] : {std::pair{"products", gemms}, {"software", software}}) {
        if (list && list->kind != YamlNode::Kind::Sequence)
            return Error{.what = "'" + std::string(key) + "' is not a list",
                .where = file.string(),
                .accepted = "a file written by slipway calibrate"};
    }
    for (const YamlNode &node : gemms ? gemms->items : std::vector<YamlNode>()) {
        Result<GemmTable> table = gemmsOf(node, file.string());
        if (!table)
            return table.error();
        calibration.gemms.push_back(*std::move(table));
    }
    for (const YamlNode &node : software ? software->items : std::vector<YamlNode>()) {
        Result<SoftwareOfRuns> each = softwareFrom(node, file.string());
        if (!each)
            return each.error();
        calibration.software.push_back(*std::move(each));
    }
    return calibration;
}

Result<void> addCalibrations(Catalogue &catalogue, const std::filesystem::path &folder)
{
    for (const std::filesystem::path &file : yamlFiles(folder)) {
        Result<Calibration> calibration = readCalibration(file);
        if (!calibration)
            return calibration.error();
        catalogue.calibrations.push_back(*std::move(calibration));
    }
    return {};
}

} // namespace slipway
