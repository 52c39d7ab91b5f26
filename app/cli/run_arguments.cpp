// SPDX-FileCopyrightText: 2026 Slipway developers
// SPDX-License-Identifier: GPL-3.0-only
//
// Defines the flags of the commands that launch, follow, list, compare, report and export runs.
#include "cli/command_line.h"

#include "cli/setting_flags.h"

namespace slipway::cli {

void CommandLine::addLaunch()
{
    CLI::App *const sub = add("launch", "Launch a run and follow it until it ends",
        "slipway launch my-run.yaml --detach\n  slipway launch my-run.yaml --on node7 --dry-run\n  slipway launch "
        "my-run.yaml --on slurm: --sbatch=--partition=gpu\n  slipway launch my-run.yaml --probe\n  slipway launch "
        "my-run.yaml --on node1,node2 --gpus 16 --gpus-per-node 8\n  slipway launch --framework hf-trainer -- python3 "
        "train.py",
        [this] { return launch(m_launch); });
    sub->add_option("FILE", m_launch.source.file,
           "Configuration file (YAML); flags override it; may be left out before -- COMMAND")
        ->type_name("");
    sub->add_option("--on", m_launch.host,
           "Host: local, an ssh alias, node1,node2 for one run on several machines, slurm: or slurm:ALIAS; append "
           ":/FOLDER to keep runs and data there")
        ->type_name("HOST");
    sub->add_option("--sbatch", m_launch.sbatch, "Option for sbatch, such as --sbatch=--partition=gpu; repeatable")
        ->type_name("OPTION")
        ->take_all()
        ->expected(1);
    sub->add_option("--run-dir", m_launch.runDirectory, "Run directory; default: a new one in your data folder")
        ->type_name("DIR");
    sub->add_option("--grid", m_launch.grid,
           "Launch every point of this grid (YAML file that lists values per setting) as one Slurm job array")
        ->type_name("GRID");
    sub->add_flag("--keep-checkpoints-here", m_launch.keepCheckpoints,
        "Copy new checkpoints to this machine while `slipway watch` or the desktop program follows the run");
    sub->add_option("--then-on", m_launch.thenOn,
           "Hosts that continue the run, in this order, if its host is lost; the run resumes from the latest "
           "checkpoint that was copied to this machine")
        ->type_name("HOST,...")
        ->delimiter(',');
    sub->add_option("--checkpoints-in", m_launch.checkpointsIn,
           "Folder into which the command writes its checkpoints, relative to workdir")
        ->type_name("FOLDER");
    sub->add_flag("--probe", m_launch.probe,
        "Launch a short run instead of FILE or COMMAND, and calibrate the prediction of its speed with the result; "
        "arguments of COMMAND are changed by its framework's profile, and shown");
    sub->add_flag("--detach", m_launch.detach, "Return as soon as the run has started");
    sub->add_flag("--dry-run", m_launch.dryRun, "Show what would be launched, without launching it");
    sub->add_flag("--force", m_launch.force, "Launch even if the plan does not fit the host's GPUs");
    sub->add_flag("--json", m_launch.json, "With --detach or --dry-run: print the result as one JSON document");
    addSettingFlags(*sub, m_launch.source, true);
}

void CommandLine::addAttach()
{
    CLI::App *const sub = add("attach", "Follow the log of a training run that was started without Slipway",
        "slipway attach train.log --framework nanogpt\n  slipway attach train.log --framework hf-trainer my-plan.yaml "
        "--detach\n  slipway attach node7:/data/train.log\n  slipway attach slurm:login:4242 --framework torchtitan",
        [this] { return attach(m_attach); });
    sub->add_option("LOG", m_attach.log,
           "Log file or its folder, HOST:/PATH on an ssh host, slurm:JOB or slurm:ALIAS:JOB; Slipway writes nothing "
           "there")
        ->type_name("")
        ->required();
    sub->add_option(
           "FILE,--config", m_attach.source.file, "Configuration file (YAML) of the logged run; flags override it")
        ->type_name("FILE");
    sub->add_flag("--detach", m_attach.detach, "Return at once");
    sub->add_flag("--json", m_attach.json, "With --detach: print the result as one JSON document");
    addSettingFlags(*sub, m_attach.source, true);
}

void CommandLine::addRuns()
{
    CLI::App *const list = add("runs", "List runs with state, step, loss and speed",
        "slipway runs\n  slipway runs baseline --state running,succeeded --sort loss --csv runs.csv",
        [this] { return runs(m_runs); });
    list->add_option(
            "WORDS", m_runs.words, "Only runs whose name, tags, notes, model, GPU or state contain these words")
        ->type_name("");
    list->add_option("--state", m_runs.states, "Only runs in these states")->type_name("STATE,STATE")->delimiter(',');
    list->add_option("--tag", m_runs.tags, "Only runs with all of these tags")->type_name("TAG,TAG")->delimiter(',');
    list->add_option("--sort", m_runs.sortBy, "Sort by changed, name, loss, speed or cost")->type_name("KEY");
    list->add_option("--csv", m_runs.csv, "Write the list as a CSV table")->type_name("FILE");
    list->add_flag("--rebuild", m_runs.rebuild, "Rebuild the list from all run directories");
    list->add_flag("--json", m_runs.json, "Print the result as one JSON document");
    addRunTools();
    const auto addRun = [this](const char *name, const char *what, const char *example,
                            int (*command)(const RunOptions &)) {
        CLI::App *const sub = add(name, what, example, [this, command] { return command(m_run); });
        sub->add_option("RUN", m_run.run, "Name or directory of a run")->type_name("")->required();
        return sub;
    };
    addRun("watch", "Follow a run until it ends", "slipway watch my-run", watch);
    CLI::App *const end = addRun("stop",
        "Stop a run within 10 s, with a checkpoint if time allows; SIGTERM after 5.5 s, SIGKILL 2 s later",
        "slipway stop my-run --wait 10m", stop);
    CLI::Option *const now =
        end->add_flag("--now", m_run.now, "Do not wait for a checkpoint: send SIGTERM at once, and SIGKILL 4 s later");
    end->add_option(
           "--wait", m_run.wait, "Wait up to TIME for the current step and its checkpoint, so that no step is lost")
        ->type_name("TIME")
        ->excludes(now);
    CLI::App *const fetch = addRun("fetch", "Copy the files of a run on another host to this machine",
        "slipway fetch my-run --checkpoint", fetchRun);
    fetch->add_flag("--checkpoint", m_run.checkpoint, "Copy the latest checkpoint instead of metrics and logs");
    CLI::App *const again = addRun(
        "resume", "Resume a run from its latest checkpoint and follow it", "slipway resume my-run --detach", resume);
    again->add_flag("--detach", m_run.detach, "Return as soon as the run has started");
}

void CommandLine::addRunTools()
{
    CLI::App *const tags = add("label", "Set the tags and notes of a run",
        "slipway label my-run --tag baseline --notes 'the first that converged'", [this] {
            if (m_notes->count() > 0)
                m_label.notes = m_noteText;
            return label(m_label);
        });
    tags->add_option("RUN", m_label.run, "Name or directory of a run")->type_name("")->required();
    tags->add_option("--tag", m_label.add, "Tags to add")->type_name("TAG,TAG")->delimiter(',');
    tags->add_option("--untag", m_label.remove, "Tags to remove")->type_name("TAG,TAG")->delimiter(',');
    m_notes = tags->add_option("--notes", m_noteText, "Notes; an empty text removes them")->type_name("TEXT");
    tags->add_flag("--json", m_label.json, "Print the result as one JSON document");

    CLI::App *const side =
        add("compare", "Compare runs: different settings, metrics, and predicted versus measured values",
            "slipway compare run-a run-b run-c --baseline run-a", [this] { return compare(m_compare); });
    side->add_option("RUN", m_compare.runs, "Names or directories of 2 to 20 runs")->type_name("")->required();
    side->add_option("--baseline", m_compare.baseline, "Run to compare the others with; default: the first")
        ->type_name("RUN");
    side->add_flag("--json", m_compare.json, "Print the result as one JSON document");
    side->add_option("--csv", m_compare.csv, "Write differing settings and figures as CSV")->type_name("FILE");
    side->add_option("--html", m_compare.html, "Write the comparison as a single HTML file")->type_name("FILE");
    side->add_option("--pdf", m_compare.pdf, "Write the comparison as PDF")->type_name("FILE");

    CLI::App *const theirs = add("import", "Import metrics exported from W&B or TensorBoard as a run, for comparison",
        "slipway import wandb_export.csv --name theirs", [this] { return importExports(m_import); });
    theirs->add_option("FILE", m_import.files, "CSV or JSON files of one run")->type_name("")->required();
    theirs->add_option("--name", m_import.name, "Name of the run; default: the name of the first file")
        ->type_name("NAME");
    theirs->add_flag("--json", m_import.json, "Print the result as one JSON document");
}

void CommandLine::addReport()
{
    CLI::App *const sub = add("report", "Report on a run or a planned configuration as text, PDF, HTML or CSV",
        "slipway report my-run\n  slipway report my-run --pdf report.pdf --csv report.csv\n  slipway report my-run "
        "--html report.html",
        [this] { return report(m_report); });
    sub->add_option("SUBJECT", m_report.subject, "Name or directory of a run, or a configuration file")
        ->type_name("")
        ->required();
    sub->add_option("--pdf", m_report.pdf, "Write a PDF report")->type_name("FILE");
    sub->add_option("--paper", m_report.paper, "Paper size of the PDF: a4 (default) or letter")->type_name("SIZE");
    sub->add_option("--html", m_report.html, "Write an HTML report as a single self-contained file")->type_name("FILE");
    sub->add_option("--csv", m_report.csv, "Write a CSV table")->type_name("FILE");
}

void CommandLine::addExport()
{
    CLI::App *const sub = add("export", "Write files that launch a run without the slipway command",
        "slipway export my-run.yaml --to slurm --out job\n  slipway export my-run --to tensorboard",
        [this] { return exportFiles(m_export); });
    sub->add_option("FILE", m_export.source.file, "Configuration file (YAML); flags override it")
        ->type_name("")
        ->required();
    sub->add_option(
           "--to", m_export.target, "slurm, skypilot, torchrun or kubernetes; tensorboard with a run instead of FILE")
        ->type_name("KIND")
        ->required();
    sub->add_option("--out", m_export.folder, "Folder to create; default: named after the run")->type_name("DIR");
    addSettingFlags(*sub, m_export.source, true);
}

} // namespace slipway::cli
