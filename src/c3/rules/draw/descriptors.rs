//! Vertex descriptors that lists cannot be drawn with. One descriptor may be in force for several lists: it is told
//! once.

use std::collections::BTreeMap;

use super::{List, idles};
use crate::c3::format::gpl::{Attribute, AttributeMode};
use crate::c3::rules::codes;
use crate::c3::rules::found::Found;
use crate::finding::{Place, Severity};

/// Lists that a text names.
const NAMED: usize = 4;

/// What is wrong with an attribute's mode, by the offset of the descriptor.
#[derive(Debug, Default)]
pub(super) struct Descriptors {
    wrong: BTreeMap<(u64, Attribute), Wrong>,
}

/// How a descriptor gives an attribute that should be given otherwise.
#[derive(Debug)]
struct Wrong {
    /// Place of the setting, at the first list that something is drawn from, or else the first.
    place: Place,
    severity: Severity,
    idle: String,
    /// Elements of the array, of an index too narrow for it.
    count: Option<u32>,
    /// Lists that have it: the names of the first ones, and how many there are.
    lists: Vec<String>,
    total: usize,
}

impl Descriptors {
    /// Notes what is wrong with a list's descriptor.
    pub fn note(&mut self, list: &List, severity: Severity, idle: &str) {
        let at = list.what.descriptor_at.unwrap_or(list.what.offset);
        for attribute in Attribute::ALL {
            let count = match list.what.descriptor.mode(attribute) {
                // Matrix indices are always given directly.
                AttributeMode::Direct if attribute != Attribute::PositionMatrix => None,
                AttributeMode::Index8 => match list.count(attribute) {
                    Some(count) if count > 256 => Some(count),
                    _ => continue,
                },
                _ => continue,
            };
            let place = list.place(at).field("setting");
            let wrong = self.wrong.entry((at, attribute)).or_insert_with(|| Wrong {
                place: place.clone(),
                severity,
                idle: idle.to_owned(),
                count,
                lists: Vec::new(),
                total: 0,
            });
            if severity > wrong.severity {
                (wrong.severity, wrong.place, wrong.idle) = (severity, place, idle.to_owned());
            }
            wrong.total += 1;
            if wrong.lists.len() <= NAMED {
                wrong.lists.push(list.name());
            }
        }
    }

    /// Tells each once.
    pub fn tell(self, found: &mut Vec<Found>) {
        for ((_, attribute), wrong) in self.wrong {
            let others = wrong.others();
            let Wrong { place, severity, idle, count, .. } = wrong;
            let (code, text, effect) = match count {
                None => (
                    &codes::DESCRIPTOR_DIRECT,
                    format!("the descriptor asks for direct {attribute} data{others}{idle}"),
                    "indices are taken for values",
                ),
                Some(count) => (
                    &codes::DESCRIPTOR_INDEX_WIDTH,
                    format!("8-bit {attribute} indices, the array has {count}{others}{idle}"),
                    "elements from 256 on cannot be drawn",
                ),
            };
            let finding = Found::new(code, place, text, "use 16-bit indices (mode 3)");
            found.push(idles(finding, severity, effect));
        }
    }
}

impl Wrong {
    /// `; submesh 0 primitive list of state 3 has it, too`.
    fn others(&self) -> String {
        let own = self.place.entry.as_deref();
        let names: Vec<&str> =
            self.lists.iter().map(String::as_str).filter(|list| Some(*list) != own).take(NAMED).collect();
        let others = self.total - 1;
        match (&names[..], others - names.len().min(others)) {
            ([], _) => String::new(),
            ([only], 0) => format!("; {only} has it, too"),
            (all, 0) => format!("; {} have it, too", all.join(" and ")),
            (all, more) => format!("; {} and {more} more have it, too", all.join(", ")),
        }
    }
}
