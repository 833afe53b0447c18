//! Runs frames and tells every line of their trace.

use super::line::{Effect, Line};
use crate::c3::format::skn::EntryId;
use crate::c3::outcome::{PoseError, Poses};
use crate::c3::runtime::journal::Journal;
use crate::c3::runtime::load::LoadPlan;
use crate::c3::runtime::program::lists::{Lists, PHYSICAL};
use crate::c3::runtime::program::{
    CodeObserver, Functions, GameProgram, ProgramError, ProgramOptions, STACK, call_watched,
};
use crate::c3::runtime::simulation::{RunOptions, Simulation};
use crate::gekko::address::line_start;
use crate::gekko::bus::{AccessKind, AccessRecord};
use crate::gekko::cpu::{Cpu, Program, Stop};
use crate::gekko::executable::Executable;
use crate::gekko::fault::{Fault, Site};
use crate::gekko::machine::Machine;

/// Bytes below the top of the stack that count as the program's stack.
const STACK_SIZE: u32 = 0x1_0000;

/// What is traced.
pub struct Subject<'p, 'a> {
    /// Where the model goes.
    pub plan: &'p LoadPlan<'a>,
    /// The machine.
    pub options: RunOptions,
    /// The program whose code runs; the direct model without one.
    pub program: Option<(&'p Executable, &'p ProgramOptions)>,
    /// Only lines of this entry.
    pub entry: Option<EntryId>,
}

/// How a traced run ended.
#[derive(Debug, Clone, Default)]
pub struct End {
    /// Frames begun.
    pub frames: u32,
    /// Faults, all frames together.
    pub faults: u64,
    /// Why the program stopped, if it did.
    pub stop: Option<Box<Stop>>,
    /// Why the next pose could not be computed, if that ended the run.
    pub pose_error: Option<PoseError>,
}

/// A step of a traced run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A frame begins.
    Frame(u32),
    /// Something happened in it.
    Line(Line),
}

/// Runs a frame for every pose and tells every step to `sink`.
///
/// # Errors
/// When memory does not hold the model and the program, or the program cannot be set up.
pub fn record(subject: &Subject, poses: Poses, mut sink: impl FnMut(&Event)) -> Result<End, ProgramError> {
    let taken = subject.program.map(|(executable, _)| executable.ranges()).unwrap_or_default();
    let mut simulation = Simulation::load_beside(subject.plan, poses.bones, &subject.options, &taken)?;
    let mut game = match subject.program {
        Some((executable, options)) => {
            Some(GameProgram::load(executable, options, subject.plan, &mut simulation)?)
        }
        None => None,
    };
    let functions = game.as_ref().map(|game| game.functions().clone());
    let mut end = End::default();
    for pose in poses.frames {
        let pose = match pose {
            Ok(pose) => pose,
            Err(error) => {
                end.pose_error = Some(error);
                break;
            }
        };
        sink(&Event::Frame(end.frames));
        let lists = Lists::read(&simulation.machine, simulation.input.skn);
        let mut recorder = Recorder::new(lists, functions.as_ref(), subject.entry, &mut sink);
        let journal = match &mut game {
            None => simulation.frame_watched(&pose.skin, |record| recorder.access(record)),
            Some(game) => {
                let (journal, stop) = game.frame_watched(&mut simulation, &pose.skin, &mut recorder);
                end.stop = stop;
                journal
            }
        };
        recorder.faults(&journal);
        end.frames += 1;
        end.faults += journal.fault_count;
        if end.stop.is_some() || simulation.ended(&journal) {
            break;
        }
    }
    Ok(end)
}

/// Makes lines of what it sees.
struct Recorder<'r, S> {
    lists: Lists,
    functions: Option<&'r Functions>,
    wanted: Option<EntryId>,
    entry: Option<EntryId>,
    sink: &'r mut S,
}

impl<'r, S: FnMut(&Event)> Recorder<'r, S> {
    fn new(lists: Lists, functions: Option<&'r Functions>, wanted: Option<EntryId>, sink: &'r mut S) -> Self {
        Self { lists, functions, wanted, entry: None, sink }
    }

    /// The entry that is worked on, told from what its transfers and its matrices touch; none once lines
    /// are cleared or flushed.
    fn follow(&mut self, record: &AccessRecord) {
        match record.kind {
            AccessKind::Transfer(direction) => {
                let memory = line_start(record.value as u32 & PHYSICAL);
                if let Some(expected) = self.lists.find(direction, memory, self.entry) {
                    self.entry = Some(expected.entry);
                }
            }
            AccessKind::Store => self.entry = self.lists.entry_around(record.address).or(self.entry),
            AccessKind::ZeroLine | AccessKind::FlushLine => self.entry = None,
            AccessKind::Load | AccessKind::StoreLine => {}
        }
    }

    fn place(&self, site: Site) -> (String, Option<u32>) {
        let place = match (self.functions, site.pc) {
            (Some(functions), Some(pc)) => match functions.locate(pc) {
                known if known.function.is_empty() => {
                    functions.describe(pc).unwrap_or_else(|| "?".to_owned()).replace(' ', "_")
                }
                known => known.to_string(),
            },
            _ => site.to_string(),
        };
        (place, site.pc)
    }

    fn tell(&mut self, effect: Effect, site: Site, entry: Option<EntryId>) {
        if self.wanted.is_none_or(|wanted| entry == Some(wanted)) {
            let (place, pc) = self.place(site);
            (self.sink)(&Event::Line(Line { effect, place, pc, entry }));
        }
    }

    /// The faults of a frame, behind its accesses.
    fn faults(&mut self, journal: &Journal) {
        for located in &journal.faults {
            self.tell(
                Effect::Fault(Fault { marker: None, ..located.fault }),
                located.fault.site,
                located.entry,
            );
        }
    }
}

impl<S: FnMut(&Event)> CodeObserver for Recorder<'_, S> {
    fn instruction(&mut self, pc: u32, code: u32) {
        let site = Site { function: "", offset: 0, pc: Some(pc) };
        self.tell(Effect::Instruction(code), site, self.entry);
    }

    fn access(&mut self, record: AccessRecord) {
        let AccessRecord { site, kind, address, size, value } = record;
        let on_stack = self.functions.is_some()
            && matches!(kind, AccessKind::Load | AccessKind::Store)
            && address.wrapping_sub(STACK - STACK_SIZE) < STACK_SIZE + 0x20;
        if on_stack {
            return self.tell(Effect::Stack(kind, address, size, value), site, self.entry);
        }
        self.follow(&record);
        self.tell(Effect::Access(kind, address, size, value), site, self.entry);
    }
}

/// Traces one call of a function that works on no model.
///
/// # Errors
/// Why execution ended before the function returned.
pub fn watch_call(
    machine: &mut Machine,
    (program, functions): (&Program, &Functions),
    cpu: &mut Cpu,
    (entry, budget): (u32, u64),
    mut sink: impl FnMut(&Event),
) -> Result<(), Box<Stop>> {
    let mut recorder = Recorder::new(Lists::default(), Some(functions), None, &mut sink);
    call_watched(machine, program, cpu, (entry, budget), &mut recorder)
}
