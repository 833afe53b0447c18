//! The same as text for people.

use std::fmt::Write;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use crate::printable::printable;

use super::{C3Info, CoverageInfo, EntryInfo, GplInfo, SknInfo, SubmeshInfo};

impl C3Info {
    /// Sections, submeshes, entries and coverage, as tables.
    pub fn text(&self) -> String {
        let mut out = format!(
            "{}   {}\n",
            printable(&self.model),
            if self.kind == "block" { "model block" } else { "loose files" }
        );
        if !self.sections.is_empty() {
            let mut table = table(&["section", "offset", "length"]);
            for section in &self.sections {
                table.add_row([
                    section.name.to_owned(),
                    hex(section.offset),
                    format!("{:#x}", section.length),
                ]);
            }
            push(&mut out, table, 1);
        }
        if let Some(gpl) = &self.gpl {
            gpl.text(&mut out);
        }
        if let Some(skn) = &self.skn {
            skn.text(&mut out);
        }
        if let Some(coverage) = &self.coverage {
            coverage.text(&mut out);
        }
        for problem in &self.problems {
            let _ = writeln!(out, "\nunreadable: {}", printable(problem));
        }
        out
    }
}

impl GplInfo {
    fn text(&self, out: &mut String) {
        let count = self.submeshes.len();
        let _ = writeln!(
            out,
            "\nGPL version {} ({:#010x}), {count} submesh{}",
            self.version,
            self.version,
            if count == 1 { "" } else { "es" }
        );
        let mut table = table(&[
            "submesh",
            "name",
            "positions",
            "type",
            "colours",
            "textures",
            "normals",
            "states",
            "triangles",
        ]);
        for submesh in &self.submeshes {
            table.add_row(submesh.row());
        }
        push(out, table, 2);
    }
}

impl SubmeshInfo {
    fn row(&self) -> [String; 9] {
        let skinned = if self.skinned { " (skinned)" } else { "" };
        [
            format!("{}{skinned}", self.index),
            self.name.as_deref().map(printable).unwrap_or_default().into_owned(),
            self.positions.to_string(),
            format!("{} x {}", self.components, number_type(self.quantize)),
            self.colours.to_string(),
            self.texture_channels.to_string(),
            self.normals.to_string(),
            self.states.to_string(),
            self.triangles.to_string(),
        ]
    }
}

/// `s16.8`: number type and fraction bits of a quantize byte.
fn number_type(quantize: u8) -> String {
    let fraction = quantize & 0xF;
    match quantize >> 4 {
        0 => format!("u8.{fraction}"),
        1 => format!("s8.{fraction}"),
        2 => format!("u16.{fraction}"),
        3 => format!("s16.{fraction}"),
        4 => "f32".to_owned(),
        other => format!("type {other}?"),
    }
}

impl SknInfo {
    fn text(&self, out: &mut String) {
        let _ = writeln!(out, "\nSKN shift {}, mirror at {:#x}", self.shift, self.mirror);
        let end = u64::from(self.clear_start) + u64::from(self.clear_size);
        match self.clear_size {
            0 => out.push_str("  clears nothing"),
            size => {
                let _ = write!(out, "  clears {size:#x} bytes, {:#x}..{end:#x}", self.clear_start);
            }
        }
        let _ = writeln!(out, "; {} flush indices", self.flush_count);
        let mut table =
            table(&["entry", "bones", "vertices", "source", "destination", "offset", "slots", "stored"]);
        for entry in &self.entries {
            table.add_row(entry.row());
        }
        if !self.entries.is_empty() {
            push(out, table, 2);
        }
    }
}

impl EntryInfo {
    fn row(&self) -> [String; 8] {
        let bones: Vec<_> = self.bones.iter().map(ToString::to_string).collect();
        let slots = match (self.first_slot, self.last_slot) {
            (Some(first), Some(last)) => format!("{first}..{last}"),
            _ => "none".to_owned(),
        };
        [
            self.entry.clone(),
            bones.join(" "),
            self.vertices.to_string(),
            hex(self.source),
            hex(self.destination),
            self.vertex_offset.to_string(),
            slots,
            if self.stored == 0 { String::new() } else { format!("{:#x}", self.stored) },
        ]
    }
}

impl CoverageInfo {
    fn text(&self, out: &mut String) {
        let _ = writeln!(out, "\nPosition slots: {} stored, {} drawn", self.stored, self.drawn);
        let _ = writeln!(
            out,
            "  written by SK1 {}, SK2 {}, SKAcc {} ({} by SKAcc alone); {} behind the array",
            self.sk1, self.sk2, self.skacc, self.accumulation_only, self.behind_array
        );
        let _ = writeln!(out, "  {} stored slots are written by no list", self.unwritten);
    }
}

fn hex(value: u32) -> String {
    format!("{value:#x}")
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header.iter().copied());
    table
}

/// Adds a table, numbers right-aligned behind the first `names` columns.
fn push(out: &mut String, mut table: Table, names: usize) {
    for column in table.column_iter_mut().skip(names) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for line in table.to_string().lines() {
        let _ = writeln!(out, " {}", line.trim_end());
    }
}
