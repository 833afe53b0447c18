//! Counts, sizes and transfers of SKN entries: what the kernels and the locked cache make of them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::accumulation::runs;
use super::arrays::{VariableArray, VariableKind, variable_arrays};
use super::codes;
use super::found::Found;
use super::outside;
use super::subject::{Direct, Subject, signed_hex, transfer_lines};
use crate::c3::coverage::accumulated_slot;
use crate::c3::format::skn::{EntryField, EntryId, List, STRIDE};
use crate::c3::runtime::journal::Writer;

/// Largest source of a known SK1 entry in bytes. \[seed 003\]
const SK1_VANILLA: u64 = 8180;
/// Largest source of a known SK2 entry in bytes. \[seed 003\]
const SK2_VANILLA: u64 = 4088;
/// Locked-cache bytes of an SK1 source.
const SK1_BUFFER: u64 = 0x2000;
/// Locked-cache bytes of an SK2 or `SKAcc` source.
const SMALL_BUFFER: u64 = 0x1000;

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    for entry in &subject.direct {
        counts(subject, entry, found);
        sizes(subject, entry, found);
        store_size(subject, entry, found);
        vertex_offset(subject, entry, found);
        destination_unaligned(subject, entry, found);
    }
    accumulation_counts(subject, found);
    transfers(subject, found);
    sorted(subject, found);
}

fn counts(subject: &Subject, entry: &Direct, found: &mut Vec<Found>) {
    let place = subject.entry_place(entry.id);
    let repair = "pad the entry to 3 vertices by repeating its first: `skinsim repair`";
    let text = match entry.count {
        0 => "no vertex; the loop counter starts at 2^32 - 1",
        1 => "1 vertex; the loop counter starts at 0 and runs 2^32 times",
        2 => {
            let text =
                "2 vertices; the library's debug build asserts more, and no known model has fewer than 3";
            found.push(Found::new(&codes::COUNT_BELOW_VANILLA, place, text, repair).harmless());
            return;
        }
        _ => return,
    };
    let finding = Found::new(&codes::COUNT_WRAPS, place, text, repair).entry(entry.id);
    found.push(finding.slots(entry.slots()).not_decisive());
}

fn accumulation_counts(subject: &Subject, found: &mut Vec<Found>) {
    let Some(skn) = subject.skn() else { return };
    for (entry, index) in skn.skacc.iter().zip(0..) {
        let id = EntryId { list: List::SkAcc, index };
        let place = subject.entry_place(id);
        if entry.count == 0 {
            let text = "no vertex; the loop counter starts at 0 and runs 2^32 times";
            let help = "remove the entry";
            let finding = Found::new(&codes::COUNT_WRAPS, place, text, help).entry(id);
            found.push(finding.not_decisive());
        } else if u64::from(entry.count) * STRIDE > SMALL_BUFFER {
            let bytes = u64::from(entry.count) * STRIDE;
            let text = format!(
                "{} vertices take {bytes:#x} bytes, the buffer {SMALL_BUFFER:#x}: the source runs over the \
                 entry's own indices",
                entry.count
            );
            let help = "split the entry: at most 341 vertices";
            let finding = Found::new(&codes::SOURCE_OVER_BUFFER, place, text, help).entry(id);
            found.push(past(subject, id, (SMALL_BUFFER / STRIDE) as u32, finding));
        }
    }
}

fn sizes(subject: &Subject, entry: &Direct, found: &mut Vec<Found>) {
    let (vanilla, buffer) = match entry.id.list {
        List::Sk1 => (SK1_VANILLA, SK1_BUFFER),
        _ => (SK2_VANILLA, SMALL_BUFFER),
    };
    let bytes = entry.bytes();
    let place = subject.entry_place(entry.id);
    let help = format!("split the entry at a vertex that begins a cache line: at most {vanilla} bytes");
    let odd = entry.id.index % 2 == 1;
    if bytes > buffer {
        let text = format!(
            "its source takes {bytes:#x} bytes, its buffer {buffer:#x}: the last {:#x} bytes lie {}",
            bytes - buffer,
            over_what(entry.id, bytes, buffer)
        );
        let finding = Found::new(&codes::SOURCE_OVER_BUFFER, place, text, help).entry(entry.id);
        // What does not arrive is the doing of the transfer's length: these vertices have no room wherever they
        // come from.
        let first = (buffer - u64::from(entry.vertex_offset)) / STRIDE;
        let finding = past(subject, entry.id, first as u32, finding);
        found.push(if odd { finding } else { over_others(subject, entry, finding) });
    } else if bytes > vanilla {
        let text = format!("its source takes {bytes} bytes; no known model goes over {vanilla}");
        let finding = Found::new(&codes::SOURCE_OVER_VANILLA_LIMIT, place, text, help);
        // The kernel reads the vertex behind the last: behind the upper buffer the locked cache ends.
        let leaves = odd && entry.id.list == List::Sk1;
        found.push(if leaves { finding.entry(entry.id) } else { finding.harmless() });
    }
}

/// What a source lies over that is longer than its buffer. Even entries have the lower buffers, and what follows
/// those of odd ones is nothing of the library's. \[listing\]
fn over_what(entry: EntryId, bytes: u64, buffer: u64) -> String {
    const OUTSIDE: &str = "past the end of the locked cache";
    let odd = entry.index % 2 == 1;
    let over: &[&str] = match (entry.list, odd) {
        (List::Sk1, true) => &[],
        (List::Sk1, false) => &["in the other entry's buffer"],
        (_, true) => &["in its own weights' buffer"],
        (_, false) => &["in its own weights' buffer", "in the other entry's buffers"],
    };
    let mut left = bytes - buffer;
    let mut parts = Vec::new();
    for (name, room) in over.iter().zip([buffer, 2 * buffer]) {
        let held = left.min(room);
        left -= held;
        if held != 0 {
            parts.push((*name, held));
        }
    }
    if left != 0 {
        parts.push((OUTSIDE, left));
    }
    match &parts[..] {
        [(name, _)] => (*name).to_owned(),
        parts => {
            let of = |(name, size): &(&str, u64)| format!("{name} ({size:#x})");
            parts.iter().map(of).collect::<Vec<_>>().join(" and ")
        }
    }
}

/// The same finding, answering for the slots of an entry's vertices from one on.
fn past(subject: &Subject, id: EntryId, vertex: u32, finding: Found) -> Found {
    if let Some(entry) = subject.direct_entry(id) {
        let slots = entry.slots();
        let first = entry.slot_of(vertex).map_or(slots.end, |slot| slot.clamp(slots.start, slots.end));
        return finding.slots(first..slots.end);
    }
    let Some((skn, entry)) = subject.skn().and_then(|skn| Some((skn, skn.skacc.get(id.index as usize)?)))
    else {
        return finding;
    };
    let indices = skn.indices(entry).skip(vertex as usize);
    let slots: BTreeSet<u64> =
        indices.filter_map(|index| accumulated_slot(entry.destination, index)).collect();
    runs(slots.into_iter()).into_iter().fold(finding, Found::slots)
}

/// The same finding, answering for the entries whose vertices lie where this one's, in an even buffer, reach: the
/// one before has not run when this one is loaded, the one behind is loaded when this one runs. Of two bones no
/// transfer leaves its buffer, but the kernel does.
fn over_others(subject: &Subject, entry: &Direct, finding: Found) -> Found {
    let Some(reach) = entry.bytes().checked_sub(SK1_BUFFER).filter(|&reach| reach > 0) else {
        return finding;
    };
    let before = entry.id.index.checked_sub(1).filter(|_| entry.id.list == List::Sk1);
    let others = [before, entry.id.index.checked_add(1)].into_iter().flatten();
    let others = others.filter_map(|index| subject.direct_entry(EntryId { index, ..entry.id }));
    others.fold(finding, |finding, other| {
        let last = u32::try_from(reach.div_ceil(32) * 32 / STRIDE + 1).unwrap_or(u32::MAX);
        let slots = other.slots();
        let end = other.slot_of(last).unwrap_or(slots.start).clamp(slots.start, slots.end);
        finding.entry(other.id).slots(slots.start..end)
    })
}

fn store_size(subject: &Subject, entry: &Direct, found: &mut Vec<Found>) {
    if entry.id.list == List::Sk1 && entry.bytes() > 0xFFFF {
        let text = format!(
            "its size, {:#x} bytes, is kept in 16 bits: {:#x} are left, and {} stored",
            entry.bytes(),
            entry.bytes() & 0xFFFF,
            match entry.stored_lines() {
                0 => "nothing is".to_owned(),
                1 => "1 line is".to_owned(),
                count => format!("{count} lines are"),
            }
        );
        let help = format!("split the entry: at most {SK1_VANILLA} bytes");
        let place = subject.entry_place(entry.id);
        let finding = Found::new(&codes::STORE_SIZE_WRAPS, place, text, help).entry(entry.id);
        let stored = (32 * entry.stored_lines()).saturating_sub(entry.vertex_offset.into());
        found.push(past(subject, entry.id, (stored / STRIDE) as u32, finding));
    }
}

fn vertex_offset(subject: &Subject, entry: &Direct, found: &mut Vec<Found>) {
    // Of what lies in none of the model's bytes no slot can be told.
    if u64::from(entry.vertex_offset) < STRIDE && outside::is_far(subject, entry) {
        return;
    }
    // Stores go to whole lines: the low bits of the destination do not move a vertex.
    let first = entry.vertices_around().start + i64::from(subject.lead);
    let into = if displaces(subject, entry) { 0 } else { first.rem_euclid(STRIDE as i64) };
    let text = if u64::from(entry.vertex_offset) >= STRIDE {
        format!("the vertex offset is {}, a vertex has {STRIDE} bytes", entry.vertex_offset)
    } else if into != 0 {
        let slot = first.div_euclid(STRIDE as i64);
        format!("its first vertex lands at {}, {into} bytes into slot {slot}", signed_hex(first))
    } else {
        return;
    };
    let help = "destination + vertex offset must be a multiple of 12, with an offset below 12";
    let place = subject.field_place(entry.id, EntryField::VertexOffset);
    let finding = Found::new(&codes::VERTEX_OFFSET, place, text, help).entry(entry.id);
    if into != 0 {
        found.push(finding.slots(entry.slots()));
        return;
    }
    // On a slot's boundary every vertex is where it belongs, and what the offset skips is stored before the first.
    let skipped = slots_between(&(entry.landing..entry.vertices_around().start));
    let bare = |slot: &u64| {
        let at = usize::try_from(*slot).unwrap_or(usize::MAX);
        let drawn = subject.coverage.used.get(at).is_some_and(|bit| *bit);
        drawn && !subject.coverage.is_direct(at) && !subject.is_cleared(*slot)
    };
    found.push(match skipped.filter(bare).count() {
        0 => finding,
        1 => finding.spoils("1 drawn slot gets bytes before the first vertex, which no bone moves"),
        count => finding
            .spoils(format!("{count} drawn slots get bytes before the first vertex, which no bone moves")),
    });
}

/// Whether a store puts vertices between slots only because it drops the low bits of its destination.
fn displaces(subject: &Subject, entry: &Direct) -> bool {
    let off = |start: i64| (start + i64::from(subject.lead)).rem_euclid(STRIDE as i64) != 0;
    let kept = i64::from(entry.into_line) - i64::from(subject.lead % 32);
    off(entry.vertices_around().start) && !off(entry.vertices_around().start + kept)
}

fn destination_unaligned(subject: &Subject, entry: &Direct, found: &mut Vec<Found>) {
    if entry.into_line == 0 {
        return;
    }
    let asked = entry.stored_lines() as u32;
    let moved = transfer_lines(asked, entry.into_line);
    let array = match subject.lead {
        0 => String::new(),
        lead => format!(", with the array {lead} bytes into one,"),
    };
    let text = format!(
        "its destination {:#x}{array} is {} bytes into a cache line: the low bits go into the length, and a transfer \
         of {} moves {moved}",
        entry.destination,
        entry.into_line,
        lines(asked)
    );
    let help = "begin every destination on a multiple of 32 bytes and use the vertex offset";
    let place = subject.field_place(entry.id, EntryField::Destination);
    let finding = Found::new(&codes::DMA_ADDRESS_UNALIGNED, place, text, help).entry(entry.id);
    // What later entries store over it again is theirs.
    let finding = finding.writer(Writer::Entry(entry.id)).stored_alone();
    let stored = entry.stored_around();
    let asked = stored.start.saturating_add_unsigned(32 * entry.stored_lines());
    let too_many = subject.structures_at(asked..stored.end);
    let finding = if entry.stored_lines() < 128 && !displaces(subject, entry) {
        // What is not stored of its own, and what is stored too much over others.
        let own = entry.vertices_around();
        let finding = finding.slots(slots_between(&(own.start.max(stored.end)..own.end)));
        finding.slots(slots_between(&(asked..stored.end)))
    } else {
        finding.slots(entry.slots())
    };
    found.push(too_many.into_iter().fold(finding, Found::structure));
}

/// The slots that have bytes in a range from the position array, none where it is empty.
fn slots_between(range: &Range<i64>) -> Range<u64> {
    let at = |offset: i64| offset.max(0).cast_unsigned();
    if range.is_empty() { 0..0 } else { at(range.start) / STRIDE..at(range.end).div_ceil(STRIDE) }
}

fn lines(count: u32) -> String {
    format!("{count} line{}", if count == 1 { "" } else { "s" })
}

/// Loads: how many lines each transfer asks for and really moves.
fn transfers(subject: &Subject, found: &mut Vec<Found>) {
    let base = subject.skn().map_or(0, |skn| skn.view().base());
    for array in variable_arrays(subject) {
        let (Some(entry), false) = (array.entry, array.range.is_empty()) else { continue };
        let asked = (array.range.end - array.range.start).div_ceil(32) as u32;
        let address = (base + array.range.start) as u32;
        if !address.is_multiple_of(32) {
            load_unaligned(subject, &array, entry, asked, address, found);
        }
        // SK1 sources are split into transfers of 128 lines; everything else is one transfer.
        let split = entry.list == List::Sk1 && array.kind == VariableKind::Source;
        if asked > 128 && !split {
            let text = format!(
                "its {} take {asked} lines, one transfer moves at most 128: {} arrive",
                array.kind.name(),
                transfer_lines(asked, 0)
            );
            let help = "split the entry: at most 4096 bytes of each array";
            let place = super::arrays::place(subject, &array);
            let finding = Found::new(&codes::DMA_LENGTH_WRAPS, place, text, help).entry(entry);
            let arrived = 32 * u64::from(transfer_lines(asked, 0));
            found.push(past(subject, entry, held(subject, &array, entry, arrived), finding));
        }
    }
}

/// How many vertices the first bytes of an array hold whole.
fn held(subject: &Subject, array: &VariableArray, entry: EntryId, bytes: u64) -> u32 {
    let offset = subject.direct_entry(entry).map_or(0, |entry| u64::from(entry.vertex_offset));
    (match array.kind {
        VariableKind::Source => bytes.saturating_sub(offset) / STRIDE,
        VariableKind::AccumulationSource => bytes / STRIDE,
        VariableKind::Weights | VariableKind::AccumulationIndices | VariableKind::Flush => bytes / 2,
        VariableKind::AccumulationWeights => bytes,
    }) as u32
}

fn load_unaligned(
    subject: &Subject,
    array: &VariableArray,
    entry: EntryId,
    asked: u32,
    address: u32,
    found: &mut Vec<Found>,
) {
    let moved = transfer_lines(asked, address);
    let text = format!(
        "its {} begin {} bytes into a cache line: they arrive displaced, and a transfer of {} moves {moved}",
        array.kind.name(),
        address % 32,
        lines(asked)
    );
    let help = "begin every array on a multiple of 32 bytes";
    let place = super::arrays::place(subject, array);
    let finding = Found::new(&codes::DMA_ADDRESS_UNALIGNED, place, text, help).entry(entry);
    let finding = finding.slots(super::entry_slots(subject, entry));
    // What is moved too much may land in the buffer of the entry before, which has not run yet.
    let spills = moved > asked
        && entry.index.is_multiple_of(2)
        && match array.kind {
            VariableKind::Source => entry.list == List::Sk1,
            kind => kind == VariableKind::AccumulationWeights && moved > 64,
        };
    let before = entry.index.checked_sub(1).filter(|_| spills).map(|index| EntryId { index, ..entry });
    // Of its vertices those are this one's doing for which nothing else answers.
    found.push(before.into_iter().fold(finding, Found::entry));
}

fn sorted(subject: &Subject, found: &mut Vec<Found>) {
    for pair in subject.direct.windows(2) {
        if pair[0].id.list == pair[1].id.list && pair[1].landing < pair[0].landing {
            let text = format!(
                "its destination {} lies before {}'s {}",
                signed_hex(pair[1].landing),
                pair[0].id,
                signed_hex(pair[0].landing)
            );
            let help = "known models order SK1 and SK2 entries by destination";
            let place = subject.field_place(pair[1].id, EntryField::Destination);
            found.push(Found::new(&codes::ENTRIES_UNSORTED, place, text, help));
        }
    }
}
