//! Ctrl-C: files that are being written leave nothing of themselves, and a batch ends after the models that
//! are being worked on.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Batches that are going on: they end by themselves.
static BATCHES: AtomicUsize = AtomicUsize::new(0);

/// Files that are not whole yet.
static PARTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Exit status of a command that Ctrl-C ended, as shells have it: 128 and the signal's number.
const KILLED: i32 = 130;

/// Whether Ctrl-C was pressed.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

fn parts() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends at once, but for a batch, which the first Ctrl-C only asks to end.
fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let handler = || {
            let again = INTERRUPTED.swap(true, Ordering::SeqCst);
            if again || BATCHES.load(Ordering::SeqCst) == 0 {
                // The lock is kept, so that no other file is begun.
                let parts = parts();
                parts.iter().for_each(|part| drop(std::fs::remove_file(part)));
                std::process::exit(KILLED);
            }
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            tracing::warn!(%error, "Ctrl-C ends the program at once");
        }
    });
}

/// A batch that is going on.
#[derive(Debug)]
pub struct Batch;

impl Batch {
    /// From here on Ctrl-C ends the program after the models that are being worked on.
    pub fn begin() -> Self {
        BATCHES.fetch_add(1, Ordering::SeqCst);
        watch();
        Self
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        BATCHES.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A file under another name until it is whole. Dropped, nothing of it stays under that name.
#[derive(Debug)]
pub struct Part {
    /// Where it is written: beside its place, under a name that no other part has.
    pub path: PathBuf,
}

impl Part {
    /// The part of the file `name`, which will be `whole`.
    pub fn new(whole: &Path, name: &OsStr) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        watch();
        let mut part = OsString::from(".");
        part.push(name);
        let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::SeqCst));
        part.push(format!(".{process}.{number}.part"));
        let path = whole.with_file_name(part);
        parts().insert(path.clone());
        Self { path }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        parts().remove(&self.path);
        // One that was moved to its place is no longer there.
        let _ = std::fs::remove_file(&self.path);
    }
}
