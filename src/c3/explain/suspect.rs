//! A model under suspicion: run once a game, and asked about message after message.

use super::Explanation;
use super::access::Access;
use super::candidates::{Candidate, Fit, candidates};
use super::structures::null_in_the_file;
use crate::c3::check::no_frame;
use crate::c3::dry_run::dry_run_on;
use crate::c3::format::gpl::StructureKind;
use crate::c3::format::skn::EntryId;
use crate::c3::games::Game;
use crate::c3::model::Model;
use crate::c3::rules;
use crate::c3::rules::effects::{DryRun, FaultSeen, Part, Target};
use crate::c3::rules::join::join;
use crate::c3::rules::subject::Subject;
use crate::c3::runtime::code::{SLUGGERS, SUPERSTAR};
use crate::c3::runtime::simulation::RunOptions;
use crate::finding::{Effect, Finding};
use crate::gekko::fault::FaultKind;
use crate::gekko::map::Console;
use crate::gekko::message::{Message, MessageKind, message};

/// What a model says to a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Entries that come into question, the one that did it first.
    pub candidates: Vec<Candidate>,
    /// Entries that are not among them: there were too many.
    pub left_out: usize,
    /// What is wrong with the model and does this.
    pub causes: Vec<Finding>,
    /// Whether the causes are sure to do it: the run, or what is known of the fault, says so.
    pub certain: bool,
    /// What running the model gave, a sentence each.
    pub run: Vec<String>,
}

/// Entries that are listed.
const LISTED: usize = 32;
/// Causes that are told.
const CAUSES: usize = 4;

/// A model and what its runs showed.
pub struct Suspect<'m, 'a> {
    model: &'m Model<'a>,
    address: u32,
    game: Game,
    runs: Vec<(Game, Shown<'m, 'a>)>,
}

/// What one game's run showed.
struct Shown<'m, 'a> {
    subject: Subject<'m, 'a>,
    run: Option<DryRun>,
    findings: Vec<Finding>,
}

/// How a fault of a run goes with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Agreement {
    /// In everything that both tell.
    Whole,
    /// In the address: that the instruction is the same is not known.
    Address,
    /// In the read through a pointer that an entry overwrote: where it leads depends on the vertices of the frame.
    Pointer,
    /// In the function: the run was cut off in a loop that does not end before it got to the address.
    Loop,
}

impl<'m, 'a> Suspect<'m, 'a> {
    /// A model at an address; `game` is whose code runs where a message does not tell.
    pub fn new(model: &'m Model<'a>, address: u32, game: Game) -> Self {
        Self { model, address, game, runs: Vec::new() }
    }

    /// What the model says to a message.
    pub fn verdict(&mut self, explanation: &Explanation) -> Verdict {
        let game = explanation.game().unwrap_or(self.game);
        let shown = self.shown(game);
        Verdict::new(&self.runs[shown].1, explanation)
    }

    /// The place of a game's run among the runs; it is run when it is asked for first.
    fn shown(&mut self, game: Game) -> usize {
        if let Some(index) = self.runs.iter().position(|(of, _)| *of == game) {
            return index;
        }
        let switches = match game {
            Game::Sluggers => RunOptions { code: Some(SLUGGERS), ..RunOptions::default() },
            Game::Superstar => {
                RunOptions { console: Console::GameCube, code: Some(SUPERSTAR), ..RunOptions::default() }
            }
        };
        let (model, address) = (self.model, self.address);
        let subject = Subject { address, ..Subject::on(model, &switches) };
        let run = dry_run_on(model, Target::Dolphin, address.into(), &switches);
        let runs: Vec<DryRun> = run.iter().cloned().collect();
        let findings =
            join(rules::check(&subject), &runs, &[Target::Dolphin], &no_frame(model, address.into()));
        self.runs.push((game, Shown { subject, run, findings }));
        self.runs.len() - 1
    }
}

impl Verdict {
    fn new(shown: &Shown, explanation: &Explanation) -> Self {
        let subject = &shown.subject;
        let mut candidates = candidates(subject, explanation, shown.run.as_ref());
        let faults = shown.run.as_ref().map_or(&[][..], |run| &run.faults);
        let hit = Hit::find(faults, explanation, &candidates);
        mark(&mut candidates, faults, hit, explanation);
        candidates.sort_by_key(|candidate| (candidate.fit, candidate.entry));
        let left_out = candidates.len().saturating_sub(LISTED);
        candidates.truncate(LISTED);
        let run = run_words(subject, shown.run.as_ref(), hit, explanation);
        let (causes, certain) = causes(&shown.findings, hit.map(|hit| &faults[hit.index]), explanation);
        Self { candidates, left_out, causes, certain, run }
    }
}

/// The first fault of a run that goes with a message.
#[derive(Debug, Clone, Copy)]
struct Hit {
    index: usize,
    agreement: Agreement,
}

impl Hit {
    fn find(faults: &[FaultSeen], explanation: &Explanation, candidates: &[Candidate]) -> Option<Self> {
        let of = |wanted: Agreement| {
            let index =
                faults.iter().position(|fault| agreement(fault, explanation, candidates) == Some(wanted))?;
            Some(Self { index, agreement: wanted })
        };
        [Agreement::Whole, Agreement::Address, Agreement::Pointer, Agreement::Loop].into_iter().find_map(of)
    }
}

/// Whether a fault of a run is the one that a message tells.
fn agreement(fault: &FaultSeen, explanation: &Explanation, candidates: &[Candidate]) -> Option<Agreement> {
    let message = &explanation.message;
    let of_routine = explanation.routine.map(|routine| routine.runtime_name() == fault.site.function);
    if fault.kind == FaultKind::Budget && of_routine.unwrap_or(message.pc.is_none()) {
        return Some(Agreement::Loop);
    }
    let fits = |entry: EntryId| candidates.iter().any(|one| one.entry == entry && one.fit == Fit::Fits);
    // A loop that has run off goes on: what it names later is told by arithmetic.
    let same_loop = explanation.runs_off()
        && fault.address == super::LOCKED_CACHE_END
        && fault.part == Part::Entry
        && fault.entry.is_some_and(fits);
    let same_access = same_kind(fault.kind, message.kind) && fault.address == message.address;
    if !same_loop && !same_access {
        let overwritten = explanation.access == Some(Access::StateList) && fault.part == Part::Draw;
        return (overwritten && fault.entry.is_some()).then_some(Agreement::Pointer);
    }
    let Some(pc) = message.pc else { return Some(Agreement::Whole) };
    let same_offset = explanation.place.as_ref().is_some_and(|place| place.offset == fault.site.offset);
    match of_routine {
        Some(true) if same_loop || same_offset || fault.site.pc.is_none() => Some(Agreement::Whole),
        // Where the runtime does not know the function's address, another name proves nothing.
        None if fault.site.pc.is_none_or(|known| known == pc) || explanation.place.is_none() => {
            Some(Agreement::Address)
        }
        _ => None,
    }
}

fn same_kind(fault: FaultKind, message: MessageKind) -> bool {
    matches!(
        (fault, message),
        (FaultKind::Read, MessageKind::Read)
            | (FaultKind::Write, MessageKind::Write)
            | (FaultKind::Dma, MessageKind::Transfer)
    )
}

/// Marks the entry whose fault comes first among those that agree, adding entries where arithmetic had none.
fn mark(candidates: &mut Vec<Candidate>, faults: &[FaultSeen], hit: Option<Hit>, explanation: &Explanation) {
    let Some(hit) = hit else { return };
    let agreeing: Vec<(usize, EntryId)> = faults
        .iter()
        .enumerate()
        .filter(|(_, fault)| agreement(fault, explanation, candidates) == Some(hit.agreement))
        .filter_map(|(index, fault)| Some((index, fault.entry?)))
        .collect();
    for (index, entry) in agreeing {
        let is_first = index == hit.index && hit.agreement == Agreement::Whole;
        let fit = if is_first { Fit::ThisOne } else { Fit::Fits };
        if let Some(candidate) = candidates.iter_mut().find(|candidate| candidate.entry == entry) {
            candidate.fit = candidate.fit.min(fit);
        } else {
            candidates.push(Candidate { entry, fit, reason: reason(&faults[index]) });
        }
    }
}

fn reason(fault: &FaultSeen) -> String {
    match fault.part {
        Part::Draw => "it wrote the pointer that the display code follows".to_owned(),
        _ => format!("the run faults there: {}", fault.message),
    }
}

fn run_words(
    subject: &Subject,
    run: Option<&DryRun>,
    hit: Option<Hit>,
    explanation: &Explanation,
) -> Vec<String> {
    let Some(run) = run else { return vec!["The model cannot be run: it has nothing to skin.".to_owned()] };
    let mut words = vec![match (hit, run.faults.first()) {
        (None, None) => "Running the model gives no fault.".to_owned(),
        (None, Some(other)) => format!("Running the model gives another fault: {}", at(other)),
        (Some(hit), Some(first)) => {
            let fault = &run.faults[hit.index];
            let same = match hit.agreement {
                Agreement::Pointer => {
                    "the same read of another address (what was written over the pointer are vertices, which the pose \
                     decides)"
                }
                Agreement::Loop => "a loop that does not end and can come to this address",
                Agreement::Whole if fault.address != explanation.message.address => "the loop's first fault",
                Agreement::Whole if !same_kind(fault.kind, explanation.message.kind) => {
                    "the loop's first fault"
                }
                Agreement::Whole => "the same fault",
                Agreement::Address => {
                    "a fault at this address, by an instruction that is not known to be this one"
                }
            };
            if hit.index == 0 {
                format!("Running the model gives {same}: {}", fault.message)
            } else {
                format!(
                    "Running the model gives another fault first: {}. Once that is mended it gives {same}: {}",
                    at(first),
                    fault.message
                )
            }
        }
        (Some(_), None) => String::new(),
    }];
    let written = hit.is_some_and(|hit| run.faults[hit.index].entry.is_some());
    if explanation.access == Some(Access::StateList) && explanation.message.address == 0 && !written {
        words.extend(subject.gpl().and_then(null_in_the_file));
    }
    words
}

/// A fault with its entry.
fn at(fault: &FaultSeen) -> String {
    match fault.entry {
        Some(entry) => format!("{} at {entry}", fault.message),
        None => fault.message.clone(),
    }
}

/// The findings that a message is the effect of; where there are none, those of faults whose message nobody
/// knows, which may be.
fn causes(
    findings: &[Finding],
    fault: Option<&FaultSeen>,
    explanation: &Explanation,
) -> (Vec<Finding>, bool) {
    let words = |finding: &Finding| match &finding.dolphin {
        Some(Effect::Faults(words)) => Some(words.clone()),
        _ => None,
    };
    let by_run =
        |finding: &&Finding| fault.is_some_and(|fault| words(finding).as_ref() == Some(&fault.message));
    let by_message = |finding: &&Finding| {
        let told = words(finding).and_then(|words| message(&words));
        told.is_some_and(|told| is_told(&told, &explanation.message))
    };
    let mut sure: Vec<&Finding> = findings.iter().filter(|one| by_run(one) || by_message(one)).collect();
    let certain = !sure.is_empty();
    if !certain && explanation.routine.is_none() {
        sure =
            findings.iter().filter(|one| words(one).is_some_and(|words| message(&words).is_none())).collect();
    }
    let at_entry = fault.and_then(|fault| fault.entry).map(|entry| entry.to_string());
    keep(&mut sure, |one| at_entry.is_some() && one.place.entry == at_entry);
    // Of what one store runs over, the pointers are what is followed.
    let list = StructureKind::StateList.to_string();
    keep(&mut sure, |one| explanation.access == Some(Access::StateList) && one.text.contains(&list));
    sure.sort_by_key(|one| std::cmp::Reverse(one.severity));
    (sure.into_iter().take(CAUSES).cloned().collect(), certain)
}

/// Keeps what is wanted, where anything is.
fn keep(findings: &mut Vec<&Finding>, wanted: impl Fn(&Finding) -> bool) {
    if findings.iter().any(|one| wanted(one)) {
        findings.retain(|one| wanted(one));
    }
}

fn is_told(told: &Message, message: &Message) -> bool {
    (told.kind, told.address) == (message.kind, message.address) && told.pc.is_some() && told.pc == message.pc
}
