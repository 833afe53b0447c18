//! Frames that go on after every fault, as Dolphin's do where its message is ignored.

use std::collections::{HashMap, HashSet};

use super::causes::Scene;
use super::history::History;
use super::observe::part;
use super::{fault_words, options, poses};
use crate::c3::format::skn::EntryId;
use crate::c3::model::Model;
use crate::c3::rules::effects::{FaultSeen, Origin, Target};
use crate::c3::rules::subject::Subject;
use crate::c3::runtime::journal::{Journal, LocatedFault};
use crate::c3::runtime::load::{LoadPlan, Placement};
use crate::c3::runtime::simulation::{RunOptions, Simulation};
use crate::gekko::fault::{FaultKind, Site};
use crate::gekko::machine::OnFault;

/// Different faults that are kept.
const KEPT: usize = 1 << 14;

/// The different faults of the frames of a dry run on Dolphin, in order, where no fault ends a frame: a failed
/// read gives 0, a failed write is dropped, a failed transfer moves nothing. A loop that does not end does end
/// them. None where nothing can be run.
///
/// What a fault comes from is judged at the end of its frame.
pub fn went_on(model: &Model, placement: Placement, switches: &RunOptions) -> Vec<FaultSeen> {
    let options = RunOptions { on_fault: OnFault::Continue, ..options(Target::Dolphin, switches) };
    let Ok(plan) = LoadPlan::placed(model, placement) else { return Vec::new() };
    let rest = poses::rest(model);
    let varied = poses::varied(model, &rest);
    let Ok(mut simulation) = Simulation::load(&plan, rest.len(), &options) else { return Vec::new() };
    let mut subject = Subject::on(model, &options);
    subject.address = placement.model;
    let mut different = Different::default();
    let load = simulation.load.clone();
    different.add(&load, &scene(&subject, &simulation, &load), &options);
    for pose in [&rest, &rest, &varied, &varied] {
        let mut journal = simulation.frame(pose);
        let ended = simulation.ended(&journal);
        if let Some(gpl) = model.gpl.as_ref().filter(|_| !ended) {
            simulation.draw(gpl, &plan, &mut journal);
        }
        different.add(&journal, &scene(&subject, &simulation, &journal), &options);
        if ended {
            break;
        }
    }
    different.faults
}

/// After a frame; what earlier ones wrote over is not looked into.
fn scene<'s, 'm, 'a>(
    subject: &'s Subject<'m, 'a>,
    simulation: &'s Simulation,
    journal: &'s Journal,
) -> Scene<'s, 'm, 'a> {
    Scene { subject, simulation, history: History { earlier: &[], now: journal } }
}

/// Faults, each kind of one entry at one address once.
#[derive(Default)]
struct Different {
    faults: Vec<FaultSeen>,
    known: HashSet<Key>,
}

/// What tells one fault from another.
type Key = (FaultKind, u32, Site, Option<EntryId>);

impl Different {
    fn add(&mut self, journal: &Journal, scene: &Scene, options: &RunOptions) {
        // Of an entry's faults in one function all come from the same.
        let mut judged = HashMap::new();
        for located in &journal.faults {
            let LocatedFault { fault, entry, stage, .. } = located;
            if self.faults.len() == KEPT {
                return;
            }
            if !self.known.insert((fault.kind, fault.address, fault.site, *entry)) {
                continue;
            }
            let part = part(*stage, entry.is_some());
            let judge = || scene.origin(located);
            let key = (*entry, *stage, fault.site.function, fault.kind);
            // Which of an entry's arrays was being loaded is not known any more.
            let origin = Origin { array: None, ..judged.entry(key).or_insert_with(judge).clone() };
            self.faults.push(FaultSeen {
                entry: *entry,
                part,
                origin,
                message: fault_words(located, Target::Dolphin, options.era),
                kind: fault.kind,
                site: fault.site,
                address: fault.address,
            });
        }
    }
}
