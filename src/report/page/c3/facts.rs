//! What a page says about a model beside its pictures: facts, and tables of entries and bones.

use std::collections::BTreeMap;

use super::Source;
use crate::c3::format::act::Act;
use crate::c3::format::skn::EntryId;
use crate::c3::rules::subject::Subject;
use crate::c3::rules::weights::contributions;
use crate::report::page::table::{Table, numbers, words};
use crate::report::run::{console_name, hex, target_name};

/// Labels and values under the verdicts.
pub fn facts(source: &Source) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut add = |label: &str, value: String| facts.push((label.to_owned(), value));
    if let Some(skn) = &source.model.skn {
        let entries = format!("{} SK1, {} SK2, {} SKAcc", skn.sk1.len(), skn.sk2.len(), skn.skacc.len());
        add("entries", entries);
        add("shift", skn.header.shift.to_string());
    }
    if let Ok(plan) = &source.plan {
        add("positions", format!("{} at {}", plan.position_count, hex(plan.positions)));
        let machine = (target_name(source.options.target), console_name(source.options.console));
        add("frames shown", format!("{} ({})", machine.0, machine.1));
        add("pose", source.posed.name.clone());
    }
    facts
}

/// Entries and bones.
pub fn tables(subject: &Subject) -> Vec<Table> {
    let mut tables = Vec::new();
    if subject.skn().is_some() {
        tables.push(entries(subject));
        tables.push(bones(subject));
    }
    tables
}

fn entries(subject: &Subject) -> Table {
    let columns = [
        words("entry"),
        words("bones"),
        numbers("vertices"),
        numbers("vertex offset"),
        numbers("source"),
        numbers("weights"),
        numbers("destination"),
        numbers("lines"),
    ];
    let direct = subject.direct.iter().map(|entry| {
        let [first, second] = entry.bones;
        let bones = if entry.weights.is_some() { format!("{first}, {second}") } else { first.to_string() };
        vec![
            entry.id.to_string(),
            bones,
            entry.count.to_string(),
            entry.vertex_offset.to_string(),
            format!("{:#x}", entry.source),
            entry.weights.map_or_else(String::new, |weights| format!("{weights:#x}")),
            format!("{:#x}", entry.destination),
            entry.stored_lines().to_string(),
        ]
    });
    let accumulated =
        subject.skn().into_iter().flat_map(|skn| skn.skacc.iter().zip(0..)).map(|(entry, index)| {
            vec![
                EntryId { list: crate::c3::format::skn::List::SkAcc, index }.to_string(),
                entry.bone.to_string(),
                entry.count.to_string(),
                String::new(),
                format!("{:#x}", entry.source),
                format!("{:#x}", entry.weights),
                format!("{:#x}", entry.destination),
                String::new(),
            ]
        });
    Table::new("Lists", &columns, direct.chain(accumulated))
}

/// What one bone does.
#[derive(Debug, Default)]
struct BoneUse {
    slots: std::collections::BTreeSet<u64>,
    whole: usize,
    entries: Vec<EntryId>,
}

fn bones(subject: &Subject) -> Table {
    let mut uses: BTreeMap<u16, BoneUse> = BTreeMap::new();
    for part in contributions(subject) {
        let bone = uses.entry(part.bone).or_default();
        bone.slots.insert(part.slot);
        bone.whole += usize::from(part.weight >= 256);
        if bone.entries.last() != Some(&part.entry) && !bone.entries.contains(&part.entry) {
            bone.entries.push(part.entry);
        }
    }
    let act = subject.model.act.and_then(|view| Act::parse_view(view).ok());
    if let Some(act) = &act {
        for bone in (0..).take(act.bones.len()) {
            uses.entry(bone).or_default();
        }
    }
    let columns = [
        numbers("bone"),
        words("parent"),
        words("owns submesh"),
        numbers("vertices"),
        numbers("of these alone"),
        words("entries"),
    ];
    let rows = uses.into_iter().map(|(number, moved)| {
        let record = act.as_ref().and_then(|act| act.bones.get(usize::from(number)).map(|bone| (act, bone)));
        let parent = record.and_then(|(act, bone)| act.record_at(bone.parent));
        let owns = record.map(|(_, bone)| bone.display_object).filter(|&object| object != 0xFFFF);
        vec![
            number.to_string(),
            parent.map_or_else(String::new, |parent| parent.to_string()),
            owns.map_or_else(String::new, |object| object.to_string()),
            moved.slots.len().to_string(),
            moved.whole.to_string(),
            moved.entries.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        ]
    });
    Table::new("Bones", &columns, rows)
}
