//! What differs between two Character Pipeline models: sections, entries, weights, bytes.

use std::collections::BTreeMap;
use std::ops::Range;

use super::coverage::{accumulated_slot, slots};
use super::format::block::SectionKind;
use super::format::gpl::structures;
use super::format::skn::{EntryId, List, STRIDE, Skn};
use super::mesh::Topology;
use super::model::Model;
use super::outcome::Outcome;
use super::rules::subject::Subject;
use super::rules::weights::contributions;
use crate::difference::{
    ByteChange, Change, ChangeKind, Ownership, Part, WeightChange, byte_changes, weight_changes,
};

/// Entries of one model that are compared, and slots that they may name, all together: every entry is put
/// beside every other, and lists of a file may share bytes.
const MOST_ENTRIES: usize = 1024;
const MOST_SLOTS: usize = 1 << 18;

/// What comes out of a model, part by part: the skinned submesh, then the rigid ones.
pub fn parts(outcome: &Outcome) -> Vec<Part> {
    let topology = Topology::of(outcome.model);
    let mesh = topology.mesh(outcome);
    let part =
        |name: String, vertices: Range<usize>| Part { name, positions: mesh.positions[vertices].to_vec() };
    let skinned = std::iter::once(part("skin".to_owned(), topology.skinned_vertices()));
    let rigid =
        topology.rigid_vertices().map(|(submesh, vertices)| part(format!("submesh {submesh}"), vertices));
    skinned.chain(rigid).collect()
}

/// Sections, headers and entries that changed.
pub fn structure(before: &Model, after: &Model) -> Vec<Change> {
    let mut changes = sections(before, after);
    changes.extend(geometry(before, after));
    if let (Some(old), Some(new)) = (&before.skn, &after.skn) {
        changes.extend(header(old, new));
        changes.extend(super::entry_difference::entries(&entries(old), &entries(new)));
        changes.extend(Change::value("entries", old.entries().count(), new.entries().count()));
        if old.entries().count().max(new.entries().count()) > MOST_ENTRIES {
            let what = format!("only the first {MOST_ENTRIES} were compared");
            changes.push(Change::new(ChangeKind::Changed, "entries", "entries", what));
        }
    }
    changes
}

fn sections(before: &Model, after: &Model) -> Vec<Change> {
    let place = |model: &Model, kind| {
        let section = model.block.as_ref().and_then(|block| block.section(kind));
        section.map_or_else(
            || "none".to_owned(),
            |section| format!("{:#x}..{:#x}", section.range().start, section.range().end),
        )
    };
    let kinds = [SectionKind::Gpl, SectionKind::Act, SectionKind::Tex, SectionKind::Skn, SectionKind::Facial];
    let changed = kinds.into_iter().filter_map(|kind| {
        Change::value(&format!("{} section", kind.name()), place(before, kind), place(after, kind))
    });
    changed.collect()
}

fn geometry(before: &Model, after: &Model) -> Vec<Change> {
    let submeshes = |model: &Model| model.gpl.as_ref().map_or(0, |gpl| gpl.submeshes.len());
    let positions = |model: &Model| match model.skinned_positions() {
        Some((offset, count)) => format!("{count} at {offset:#x}"),
        None => "none".to_owned(),
    };
    let bits = |model: &Model| {
        let array = model.gpl.as_ref().and_then(|gpl| gpl.skinned()).map(|(_, _, array)| array.quantize.0);
        array.map_or_else(|| "none".to_owned(), |quantize| format!("{quantize:#04x}"))
    };
    [
        Change::value("submeshes", submeshes(before), submeshes(after)),
        Change::value("skinned positions", positions(before), positions(after)),
        Change::value("quantization of skinned positions", bits(before), bits(after)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn header(before: &Skn, after: &Skn) -> Vec<Change> {
    let (a, b) = (&before.header, &after.header);
    let clear = |start: u32, size: u32| format!("{start:#x}, {size:#x} bytes");
    [
        Change::value("shift", a.shift, b.shift),
        Change::value("clear range", clear(a.clear_start, a.clear_size), clear(b.clear_start, b.clear_size)),
        Change::value("flush indices", a.flush_count, b.flush_count),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// An entry as far as a comparison needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Which.
    pub id: EntryId,
    /// The bones whose matrices move it.
    pub bones: Vec<u16>,
    /// The slots it names, ascending.
    pub slots: Vec<u32>,
    /// Where its vertices and weights come from, and how they lie.
    pub layout: String,
}

fn entries(skn: &Skn) -> Vec<Entry> {
    let mut room = MOST_SLOTS;
    skn.entries()
        .take(MOST_ENTRIES)
        .filter_map(|id| {
            let entry = entry(skn, id, room)?;
            room = room.saturating_sub(entry.slots.len());
            Some(entry)
        })
        .collect()
}

fn entry(skn: &Skn, id: EntryId, room: usize) -> Option<Entry> {
    let index = id.index as usize;
    let direct = |destination, offset, count| {
        slots(destination, offset, count).take(room).filter_map(|slot| u32::try_from(slot).ok()).collect()
    };
    Some(match id.list {
        List::Sk1 => {
            let entry = skn.sk1.get(index)?;
            Entry {
                id,
                bones: vec![entry.bone],
                slots: direct(entry.destination, entry.vertex_offset, entry.count),
                layout: format!("source {:#x}, vertex offset {}", entry.source, entry.vertex_offset),
            }
        }
        List::Sk2 => {
            let entry = skn.sk2.get(index)?;
            let (source, weights) = (entry.source, entry.weights);
            Entry {
                id,
                bones: entry.bones.to_vec(),
                slots: direct(entry.destination, entry.vertex_offset, entry.count),
                layout: format!(
                    "source {source:#x}, weights {weights:#x}, vertex offset {}",
                    entry.vertex_offset
                ),
            }
        }
        List::SkAcc => {
            let entry = skn.skacc.get(index)?;
            let slot = |index| u32::try_from(accumulated_slot(entry.destination, index)?).ok();
            let mut slots: Vec<u32> = skn.indices(entry).take(room).filter_map(slot).collect();
            slots.sort_unstable();
            let layout = format!(
                "source {:#x}, indices {:#x}, weights {:#x}, base {:#x}",
                entry.source, entry.indices, entry.weights, entry.destination
            );
            Entry { id, bones: vec![entry.bone], slots, layout }
        }
    })
}

/// Slots that other weights move.
pub fn weights(before: &Model, after: &Model) -> Vec<WeightChange> {
    weight_changes("skin", &influences(before), &influences(after))
}

fn influences(model: &Model) -> BTreeMap<u32, Vec<(u32, f32)>> {
    let mut rows: BTreeMap<u32, Vec<(u32, f32)>> = BTreeMap::new();
    for part in contributions(&Subject::new(model)) {
        if let Ok(slot) = u32::try_from(part.slot) {
            rows.entry(slot).or_default().push((part.bone.into(), f32::from(part.weight) / 256.0));
        }
    }
    rows
}

/// Bytes that differ, section by section, each by its offset in its own section: a section that only
/// moved has none.
pub fn bytes(before: &Model, after: &Model) -> Vec<ByteChange> {
    let mut changes = Vec::new();
    if let (Some(old), Some(new)) = (&before.gpl, &after.gpl) {
        let mut owners: Vec<(Range<u64>, String)> = structures(new)
            .into_iter()
            .map(|structure| (structure.range.clone(), structure.name()))
            .collect();
        for (_, name) in &mut owners {
            name.insert_str(0, "GPL ");
        }
        let (old, new) = (old.view(), new.view());
        changes.extend(byte_changes(old.bytes(), new.bytes(), &Ownership::new(owners), new.base(), "GPL"));
    }
    if let (Some(old), Some(new)) = (before.act, after.act) {
        changes.extend(byte_changes(old.bytes(), new.bytes(), &Ownership::default(), new.base(), "ACT"));
    }
    if let (Some(old), Some(new)) = (&before.tex, &after.tex) {
        let (old, new) = (old.view(), new.view());
        changes.extend(byte_changes(old.bytes(), new.bytes(), &Ownership::default(), new.base(), "TEX"));
    }
    if let (Some(old), Some(new)) = (&before.skn, &after.skn) {
        let owners = Ownership::new(skn_owners(new));
        let (old, new) = (old.view(), new.view());
        changes.extend(byte_changes(old.bytes(), new.bytes(), &owners, new.base(), "SKN"));
    }
    if let (Some(old), Some(new)) = (before.facial, after.facial) {
        changes.extend(byte_changes(
            old.bytes(),
            new.bytes(),
            &Ownership::default(),
            new.base(),
            "facial poses",
        ));
    }
    changes
}

fn skn_owners(skn: &Skn) -> Vec<(Range<u64>, String)> {
    let mut owners = vec![(0..0x24, "SKN header".to_owned())];
    let run = |start: u32, size: u64| u64::from(start)..u64::from(start) + size;
    let name =
        |list: List, index: usize, what: &str| format!("{} {what}", EntryId { list, index: index as u32 });
    for (index, entry) in skn.sk1.iter().enumerate() {
        owners.push((entry.offset..entry.offset + 0x40, name(List::Sk1, index, "entry")));
        let size = u64::from(entry.count) * STRIDE + u64::from(entry.vertex_offset);
        owners.push((run(entry.source, size), name(List::Sk1, index, "source")));
    }
    for (index, entry) in skn.sk2.iter().enumerate() {
        owners.push((entry.offset..entry.offset + 0x74, name(List::Sk2, index, "entry")));
        let size = u64::from(entry.count) * STRIDE + u64::from(entry.vertex_offset);
        owners.push((run(entry.source, size), name(List::Sk2, index, "source")));
        owners.push((run(entry.weights, 2 * u64::from(entry.count)), name(List::Sk2, index, "weights")));
    }
    for (index, entry) in skn.skacc.iter().enumerate() {
        let count = u64::from(entry.count);
        owners.push((entry.offset..entry.offset + 0x44, name(List::SkAcc, index, "entry")));
        owners.push((run(entry.source, count * STRIDE), name(List::SkAcc, index, "source")));
        owners.push((run(entry.indices, 2 * count), name(List::SkAcc, index, "indices")));
        owners.push((run(entry.weights, count), name(List::SkAcc, index, "weights")));
    }
    owners.push((run(skn.header.flush, 2 * u64::from(skn.header.flush_count)), "flush indices".to_owned()));
    owners
}
