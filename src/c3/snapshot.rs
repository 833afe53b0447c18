//! The golden text of a Character Pipeline model after its frames.

use super::check::{Comparison, check};
use super::coverage::{accumulated_slot, slots};
use super::format::block::SectionKind;
use super::format::skn::{EntryId, List, Skn};
use super::mesh::Topology;
use super::outcome::Outcome;
use super::rules::effects::Target;
use super::runtime::frame::ClearForm;
use super::runtime::journal::EntryRecord;
use crate::bytes::View;
use crate::gekko::map;
use crate::gekko::paired_single::Rounding;
use crate::snapshot::{Group, Snapshot, VertexRow};

/// Vertices that all entries together may name; a file's lists may share bytes, so that they name many
/// times what it holds.
const MOST_NAMED: usize = 4_000_000;

impl Outcome<'_, '_> {
    /// The golden text: what the frames made of every entry, and what the rules find on their target.
    pub fn snapshot(&self) -> Snapshot {
        let topology = Topology::of(self.model);
        let mesh = topology.mesh(self);
        let mut out =
            Snapshot { vertices: VertexRow::all(0, &mesh.positions, &mesh.normals), ..Snapshot::default() };
        out.line("kind", "character-pipeline");
        out.count_files(self.files());
        out.line("pose", &self.pose_name);
        out.line("frames", self.whole_frames());
        self.describe_machine(&mut out);
        out.line("faults", self.faults());
        out.count_vertices();
        let skinned = topology.skinned_vertices();
        out.groups = self.entries(&out.vertices[skinned]);
        for (submesh, vertices) in topology.rigid_vertices() {
            let name = format!("submesh {submesh}");
            out.groups.push(Group::new(name, "rigid", &out.vertices[vertices]));
        }
        out.count_findings(&check(
            self.model,
            &Comparison::default(),
            self.address(),
            &[target_of(self.options.target)],
        ));
        out
    }

    fn files(&self) -> Vec<&[u8]> {
        let model = self.model;
        if let Some(block) = &model.block {
            return vec![block.view().bytes()];
        }
        let gpl = model.gpl.iter().map(|gpl| gpl.view().bytes());
        let skn = model.skn.iter().map(|skn| skn.view().bytes());
        gpl.chain(skn).chain(model.act.iter().map(View::bytes)).collect()
    }

    fn describe_machine(&self, out: &mut Snapshot) {
        let config = self.simulation.machine.config();
        let console = match config.map.console {
            map::Console::Wii => "wii",
            map::Console::GameCube => "gamecube",
        };
        let target = match config.map.target {
            map::Target::Dolphin => "dolphin",
            map::Target::Console => "console",
        };
        let rounding = match config.rounding {
            Rounding::Dolphin => "dolphin",
            Rounding::Exact => "exact",
        };
        let clear = match self.options.clear {
            ClearForm::Dcbz => "dcbz",
            ClearForm::Bytes => "bytes",
        };
        out.line("target", format_args!("{target}, {console}, rounding {rounding}, clear {clear}"));
        out.line("address", format_args!("{:#010x}", self.address()));
    }

    /// Where the block lies, or the GPL of loose files.
    fn address(&self) -> u32 {
        let section = self.model.block.as_ref().and_then(|block| block.section(SectionKind::Gpl));
        self.plan.gpl.wrapping_sub(section.map_or(0, |section| section.offset))
    }

    /// How many faults, and the first: the same words for every era of Dolphin.
    fn faults(&self) -> String {
        let count: u64 = self.all_journals().map(|journal| journal.fault_count).sum();
        let Some(first) = self.all_journals().flat_map(|journal| &journal.faults).next() else {
            return "none".to_owned();
        };
        let (fault, stage) = (&first.fault, first.stage.name());
        let entry = first.entry.map_or_else(String::new, |entry| format!(", {entry}"));
        format!(
            "{count}, the first in frame {}, stage {stage}{entry}: {:?} at {:#010x}, {}",
            first.frame, fault.kind, fault.address, fault.site
        )
    }

    /// One group an entry of the skin; `rows` are the slots of the skinned submesh.
    fn entries(&self, rows: &[VertexRow]) -> Vec<Group> {
        let Some(skn) = &self.model.skn else { return Vec::new() };
        let mut room = MOST_NAMED;
        let mut groups = Vec::new();
        for id in skn.entries() {
            let (bones, numbers) = entry(skn, id, room);
            room = room.saturating_sub(numbers.len());
            let vertices: Vec<VertexRow> =
                numbers.iter().filter_map(|&slot| rows.get(usize::try_from(slot).ok()?).copied()).collect();
            groups.push(Group::new(id.to_string(), format!("{bones}, {}", self.stored(id)), &vertices));
        }
        groups
    }

    /// The range that an entry's stores covered in the last frame, from the position array.
    fn stored(&self, id: EntryId) -> String {
        let records = self.last_journal().into_iter().flat_map(|journal| &journal.entries);
        let stored = records.filter(|record| record.entry == id).flat_map(EntryRecord::stored);
        let hull = stored.reduce(|(start, end), (from, to)| (start.min(from), end.max(to)));
        let from_positions = |address: u32| i64::from(address) - i64::from(self.plan.positions);
        match hull.map(|(start, end)| (from_positions(start), from_positions(end))) {
            Some((start, end)) => format!("stored {}..{}", signed(start), signed(end)),
            None => "not stored".to_owned(),
        }
    }
}

/// The dry run's name for a target of the machine.
pub fn target_of(target: map::Target) -> Target {
    match target {
        map::Target::Dolphin => Target::Dolphin,
        map::Target::Console => Target::Console,
    }
}

fn signed(offset: i64) -> String {
    let sign = if offset < 0 { "-" } else { "" };
    format!("{sign}{:#x}", offset.unsigned_abs())
}

/// The bones of an entry in words, and the slots it names.
fn entry(skn: &Skn, id: EntryId, room: usize) -> (String, Vec<u64>) {
    let index = id.index as usize;
    match id.list {
        List::Sk1 => skn.sk1.get(index).map(|entry| {
            let slots = slots(entry.destination, entry.vertex_offset, entry.count);
            (format!("bone {}", entry.bone), slots.take(room).collect())
        }),
        List::Sk2 => skn.sk2.get(index).map(|entry| {
            let [a, b] = entry.bones;
            let slots = slots(entry.destination, entry.vertex_offset, entry.count);
            (format!("bones {a} {b}"), slots.take(room).collect())
        }),
        List::SkAcc => skn.skacc.get(index).map(|entry| {
            let slots = skn.indices(entry).filter_map(|index| accumulated_slot(entry.destination, index));
            (format!("bone {}", entry.bone), slots.take(room).collect())
        }),
    }
    .unwrap_or_default()
}
