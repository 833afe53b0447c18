//! A run as text for people.

use std::fmt::Write;

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Table};

use super::fault::FaultReport;
use super::{RunReport, WriteReport};
use crate::finding::Severity;
use crate::printable::printable;

/// The name of the program that is ours.
const OUR_KERNELS: &str = "our own kernels";
/// Functions of which it is known what their addresses mean.
const LIBRARY: [&str; 3] = ["one-bone", "two-bone", "accumulate"];

impl RunReport {
    /// A table of entries, then what was overwritten, then the first fault. `check` is the command that tells the
    /// findings.
    pub fn text(&self, check: &str) -> String {
        let mut out = format!(
            "{}   {} frame{} on {} ({})\n\n",
            printable(&self.model),
            self.frames,
            if self.frames == 1 { "" } else { "s" },
            if self.target == "dolphin" { "Dolphin" } else { "the console" },
            if self.console == "wii" { "Wii" } else { "GameCube" },
        );
        if !self.writes.is_empty() {
            for line in self.table().to_string().lines() {
                let _ = writeln!(out, " {}", line.trim_end());
            }
            out.push('\n');
        }
        if let Some(cleared) = &self.cleared {
            let _ = writeln!(out, "cleared    {}..{}", cleared.start, cleared.end);
        }
        if let Some(face) = &self.face {
            out += &face.text();
        }
        if let Some(dma) = &self.dma {
            out += &dma.text();
        }
        self.overwrites(&mut out);
        for damage in &self.damage {
            let _ = writeln!(out, "drawing    {}", printable(damage));
        }
        out += &super::changes::text(&self.changes, self.frames);
        match &self.digest {
            None if self.pose == "memory dump" => {
                out.push_str("positions  not known: --positions-at ADDRESS:COUNT names them\n");
            }
            Some(digest) => {
                let _ = writeln!(out, "positions  at {}, BLAKE3 {}", self.positions, &digest[..16]);
            }
            None => out.push_str("positions  none: no layout has component count 6, so results go astray\n"),
        }
        if let Some(program) = &self.program {
            out.push_str(&program.text());
        }
        self.rules(check, &mut out);
        self.first_fault(&mut out);
        out
    }

    /// How many findings there are, and which command tells them.
    fn rules(&self, check: &str, out: &mut String) {
        let count = |severity| self.findings.iter().filter(|finding| finding.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        if errors + warnings > 0 {
            let _ = writeln!(out, "rules      errors: {errors}, warnings: {warnings}; `{check}` tells them");
        }
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(NOTHING).set_header([
            "entry",
            "bones",
            "vertices",
            "own vertices",
            "stored",
            "lines",
        ]);
        for write in &self.writes {
            table.add_row(row(write));
        }
        for column in [2, 5] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    fn overwrites(&self, out: &mut String) {
        for write in self.writes.iter().filter(|write| !write.overwrites.is_empty()) {
            let _ = writeln!(out, "overwrites {} ran over: {}", write.entry, write.overwrites.join(", "));
        }
        for write in &self.writes {
            if let Some(cut) = write.cut_short {
                let _ = writeln!(
                    out,
                    "transfer   {} asked to store {} lines, {} moved",
                    write.entry, cut.asked, cut.moved
                );
            }
        }
    }

    fn first_fault(&self, out: &mut String) {
        let Some(fault) = self.faults.first() else {
            out.push_str("no fault\n");
            return;
        };
        let told = fault.console.as_ref().unwrap_or(&fault.message);
        let _ = writeln!(out, "\nfirst fault of {}\n  {told}", self.fault_count);
        let other = fault.messages.values().find(|message| !message.starts_with(fault.message.as_str()));
        if let Some(other) = other.filter(|_| self.target == "dolphin") {
            let _ = writeln!(out, "  (other builds: {})", other.lines().next().unwrap_or_default());
        }
        let place = fault.entry.as_deref().unwrap_or("outside the entries");
        let _ = write!(out, "  {place}, stage {}, frame {}", fault.stage, fault.frame);
        if let Some(vertex) = fault.vertex {
            let _ = write!(out, ", at vertex {vertex}");
        }
        let pc = fault.pc.as_deref().unwrap_or("PC not known");
        let named = if fault.at == pc { String::new() } else { format!(" ({pc})") };
        let _ = writeln!(out, "\n  code {}{named}", printable(&fault.at));
        let _ = writeln!(out, "  {}", self.meaning());
    }

    /// What is known of a fault in a user's program: nothing of where its pointers come from.
    fn meaning_of_program(&self, fault: &FaultReport) -> Option<&'static str> {
        let program = self.program.as_ref().filter(|program| program.name != OUR_KERNELS)?;
        let last = program.stop.as_ref().and_then(|stop| stop.last.last()?.text.as_deref());
        let off = |register: &str| last.is_some_and(|text| text.contains(register));
        match fault.access {
            "budget" => Some(
                "The program came to no end within its budget: a loop without end, or --budget is too small.",
            ),
            "read" | "write" if fault.stage != "draw" && (off("(r13)") || off("(r2)")) => Some(
                "The address is formed from the small data's base: is it right? --reg r13=VALUE and --reg \
                 r2=VALUE set it.",
            ),
            "read" | "write" if fault.stage != "draw" && !LIBRARY.contains(&function(&fault.at)) => {
                Some("The program accessed an address where it has no memory.")
            }
            _ => None,
        }
    }

    /// What the first fault means, in a sentence.
    fn meaning(&self) -> &'static str {
        let Some(fault) = self.faults.first() else { return "" };
        let kernel = ["one-bone", "two-bone", "accumulate"].iter().any(|name| fault.at.starts_with(name));
        if let Some(meaning) = self.meaning_of_program(fault) {
            return meaning;
        }
        match fault.access {
            "read" if fault.stage == "draw" => {
                "A stored line ran over a display state: the display code follows the pointer in it."
            }
            "budget" => "The loop would go on for billions of turns: the game hangs.",
            "program" => "The processor cannot go on: what the program did before is told above.",
            "machine-check" if fault.message.contains("overflow") => {
                "The console raises a machine check: more than 15 transfers were asked for without a wait."
            }
            "machine-check" => "The console raises a machine check: the transfer met no locked line.",
            "dma" => "The transfer's memory address is outside of memory: nothing was moved.",
            "read" | "write" if kernel && fault.address.starts_with("0xe") => {
                "The kernel ran past the end of the locked cache: its vertex counter wrapped, or its count \
                 is far too large."
            }
            "read" if fault.at.starts_with("frame") || fault.at.starts_with("reorder") => {
                "The bone has no record or no skin matrix: its number is out of range."
            }
            _ => "The address comes from a pointer that does not lie in memory.",
        }
    }
}

/// The function of a place such as `one-bone+0xb8`.
fn function(at: &str) -> &str {
    at.split_once('+').map_or(at, |(function, _)| function)
}

fn row(write: &WriteReport) -> Vec<Cell> {
    let range = |range: &Option<super::AddressRange>| {
        range.as_ref().map_or_else(|| "-".to_owned(), |range| format!("{}..{}", range.start, range.end))
    };
    let bones: Vec<String> = write.bones.iter().map(ToString::to_string).collect();
    vec![
        Cell::new(&write.entry),
        Cell::new(bones.join(" ")),
        Cell::new(write.vertices),
        Cell::new(range(&write.own)),
        Cell::new(range(&write.stored)),
        Cell::new(write.lines()),
    ]
}

impl WriteReport {
    /// Cache lines that the stored range touches.
    fn lines(&self) -> String {
        let parse = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or(0);
        match &self.stored {
            Some(range) => {
                let (start, end) = (parse(&range.start) / 32, parse(&range.end).div_ceil(32));
                end.saturating_sub(start).to_string()
            }
            None => "-".to_owned(),
        }
    }
}
