//! Who owns which bytes of memory: every structure of a placed model, so that a write-back can be
//! told what it ran over.

use std::ops::Range;

use super::load::LoadPlan;
use crate::c3::format::block::SectionKind;
use crate::c3::format::gpl::{ArrayKind, ReadWhen, StructureKind, structures};
use crate::c3::model::Model;

/// The name of the skinning section's header and entry lists.
pub const SKN_LISTS: &str = "SKN header and lists";
/// The name of what lies behind them.
pub const SKN_ARRAYS: &str = "SKN arrays";

/// A structure in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Name for people.
    pub name: String,
    /// Addresses, first to one past the last.
    pub range: Range<u32>,
    /// When the game reads it, where that is known.
    pub read_when: ReadWhen,
    /// Those of its bytes that the game reads, ascending and apart from each other; all of them where there are none.
    used: Vec<Range<u32>>,
}

impl Owner {
    fn new(name: String, range: Range<u32>, read_when: ReadWhen) -> Self {
        Self { name, range, read_when, used: Vec::new() }
    }

    fn is_met_by(&self, range: &Range<u32>) -> bool {
        let behind = self.used.partition_point(|used| used.end <= range.start);
        let read = self.used.is_empty() || self.used.get(behind).is_some_and(|used| used.start < range.end);
        read && overlap(&self.range, range)
    }
}

/// Every structure of a placed model but the skinned position array itself.
#[derive(Debug, Clone, Default)]
pub struct Owners {
    owners: Vec<Owner>,
    files: Vec<Range<u32>>,
}

impl Owners {
    /// Collects them.
    pub fn new(model: &Model, plan: &LoadPlan) -> Self {
        let mut owners = Vec::new();
        if let Some(gpl) = &model.gpl {
            let skinned = gpl.skinned().map(|(submesh, ..)| submesh.index);
            let own_array = |kind| kind == StructureKind::Array(ArrayKind::Position);
            owners.extend(
                structures(gpl)
                    .into_iter()
                    .filter(|structure| !(own_array(structure.kind) && structure.submesh == skinned))
                    .map(|structure| {
                        Owner::new(structure.name(), moved(&structure.range, plan.gpl), structure.read_when)
                    }),
            );
        }
        if let Some(skn) = &model.skn {
            let (lists_end, end) = (skn.lists_end().min(skn.view().len()), skn.view().len());
            let own = |name: &str, range| {
                Owner::new(name.to_owned(), moved(&range, plan.skn), ReadWhen::EveryFrame)
            };
            let used = skn.used().iter().map(|range| moved(range, plan.skn)).collect();
            owners.extend([own(SKN_LISTS, 0..lists_end), Owner { used, ..own(SKN_ARRAYS, lists_end..end) }]);
        }
        owners.extend(other_sections(model, plan));
        owners.retain(|owner| !owner.range.is_empty());
        owners.sort_by_key(|owner| (owner.range.start, owner.range.end));
        Self { owners, files: plan.ranges().map(|(start, end)| start..end).collect() }
    }

    /// The structures that a range of addresses reaches, lowest first.
    pub fn reached(&self, range: Range<u32>) -> impl Iterator<Item = &Owner> {
        self.owners.iter().filter(move |owner| owner.is_met_by(&range))
    }

    /// Whether a range of addresses leaves the files.
    pub fn leaves_the_model(&self, range: &Range<u32>) -> bool {
        !self.files.iter().any(|file| file.start <= range.start && range.end <= file.end)
    }
}

fn other_sections(model: &Model, plan: &LoadPlan) -> Vec<Owner> {
    let Some(block) = &model.block else { return Vec::new() };
    // The block lies where its GPL says it does.
    let Some(gpl) = block.section(SectionKind::Gpl) else { return Vec::new() };
    let base = plan.gpl.wrapping_sub(gpl.offset);
    block
        .sections()
        .iter()
        .filter(|section| !matches!(section.kind, SectionKind::Gpl | SectionKind::Skn))
        .filter(|section| section.inside.is_none())
        .map(|section| {
            let name = format!("{} section", section.kind.name());
            Owner::new(name, moved(&section.range(), base), ReadWhen::EveryFrame)
        })
        .collect()
}

/// A range of file offsets as addresses.
fn moved(range: &Range<u64>, base: u32) -> Range<u32> {
    base.wrapping_add(range.start as u32)..base.wrapping_add(range.end as u32)
}

fn overlap(a: &Range<u32>, b: &Range<u32>) -> bool {
    a.start < b.end && b.start < a.end
}
