//! Runs the frames and looks at memory after each.

use std::cell::{LazyCell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bitvec::vec::BitVec;

use super::causes::Scene;
use super::history::History;
use super::ideal::{Ideal, IdealSlot};
use super::writers::Writers;
use super::{Worst, fault_words, poses};
use crate::c3::format::skn::{List, STRIDE};
use crate::c3::rules::effects::{
    BadMatrix, DamageSeen, DryRun, FaultSeen, Mended, Overwritten, Part, Target, WrongSlot,
};
use crate::c3::rules::subject::Subject;
use crate::c3::runtime::journal::{Journal, Stage, Writer};
use crate::c3::runtime::load::{LoadPlan, SkinMatrix};
use crate::c3::runtime::owners::Owners;
use crate::c3::runtime::simulation::{RunOptions, Simulation};
use crate::gekko::address::LINE_SIZE;
use crate::gekko::fault::DolphinEra;
use crate::gekko::machine::Machine;

/// Two frames at rest, two in the varied pose.
pub(super) fn observe(
    subject: &Subject,
    plan: &LoadPlan,
    (target, options): (Target, &RunOptions),
    mended: &[Mended],
) -> Option<DryRun> {
    let model = subject.model;
    let rest = poses::rest(model);
    let varied = poses::varied(model, &rest);
    let simulation = Simulation::load(plan, rest.len(), options).ok()?;
    let mut observer = Observer {
        drawn: drawn(subject),
        ideal: OnceCell::new(),
        mended,
        subject,
        owners: Owners::new(model, plan),
        earlier: Vec::new(),
        loaded: Snapshot::new(&simulation.machine, plan, processor_view),
        stored: (target == Target::Console).then(|| Snapshot::new(&simulation.machine, plan, memory_view)),
        simulation,
        target,
        era: options.era,
        wrong: Worst::new(),
        conflicts: BTreeMap::new(),
        stale: BTreeSet::new(),
        overwritten: BTreeMap::new(),
        run: DryRun::clean(target),
    };
    let load = observer.simulation.load.clone();
    observer.faults(&load);
    for (pose, at_rest) in [(&rest, true), (&rest, true), (&varied, false), (&varied, false)] {
        if observer.simulation.ended(&load) || !observer.frame(plan, pose, at_rest) {
            break;
        }
    }
    observer.run.bad_matrices = observer.bad_matrices(&rest);
    Some(observer.finish())
}

/// Slots that primitives draw; where nothing is drawn at all, those that lists write.
fn drawn(subject: &Subject) -> BitVec {
    let coverage = &subject.coverage;
    if coverage.used.any() {
        return coverage.used.clone();
    }
    coverage.sk1.clone() | &coverage.sk2 | &coverage.skacc
}

struct Observer<'o, 'm, 'a> {
    subject: &'o Subject<'m, 'a>,
    /// Entries that have another count in this run.
    mended: &'o [Mended],
    simulation: Simulation,
    /// The files as loaded, before the first frame, as the processor sees them.
    loaded: Snapshot,
    /// The same as memory holds them, where a data cache lies between.
    stored: Option<Snapshot>,
    owners: Owners,
    /// What the frames before did.
    earlier: Vec<Journal>,
    /// Worked out for the first frame that runs to its end.
    ideal: OnceCell<Ideal>,
    drawn: BitVec,
    target: Target,
    era: DolphinEra,
    wrong: Worst,
    conflicts: BTreeMap<u32, u32>,
    stale: BTreeSet<u32>,
    overwritten: BTreeMap<(String, Writer), Overwritten>,
    run: DryRun,
}

impl Observer<'_, '_, '_> {
    fn ideal(&self) -> &Ideal {
        self.ideal.get_or_init(|| Ideal::new(self.subject, self.mended))
    }

    fn bad_matrices(&self, matrices: &[SkinMatrix]) -> Vec<BadMatrix> {
        let bad = |matrix: &SkinMatrix| matrix.iter().flatten().any(|cell| !cell.is_finite());
        let is_drawn = |slot: &u32| self.drawn.get(*slot as usize).is_some_and(|bit| *bit);
        let bones = (0..).zip(matrices).filter(|(_, matrix)| bad(matrix)).map(|(bone, _)| bone);
        bones
            .map(|bone| BadMatrix { bone, slots: self.ideal().slots_of(bone).filter(is_drawn).count() })
            .collect()
    }

    /// Skins, draws and looks. False when execution ended for good.
    fn frame(&mut self, plan: &LoadPlan, pose: &[SkinMatrix], at_rest: bool) -> bool {
        let mut journal = self.simulation.frame(pose);
        let ended = self.simulation.ended(&journal);
        self.overwrites(&journal);
        if ended {
            self.faults(&journal);
            return false;
        }
        self.compare(pose, at_rest, &journal);
        // What the display code meets ends the game, but hides nothing of what skinning does in later frames.
        if !self.run.faults.iter().any(|fault| fault.part == Part::Draw) {
            self.draw(plan, &mut journal);
            self.faults(&journal);
        }
        self.earlier.push(journal);
        true
    }

    fn draw(&mut self, plan: &LoadPlan, journal: &mut Journal) {
        let Some(gpl) = self.subject.gpl() else { return };
        let damage = self.simulation.draw(gpl, plan, journal);
        if self.run.damage.is_empty() {
            let seen = |damage: &crate::c3::runtime::draw::Damage| DamageSeen {
                by: damage.writer,
                structure: damage.structure(),
                text: damage.to_string(),
            };
            self.run.damage = damage.iter().map(seen).collect();
        }
    }

    fn faults(&mut self, journal: &Journal) {
        if let Some(fault) = journal.faults.first() {
            let message = fault_words(fault, self.target, self.era);
            let (kind, site, address) = (fault.fault.kind, fault.fault.site, fault.fault.address);
            let part = part(fault.stage, fault.entry.is_some());
            let history = History { earlier: &self.earlier, now: journal };
            let scene = Scene { subject: self.subject, simulation: &self.simulation, history };
            let origin = scene.origin(fault);
            self.run.faults.push(FaultSeen {
                entry: fault.entry,
                part,
                origin,
                message,
                kind,
                site,
                address,
            });
            if part != Part::Draw {
                self.run.ended_at = fault.entry;
                self.run.ended = true;
            }
        }
    }

    /// Which structures the frame's writes reached and changed.
    fn overwrites(&mut self, journal: &Journal) {
        for (range, by) in journal.written() {
            for owner in self.owners.reached(range.clone()) {
                let both = owner.range.start.max(range.start)..owner.range.end.min(range.end);
                let key = (owner.name.clone(), by);
                if self.overwritten.get(&key).is_some_and(|over| !over.hidden) {
                    continue;
                }
                let machine = &self.simulation.machine;
                let hidden = !self.loaded.differs(machine, &both);
                // What a transfer stores passes the data cache.
                let by_transfer = by.entry().is_some_and(|entry| entry.list != List::SkAcc);
                let stored = self.stored.as_ref().filter(|_| by_transfer);
                if hidden && !stored.is_some_and(|stored| stored.differs(machine, &both)) {
                    continue;
                }
                let (structure, read_when) = (owner.name.clone(), owner.read_when);
                let within = both.start - owner.range.start..both.end - owner.range.start;
                let slots = self.slots_beside(&both);
                self.overwritten.insert(key, Overwritten { structure, by, within, slots, hidden, read_when });
            }
        }
    }

    /// The slots of the position array that share cache lines with a range of memory.
    fn slots_beside(&self, range: &Range<u32>) -> Range<u32> {
        let slot = |address: u32| address.saturating_sub(self.simulation.positions).div_ceil(STRIDE as u32);
        let (start, end) = (range.start & !(LINE_SIZE - 1), range.end.next_multiple_of(LINE_SIZE));
        slot((start + 1).saturating_sub(STRIDE as u32))..slot(end)
    }

    /// Compares every drawn slot with its ideal: as memory has it, which is what is drawn, and as the
    /// processor has it.
    fn compare(&mut self, pose: &[SkinMatrix], at_rest: bool, journal: &Journal) {
        let stored = u32::from(self.simulation.position_count);
        let range = self.simulation.positions..self.simulation.positions + stored * STRIDE as u32;
        let Some(memory) = self.simulation.position_bytes() else { return };
        let cached = processor_view(&self.simulation.machine, &range).unwrap_or_else(|| memory.to_vec());
        let ideals = self.ideal.get_or_init(|| Ideal::new(self.subject, self.mended));
        let positions = self.simulation.positions;
        let (now, before) = (
            LazyCell::new(|| Writers::new(journal, positions, self.target == Target::Console)),
            LazyCell::new(|| {
                // A data cache may keep their lines.
                let earlier = self.earlier.iter().rev().filter(|_| self.target == Target::Console);
                earlier.map(|journal| Writers::new(journal, positions, true)).collect::<Vec<_>>()
            }),
        );
        let concerned = |slot| {
            let before = before.iter().flat_map(|writers| writers.of(slot));
            let all = now.of(slot).chain(ideals.entries_of(slot)).chain(before);
            all.fold(Vec::new(), |mut list, entry| {
                if !list.contains(&entry) {
                    list.push(entry);
                }
                list
            })
        };
        let is_drawn = |slot: u32| slot < stored && self.drawn.get(slot as usize).is_some_and(|bit| *bit);
        for ideal in ideals.slots(pose).filter(|ideal| is_drawn(ideal.slot)) {
            let at = ideal.slot as usize * STRIDE as usize;
            if ideal.saturated {
                let seen = if at_rest { &mut self.run.saturated } else { &mut self.run.saturated_moved };
                seen.push(ideal.slot);
            }
            let bytes = at..at + STRIDE as usize;
            let late = memory[bytes.clone()] != cached[bytes];
            match difference(&ideal, &memory[at..]) {
                None if late => _ = self.stale.insert(ideal.slot),
                None => {}
                Some(_) if difference(&ideal, &cached[at..]).is_none() => _ = self.stale.insert(ideal.slot),
                Some(difference) => {
                    let worst =
                        self.wrong.entry(ideal.slot).or_insert_with(|| (difference, concerned(ideal.slot)));
                    worst.0 = difference.max(worst.0);
                    // Whatever spoils it elsewhere: it is late as well.
                    if late {
                        self.stale.insert(ideal.slot);
                    }
                }
            }
        }
        for (slot, difference) in ideals.conflicts(pose).filter(|(slot, _)| is_drawn(*slot)) {
            let worst = self.conflicts.entry(slot).or_default();
            *worst = difference.max(*worst);
        }
    }

    fn finish(mut self) -> DryRun {
        let slot = |(slot, (difference, by))| WrongSlot { slot, difference, by };
        self.run.wrong = self.wrong.into_iter().map(slot).collect();
        let slot = |(slot, difference)| WrongSlot { slot, difference, by: Vec::new() };
        self.run.conflicts = self.conflicts.into_iter().map(slot).collect();
        self.run.stale = self.stale.into_iter().collect();
        self.run.overwritten = self.overwritten.into_values().collect();
        for seen in [&mut self.run.saturated, &mut self.run.saturated_moved] {
            seen.sort_unstable();
            seen.dedup();
        }
        let at_rest = &self.run.saturated;
        self.run.saturated_moved.retain(|slot| at_rest.binary_search(slot).is_err());
        self.run
    }
}

/// The largest difference of a slot from its ideal, where it is more than rounding explains.
fn difference(ideal: &IdealSlot, bytes: &[u8]) -> Option<u32> {
    if ideal.value.iter().any(|value| !value.is_finite()) {
        return None; // The matrix is to blame, and is told by itself.
    }
    let components = bytes.chunks_exact(2).map(|pair| f64::from(i16::from_be_bytes([pair[0], pair[1]])));
    let worst = components.zip(ideal.value).map(|(have, want)| (have - want).abs()).fold(0.0, f64::max);
    (worst > ideal.tolerance).then_some(worst as u32)
}

/// The part of a frame that a stage is.
pub(super) fn part(stage: Stage, in_entry: bool) -> Part {
    match stage {
        Stage::Load => Part::Load,
        Stage::Clear => Part::Clear,
        Stage::Flush => Part::Flush,
        Stage::Draw => Part::Draw,
        _ if in_entry => Part::Entry,
        _ => Part::Load,
    }
}

/// A way to look at memory.
type MemoryView = fn(&Machine, &Range<u32>) -> Option<Vec<u8>>;

/// The bytes of a model's files, as they were seen.
struct Snapshot {
    files: Vec<(u32, Vec<u8>)>,
    view: MemoryView,
}

impl Snapshot {
    fn new(machine: &Machine, plan: &LoadPlan, view: MemoryView) -> Self {
        let bytes = |(start, end)| Some((start, view(machine, &(start..end))?));
        Self { files: plan.ranges().filter_map(bytes).collect(), view }
    }

    /// Whether a range of one of the files is not what it was.
    fn differs(&self, machine: &Machine, range: &Range<u32>) -> bool {
        let held = self.files.iter().find_map(|(start, bytes)| {
            let from = range.start.checked_sub(*start)? as usize;
            bytes.get(from..from + range.len())
        });
        match (held, (self.view)(machine, range)) {
            (Some(held), Some(now)) => held != now,
            _ => true,
        }
    }
}

/// Memory as everybody else sees it.
fn memory_view(machine: &Machine, range: &Range<u32>) -> Option<Vec<u8>> {
    Some(machine.memory(range.start, range.end.checked_sub(range.start)?)?.to_vec())
}

/// Memory as the processor sees it: through the data cache, where there is one.
pub(super) fn processor_view(machine: &Machine, range: &Range<u32>) -> Option<Vec<u8>> {
    let size = range.end.checked_sub(range.start)?;
    let mut bytes = machine.memory(range.start, size)?.to_vec();
    let (Some(cache), Some(start)) = (&machine.data_cache, machine.translate(range.start)) else {
        return Some(bytes);
    };
    let physical = start.0..start.0 + size;
    for line in cache.lines() {
        let both = line.address.max(physical.start)..(line.address + LINE_SIZE).min(physical.end);
        for address in both {
            bytes[(address - physical.start) as usize] = line.bytes[(address - line.address) as usize];
        }
    }
    Some(bytes)
}
