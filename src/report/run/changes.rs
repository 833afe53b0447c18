//! The frames of a run that differ from the one before.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::c3::history::{FrameChange, History};

/// A frame that differs from the one before.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangeReport {
    /// Its number, from 0; the first one is compared with what was loaded.
    pub frame: u32,
    /// Slots of the position array that hold other values.
    pub slots: u32,
    /// The largest difference of a component, in stored units.
    pub largest: u16,
    /// BLAKE3 of the position array after it.
    pub digest: String,
    /// Entries whose transfers or ranges differ from the frame before.
    pub entries: Vec<String>,
    /// Its faults.
    pub faults: u64,
}

/// Lines that the text shows; the JSON has all.
const SHOWN: usize = 32;

/// The changes of a run of several frames.
pub(super) fn changes(history: &History, frames: u32) -> Vec<ChangeReport> {
    if frames < 2 { Vec::new() } else { history.changes.iter().map(ChangeReport::new).collect() }
}

impl ChangeReport {
    fn new(change: &FrameChange) -> Self {
        Self {
            frame: change.frame,
            slots: change.slots,
            largest: change.largest,
            digest: change.digest.to_hex().to_string(),
            entries: change.entries.iter().map(ToString::to_string).collect(),
            faults: change.faults,
        }
    }

    fn line(&self, out: &mut String) {
        let plural = if self.slots == 1 { "" } else { "s" };
        let _ = write!(out, "frame {:<4} {} slot{plural} moved", self.frame, self.slots);
        if self.largest > 0 {
            let _ = write!(out, ", by {} at most", self.largest);
        }
        // The first frame's entries are the table's.
        if self.frame > 0 && !self.entries.is_empty() {
            let _ = write!(out, "; other transfers: {}", self.entries.join(", "));
        }
        if self.faults > 0 {
            let _ = write!(out, "; {} faults", self.faults);
        }
        out.push('\n');
    }
}

/// A line a frame that differs from the one before.
pub(super) fn text(changes: &[ChangeReport], frames: u32) -> String {
    let mut out = String::new();
    if changes.is_empty() {
        return out;
    }
    for change in changes.iter().take(SHOWN) {
        change.line(&mut out);
    }
    if changes.len() > SHOWN {
        let _ = writeln!(out, "           and {} more; --json has them all", changes.len() - SHOWN);
    } else if changes.len() < frames as usize {
        out.push_str("           the others are like the frame before\n");
    }
    out
}
