// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/control_group.h"
#include "base/file.h"
#include "base/text.h"
#include "comm/link_test.h"
#include "comm/nccl_group.h"
#include "command.h"
#include "exec/cuda_devices.h"
#include "exec/gpu_copies.h"
#include "exec/nvml.h"
#include "hardware/catalogue.h"
#include "ranks.h"

namespace slipway::train_app {

namespace {

using Json = nlohmann::ordered_json;

struct DevicesArguments {
    bool json = false, link = false;
    int processes = 0, threads = 0;
    int mebibytes = 64;
};

// Returns the names of entries that begin with `start` in a folder of the kernel.
std::vector<std::string> entriesOf(const char *folder, std::string_view start)
{
    std::vector<std::string> names;
    std::error_code ignored;
    for (std::filesystem::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
        entry.increment(ignored)) {
        if (entry->path().filename().string().starts_with(start))
            names.push_back(entry->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

// Lists the interfaces to other machines, with their speed if the kernel knows it.
Json networks()
{
    Json list = Json::array();
    for (const std::string &name : entriesOf("/sys/class/net", "")) {
        const std::string folder = "/sys/class/net/" + name + "/";
        const Result<std::string> state = readFile(folder + "operstate"), speed = readFile(folder + "speed");
        if (name == "lo" || !state || trimmed(*state) != "up")
            continue;
        const std::optional<std::int64_t> mbps = speed ? parseInteger(trimmed(*speed)) : std::nullopt;
        list.push_back({{"name", name}, {"mbit_per_s", mbps && *mbps > 0 ? Json(*mbps) : Json(nullptr)}});
    }
    return list;
}

Json machine()
{
    return {{"cores", usableThreads()},
        {"numa_nodes", std::max<std::size_t>(1, entriesOf("/sys/devices/system/node", "node").size())},
        {"infiniband", entriesOf("/sys/class/infiniband", "")}, {"networks", networks()}};
}

Result<Json> devices()
{
    const Result<std::vector<CudaDevice>> gpus = cudaDevices();
    const Result<Catalogue> catalogue = loadCatalogue();
    if (!catalogue)
        return catalogue.error();
    const Result<Gpu> processor = catalogue->gpu("cpu");
    if (!processor)
        return processor.error();
    Json list = Json::array();
    for (std::size_t i = 0; gpus && i < gpus->size(); ++i) {
        const CudaDevice &gpu = (*gpus)[i];
        Json precisions{"bf16-mixed", "fp32"};
        if (hasFp8Gemms(gpu.major, gpu.minor))
            precisions.push_back("fp8-mixed");
        list.push_back({{"device", "cuda:" + std::to_string(i)}, {"name", gpu.name}, {"memory_bytes", gpu.memory},
            {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)}, {"precisions", std::move(precisions)}});
    }
    list.push_back({{"device", "cpu"}, {"name", processor->name}, {"memory_bytes", processor->memoryBytes},
        {"precisions", {"fp32"}}});
    return list;
}

// Returns the reason why this machine cannot train on GPUs with NCCL, or null if it can.
Json lackOfGpus()
{
    const Result<std::vector<CudaDevice>> gpus = cudaDevices();
    return gpus ? Json() : Json(gpus.error().what);
}
Json lackOfNccl() { return ncclMissing().empty() ? Json() : Json(ncclMissing()); }

// Measures copies between GPUs and between each GPU and the host.
Result<Json> gpuCopies()
{
    const Result<std::vector<CopyRate>> rates = measureCopies();
    const Result<std::vector<CudaDevice>> gpus = cudaDevices();
    if (!rates || !gpus)
        return rates ? gpus.error() : rates.error();
    const auto place = [](int gpu) { return gpu < 0 ? "host" : "cuda:" + std::to_string(gpu); };
    const std::unique_ptr<Nvml> driver = Nvml::open();
    Json list = Json::array();
    for (const CopyRate &rate : *rates) {
        const std::string kind = driver && rate.from >= 0 && rate.to >= 0
                                     ? driver->linkBetween((*gpus)[static_cast<std::size_t>(rate.from)].uuid,
                                           (*gpus)[static_cast<std::size_t>(rate.to)].uuid)
                                     : "PCIe";
        list.push_back({{"from", place(rate.from)}, {"to", place(rate.to)}, {"kind", kind}, {"direct", rate.direct},
            {"bytes_per_s", rate.bytesPerSecond}});
    }
    return list;
}

Json toJson(const std::vector<CollectiveReading> &readings)
{
    Json collectives = Json::array();
    for (const CollectiveReading &c : readings)
        collectives.push_back(
            {{"op", c.op}, {"bytes", c.bytes}, {"seconds", c.seconds}, {"bus_bytes_per_s", c.busBytesPerSecond}});
    return collectives;
}

Json toJson(const LinkReadings &readings, const Ranks &ranks)
{
    Json pairs = Json::array();
    for (const PairReading &p : readings.pairs)
        pairs.push_back({{"ranks", {p.first, p.second}}, {"latency_s", p.latency}, {"bytes_per_s", p.bytesPerSecond}});
    return {{"communicator", ranks.processes() ? "gloo" : "threads"}, {"ranks", ranks.count()},
        {"hosts", readings.hosts}, {"collectives", toJson(readings.collectives)}, {"pairs", pairs}};
}

void printDevices(const Json &all)
{
    for (const Json &device : all["devices"]) {
        std::string precisions;
        for (const Json &precision : device["precisions"])
            precisions += (precisions.empty() ? "" : ", ") + precision.get<std::string>();
        fmt::print("{}  {}  {}  {}\n", device["device"].get<std::string>(), device["name"].get<std::string>(),
            formatBytes(device["memory_bytes"].get<Bytes>()), precisions);
    }
    const Json &machine = all["machine"];
    for (const char *lack : {"no_gpu", "no_nccl"}) {
        if (!all[lack].is_null())
            fmt::print(
                "{}: {}\n", lack == std::string_view("no_gpu") ? "no GPU" : "no NCCL", all[lack].get<std::string>());
    }
    for (const Json &copy : all.value("copies", Json::array()))
        fmt::print("{} to {}  {}  {:.1f} GB/s\n", copy["from"].get<std::string>(), copy["to"].get<std::string>(),
            copy["kind"].get<std::string>(), copy["bytes_per_s"].get<double>() * 1e-9);
    fmt::print("{} cores, {} NUMA node{}\n", machine["cores"].dump(), machine["numa_nodes"].dump(),
        machine["numa_nodes"] == 1 ? "" : "s");
}

// Measures what the GPUs reach with NCCL if each rank has a GPU, and otherwise returns the reason why that is unknown.
Result<Json> deviceLinks(Ranks &ranks, const LinkTestOptions &options)
{
    if (const Result<void> joined = ranks.joinDevices(); !joined)
        return ranks.lost() ? Result<Json>(joined.error()) : Result<Json>(Json{{"lack", joined.error().what}});
    std::vector<CollectiveReading> readings;
    const Result<void> tested = ranks.run([&](Communicator &communicator) -> Result<void> {
        Result<std::vector<CollectiveReading>> own = testDeviceLinks(communicator, *makeDeviceMemory(), options);
        if (!own)
            return own.error();
        readings = std::move(*own);
        return {};
    });
    return tested ? Result<Json>(Json{{"communicator", "nccl"}, {"collectives", toJson(readings)}})
                  : Result<Json>(tested.error());
}

void printCollectives(const Json &collectives)
{
    for (const Json &c : collectives) {
        const Bytes bytes = c["bytes"].get<Bytes>();
        fmt::print("{:<15} {:>10} {:>12}{}\n", c["op"].get<std::string>(), formatBytes(bytes),
            formatSeconds(c["seconds"].get<double>()),
            bytes < kMiB ? "" : fmt::format(" {:>9.2f} GB/s bus bandwidth", c["bus_bytes_per_s"].get<double>() * 1e-9));
    }
}

void printDeviceLinks(const Json &device, int ranks)
{
    if (device.contains("lack"))
        return fmt::print("\nNCCL: not tested, {}\n", device["lack"].get<std::string>());
    fmt::print("\n{} GPUs over NCCL: all results are correct\n", ranks);
    printCollectives(device["collectives"]);
}

void printLinks(const LinkReadings &readings, const Ranks &ranks)
{
    fmt::print("\n{} ranks over {}: all results are correct\n", ranks.count(), ranks.processes() ? "gloo" : "threads");
    printCollectives(toJson(readings.collectives));
    for (const PairReading &p : readings.pairs)
        fmt::print("{} ({}) - {} ({}): {} one way, {:.2f} GB/s\n", p.first,
            readings.hosts[static_cast<std::size_t>(p.first)], p.second,
            readings.hosts[static_cast<std::size_t>(p.second)], formatSeconds(p.latency), p.bytesPerSecond * 1e-9);
}

// Returns the number of ranks: those that were started around this process, those requested, or as many as would train
// on this machine.
Result<int> linkRanks(const DevicesArguments &arguments)
{
    const Result<std::optional<int>> around = Ranks::around();
    if (!around)
        return around.error();
    const Result<std::vector<CudaDevice>> gpus = cudaDevices();
    const int usual = gpus ? static_cast<int>(gpus->size()) : std::clamp(usableThreads(), 2, kAllPairs);
    return around->value_or(arguments.processes > 0 ? arguments.processes
                            : arguments.threads > 0 ? arguments.threads
                                                    : std::max(2, usual));
}

Result<void> testAndPrint(const DevicesArguments &arguments, Ranks &ranks, Json &all)
{
    LinkReadings readings;
    const LinkTestOptions options{.largest = arguments.mebibytes * kMiB};
    const Result<void> tested = ranks.run([&](Communicator &communicator) -> Result<void> {
        Result<LinkReadings> own = testLinks(communicator, options);
        if (!own)
            return own.error();
        if (communicator.rank() == 0)
            readings = std::move(*own);
        return {};
    });
    if (!tested)
        return tested.error();
    const bool together =
        ranks.processes() && ncclMissing().empty(); // ranks without a GPU join too and tell the others so
    const Result<Json> devices = together ? deviceLinks(ranks, options) : Result<Json>(Json());
    if (!devices)
        return devices.error();
    if (!ranks.first())
        return {};
    all["link"] = toJson(readings, ranks);
    const bool onGpus = together && all["no_gpu"].is_null();
    if (onGpus)
        all["device_link"] = *devices;
    if (arguments.json) {
        fmt::print("{}\n", all.dump(2));
    } else {
        printDevices(all);
        printLinks(readings, ranks);
        if (onGpus)
            printDeviceLinks(*devices, ranks.count());
    }
    return {};
}

int runDevices(const DevicesArguments &arguments)
{
    const Result<Json> list = devices();
    if (!list)
        return report(list.error());
    Json all{{"version", 1}, {"devices", *list}, {"no_gpu", lackOfGpus()}, {"no_nccl", lackOfNccl()},
        {"machine", machine()}};
    if (arguments.link && all["no_gpu"].is_null()) {
        Result<Json> copies = gpuCopies();
        if (!copies)
            return report(copies.error());
        all["copies"] = std::move(*copies);
    }
    if (!arguments.link) {
        if (arguments.json)
            fmt::print("{}\n", all.dump(2));
        else
            printDevices(all);
        return 0;
    }
    const Result<std::optional<int>> around = Ranks::around();
    const Result<int> count = linkRanks(arguments);
    if (!around || !count)
        return report(around ? count.error() : around.error());
    if (arguments.processes > 1 && !*around)
        return runAsProcesses(arguments.processes);
    Result<Ranks> ranks = Ranks::meet(*count);
    if (!ranks)
        return report(ranks.error());
    const Result<void> done = ranks->part(testAndPrint(arguments, *ranks, all));
    return done ? 0 : report(done.error());
}

} // namespace

void addDevicesCommand(CLI::App &app, int &status)
{
    const auto arguments = std::make_shared<DevicesArguments>();
    CLI::App *const command =
        addCommand(app, "devices", "List the devices that can train on this machine, and test the links between ranks",
            "slipway-train devices --link -n 2");
    command->add_flag("--json", arguments->json, "Print the result as one JSON document");
    command->add_flag("--link", arguments->link,
        "Test the collectives between ranks: results, latency and bandwidth. Uses the ranks of torchrun or Slurm, "
        "otherwise local ones");
    CLI::Option *const processes =
        command->add_option("-n", arguments->processes, "Number of local ranks, one process each")
            ->check(CLI::Range(1, 1024));
    command->add_option("--threads", arguments->threads, "Number of local ranks, as threads")
        ->check(CLI::Range(1, 1024))
        ->excludes(processes);
    command->add_option("--mebibytes", arguments->mebibytes, "Size of the largest message in MiB")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    command->callback([arguments, &status] { status = runDevices(*arguments); });
}

} // namespace slipway::train_app
