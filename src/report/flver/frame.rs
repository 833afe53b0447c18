//! What a frame made of a FLVER, as text for people.

use std::fmt::Write;

use comfy_table::{Table, presets};

use crate::flver::format::BoundingBox;
use crate::flver::runtime::outcome::{BindingOutcome, MeshOutcome, Outcome};
use crate::printable::printable;
use crate::report::words::plural;

/// A frame: how open questions were answered, each mesh and what moved it, the box.
pub fn outcome(outcome: &Outcome) -> String {
    let mut out = format!(
        "{}: FLVER {}, {}, {}, {}\n",
        printable(&outcome.model),
        outcome.version,
        plural(outcome.nodes.len(), "node"),
        meshes(outcome.meshes.len()),
        plural(outcome.dummies.len(), "dummy point")
    );
    let choices = &outcome.choices;
    let _ = writeln!(
        out,
        "scale {}, rigid bone {} (palette {}), streams {}, dummies follow {}{}",
        word(&choices.scale),
        word(&choices.rigid),
        word(&choices.rigid_palette),
        word(&choices.stream_order),
        word(&choices.dummy_follow),
        if choices.short_weights_used {
            format!(", weights of type 0x16 {}", word(&choices.short_weights))
        } else {
            String::new()
        }
    );
    if !outcome.meshes.is_empty() {
        let mut table = table(&["mesh", "vertices", "triangles", "palette", "moved by", "streams"]);
        for mesh in &outcome.meshes {
            table.add_row([
                printable(&mesh.name).into_owned(),
                mesh.vertex_count.to_string(),
                mesh.triangles.len().to_string(),
                palette(&mesh.palette),
                mesh.unreadable.as_ref().map_or_else(|| moved_by(&mesh.binding), |_| "unreadable".to_owned()),
                streams(mesh),
            ]);
        }
        out.push_str(&table.trim_fmt());
        out.push('\n');
    }
    let _ = writeln!(out, "bounds  stored {}", bounds(&outcome.bounds.stored));
    match (&outcome.bounds.posed, outcome.bounds.relative_difference) {
        (Some(posed), Some(difference)) => {
            let _ = writeln!(out, "        posed  {}, {difference:.2e} apart", bounds(posed));
        }
        (Some(posed), None) => {
            let _ = writeln!(out, "        posed  {} of the meshes that could be decoded", bounds(posed));
        }
        _ => out.push_str("        posed  no vertices\n"),
    }
    out
}

/// A table in the house's style: no frame, a head, columns apart.
pub(super) fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(head.to_vec());
    table
}

pub(super) fn meshes(count: usize) -> String {
    format!("{count} {}", if count == 1 { "mesh" } else { "meshes" })
}

/// A box in one line.
pub fn bounds(bounds: &BoundingBox) -> String {
    if *bounds == BoundingBox::SENTINEL {
        return "none (inverted sentinel)".to_owned();
    }
    format!("{:?} to {:?}", bounds.min, bounds.max)
}

/// The first entries of a palette, so that the mapping can be checked by eye.
fn palette(palette: &[i32]) -> String {
    const SHOWN: usize = 6;
    if palette.is_empty() {
        return "none: nodes".to_owned();
    }
    let shown: Vec<String> = palette.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = palette.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" +{more}") } else { String::new() };
    format!("[{}{rest}]", shown.join(" "))
}

fn moved_by(binding: &BindingOutcome) -> String {
    match binding {
        BindingOutcome::Skinned => "weights".to_owned(),
        BindingOutcome::Unmoved => "nothing: no bone indices".to_owned(),
        BindingOutcome::Rigid(counts) => {
            let rules = [
                (counts.by_bone_index, "bone index"),
                (counts.by_normal_w, "normal W"),
                (counts.by_normal_w_through_palette, "normal W by palette"),
                (counts.by_node_index, "NodeIndex"),
                (counts.as_stored, "nothing: as stored"),
            ];
            let used: Vec<String> = rules
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, name)| format!("{name} ({count})"))
                .collect();
            used.join(", ")
        }
    }
}

fn streams(mesh: &MeshOutcome) -> String {
    match (mesh.streams.count, mesh.streams.identical) {
        (0 | 1, _) => mesh.streams.count.to_string(),
        (count, true) => format!("{count}, alike"),
        (count, false) => format!("{count}, differ"),
    }
}

/// An option's name as it is typed.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(error) => error.to_string(),
    }
}
