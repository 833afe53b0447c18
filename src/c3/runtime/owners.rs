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
                    .map(|structure| Owner {
                        name: structure.name(),
                        range: moved(&structure.range, plan.gpl),
                        read_when: structure.read_when,
                    }),
            );
        }
        if let Some(skn) = &model.skn {
            let lists = Owner {
                name: SKN_LISTS.to_owned(),
                range: moved(&(0..skn.lists_end().min(skn.view().len())), plan.skn),
                read_when: ReadWhen::EveryFrame,
            };
            let arrays = Owner {
                name: SKN_ARRAYS.to_owned(),
                range: moved(&(skn.lists_end().min(skn.view().len())..skn.view().len()), plan.skn),
                read_when: ReadWhen::EveryFrame,
            };
            owners.extend([lists, arrays]);
        }
        owners.extend(other_sections(model, plan));
        owners.retain(|owner| !owner.range.is_empty());
        owners.sort_by_key(|owner| (owner.range.start, owner.range.end));
        Self { owners, files: plan.ranges().map(|(start, end)| start..end).collect() }
    }

    /// The structures that a range of addresses reaches, lowest first.
    pub fn reached(&self, range: Range<u32>) -> impl Iterator<Item = &Owner> {
        self.owners.iter().filter(move |owner| overlap(&owner.range, &range))
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
        .map(|section| Owner {
            name: format!("{} section", section.kind.name()),
            range: moved(&section.range(), base),
            read_when: ReadWhen::EveryFrame,
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
