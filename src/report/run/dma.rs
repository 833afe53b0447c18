//! What deferred DMA showed: accesses to the locked cache before a transfer that nobody had waited for.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::hex;
use crate::c3::runtime::journal::{Journal, LocatedAccess};
use crate::gekko::locked_cache::Direction;

/// Accesses that the text tells; the rest is counted.
const TOLD: usize = 8;

/// The last frame under `--dma deferred`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DmaReport {
    /// The first access that came too early, of every transfer that one came before.
    pub early: Vec<EarlyReport>,
    /// Transfers still queued when the frame's code returned; they happen before anything is drawn.
    pub left_queued: usize,
}

/// An access to the locked cache before a transfer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EarlyReport {
    /// `SK1[3]`, or null outside the lists.
    pub entry: Option<String>,
    /// Vertex of the entry, while a kernel runs.
    pub vertex: Option<u32>,
    /// `read` or `write`.
    pub access: &'static str,
    /// Effective address of the access.
    pub address: String,
    /// Function and offset.
    pub at: String,
    /// Address of the instruction; null where the game's is not known.
    pub pc: Option<String>,
    /// `load` or `store`: which way the transfer goes that had not happened.
    pub transfer: &'static str,
    /// Its physical memory address.
    pub memory: String,
    /// Its address in the locked cache.
    pub cache: String,
    /// Its lines.
    pub lines: u32,
    /// Whether the library itself has no wait there: the transfer is then taken to have happened, as on the
    /// hardware it usually has. Elsewhere the access met the old bytes.
    pub library_has_no_wait: bool,
}

impl DmaReport {
    /// Draws up the report of a frame.
    pub fn new(journal: &Journal) -> Self {
        Self { early: journal.early.iter().map(EarlyReport::new).collect(), left_queued: journal.left_queued }
    }

    /// A line an access.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let (listed, early): (Vec<_>, Vec<_>) =
            self.early.iter().partition(|early| early.library_has_no_wait);
        let mut entries: Vec<&str> = listed.iter().filter_map(|early| early.entry.as_deref()).collect();
        entries.dedup();
        if let Some(first) = entries.first() {
            let more = match entries.len() {
                1 => String::new(),
                number => format!(" and {} more", number - 1),
            };
            let _ = writeln!(
                out,
                "note       no wait before {first}{more}: the library has none there either; the hardware is \
                 usually done by then"
            );
        }
        for early in early.iter().take(TOLD) {
            let _ = writeln!(
                out,
                "too early  {} {}s {} at {} before the {} of {} lines at {} has happened",
                early.entry.as_deref().unwrap_or("code outside the entries"),
                early.access,
                early.address,
                early.at,
                early.transfer,
                early.lines,
                early.cache,
            );
        }
        if let Some(more) = early.len().checked_sub(TOLD).filter(|&more| more > 0) {
            let _ = writeln!(out, "too early  {more} more");
        }
        out
    }
}

impl EarlyReport {
    fn new(located: &LocatedAccess) -> Self {
        let access = &located.access;
        Self {
            entry: located.entry.map(|entry| entry.to_string()),
            vertex: access.marker,
            access: if access.write { "write" } else { "read" },
            address: hex(access.address),
            at: access.site.to_string(),
            pc: access.site.pc.map(hex),
            transfer: match access.transfer.direction {
                Direction::Load => "load",
                Direction::Store => "store",
            },
            memory: hex(access.transfer.memory),
            cache: hex(access.transfer.cache),
            lines: access.transfer.lines,
            library_has_no_wait: access.listed,
        }
    }
}
