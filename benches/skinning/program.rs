//! The program itself, from start to exit: a folder of models checked, one shown.

use std::cell::LazyCell;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use criterion::Criterion;
use tempfile::TempDir;

use super::measure::{Task, in_turns, time};
use super::synthetic;

const MODELS: u32 = 361;

/// Checks as many large models as a game has, and shows one.
pub fn program(criterion: &mut Criterion) {
    let folder = LazyCell::new(models);
    let model = || folder.path().join(file_name(0));
    let (mut kibibytes, mut info_kibibytes) = (0, 0);
    let mut tasks = [
        Task::timed(format!("check {MODELS} models"), 1, || run("check", folder.path(), &mut kibibytes)),
        Task::timed("info of one", 1, || run("info", &model(), &mut info_kibibytes)),
    ];
    let mut measured = true;
    for task in &mut tasks {
        measured &= in_turns(criterion, "program", std::slice::from_mut(task));
    }
    let lines = tasks.each_ref().map(|task| format!("{:<40}{:>12.1}", task.name, task.seconds() * 1e3));
    drop(tasks);
    if measured {
        println!("\n{:<40}{:>12}{:>12}", "the program", "ms", "MiB");
        for (line, kibibytes) in lines.iter().zip([kibibytes, info_kibibytes]) {
            println!("{line}{:>12.1}", f64::from(kibibytes) / 1024.0);
        }
        println!();
    }
}

/// A folder of models.
fn models() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..MODELS {
        std::fs::write(folder.path().join(file_name(number)), synthetic::block(number))
            .expect("room for the models");
    }
    folder
}

fn file_name(number: u32) -> String {
    format!("{number:03}.block")
}

/// How long a run takes; `most` becomes the most memory that one held, as Linux tells it while it runs.
fn run(command: &str, path: &Path, most: &mut u32) -> Duration {
    time(|| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_skinsim"))
            .arg(command)
            .arg(path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let status = format!("/proc/{}/status", program.id());
        while program.try_wait().expect("the program can be waited for").is_none() {
            *most = (*most).max(peak(&status));
            std::thread::sleep(Duration::from_micros(200));
        }
    })
}

/// The peak of a process's resident memory in KiB; 0 where it cannot be told.
fn peak(status: &str) -> u32 {
    let status = std::fs::read_to_string(status).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|size| size.parse().ok()).unwrap_or(0)
}
