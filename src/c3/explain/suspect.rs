//! A model under suspicion: run once a game, and asked about message after message.

use std::cell::OnceCell;

use super::Explanation;
use super::hit::Policy;
use super::place::Tables;
use super::verdict::Verdict;
use crate::c3::check::no_frame;
use crate::c3::dry_run::{dry_run_on, went_on};
use crate::c3::games::Game;
use crate::c3::model::Model;
use crate::c3::rules::effects::{DryRun, FaultSeen, Target};
use crate::c3::rules::found::Evidence;
use crate::c3::rules::join::join;
use crate::c3::rules::subject::Subject;
use crate::c3::rules::{self, seen};
use crate::c3::runtime::code::{SLUGGERS, SUPERSTAR};
use crate::c3::runtime::load::{LoadPlan, Placement};
use crate::c3::runtime::simulation::RunOptions;
use crate::finding::Finding;
use crate::gekko::map::Console;

/// Where a model lies, and the machine that it runs on.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Where its files go.
    pub placement: Placement,
    /// The machine's switches; the game is the message's where the message tells.
    pub switches: RunOptions,
    /// Whether the switches' console was asked for; else it is the game's.
    pub console_asked_for: bool,
}

/// A model and what its runs showed.
pub struct Suspect<'m, 'a> {
    model: &'m Model<'a>,
    setting: Setting,
    tables: &'m Tables,
    runs: Vec<(Game, Shown<'m, 'a>)>,
}

/// What one game's run showed.
pub(super) struct Shown<'m, 'a> {
    /// The model.
    pub subject: Subject<'m, 'a>,
    /// The machine's switches.
    pub switches: RunOptions,
    /// Where its files go.
    pub placement: Placement,
    /// Frames that end at faults.
    pub run: Option<DryRun>,
    went_on: OnceCell<Vec<FaultSeen>>,
    /// Everything that is wrong with it.
    pub findings: Vec<Finding>,
    /// What decides on the first of the findings.
    pub evidence: Vec<Evidence>,
    /// The tables that name addresses of code.
    pub tables: &'m Tables,
    /// Whose built-in addresses the run has.
    pub game: Game,
}

impl<'m, 'a> Suspect<'m, 'a> {
    /// A model in its setting; code lies where the tables say.
    pub fn new(model: &'m Model<'a>, setting: Setting, tables: &'m Tables) -> Self {
        Self { model, setting, tables, runs: Vec::new() }
    }

    /// What the model says to a message.
    pub fn verdict(&mut self, explanation: &Explanation) -> Verdict {
        let asked_for = match self.setting.switches.code {
            Some(code) if code.game == Game::Superstar.id() => Game::Superstar,
            _ => Game::Sluggers,
        };
        let shown = self.shown(explanation.game().unwrap_or(asked_for));
        Verdict::new(&self.runs[shown].1, explanation)
    }

    /// The place of a game's run among the runs; it is run when it is asked for first.
    fn shown(&mut self, game: Game) -> usize {
        if let Some(index) = self.runs.iter().position(|(of, _)| *of == game) {
            return index;
        }
        let (code, console) = match game {
            Game::Sluggers => (SLUGGERS, Console::Wii),
            Game::Superstar => (SUPERSTAR, Console::GameCube),
        };
        let Setting { placement, switches, console_asked_for } = self.setting;
        let console = if console_asked_for { switches.console } else { console };
        let switches = RunOptions { console, code: Some(code), ..switches };
        let model = self.model;
        let subject = Subject {
            address: placement.model,
            skn_address: LoadPlan::placed(model, placement).ok().map(|plan| plan.skn),
            ..Subject::on(model, &switches)
        };
        let run = dry_run_on(model, Target::Dolphin, placement, &switches);
        let runs: Vec<DryRun> = run.iter().cloned().collect();
        let mut found = rules::check(&subject);
        seen::overwrites(&subject, &runs, &mut found);
        let evidence = found.iter().map(|one| one.evidence.clone()).collect();
        let findings = join(found, &runs, &[Target::Dolphin], &no_frame(model, placement));
        let shown = Shown {
            subject,
            switches,
            placement,
            run,
            went_on: OnceCell::new(),
            findings,
            evidence,
            tables: self.tables,
            game,
        };
        self.runs.push((game, shown));
        self.runs.len() - 1
    }
}

impl Shown<'_, '_> {
    /// The faults of a run. Frames go on only where there is a fault to go on after.
    pub fn faults(&self, policy: Policy) -> &[FaultSeen] {
        let ended = self.run.as_ref().map_or(&[][..], |run| &run.faults);
        match policy {
            Policy::Mend => ended,
            Policy::GoOn if ended.is_empty() => &[],
            Policy::GoOn => {
                self.went_on.get_or_init(|| went_on(self.subject.model, self.placement, &self.switches))
            }
        }
    }

    /// Where the instruction of a fault lies by the tables.
    pub fn pc(&self, fault: &FaultSeen) -> Option<u32> {
        self.tables.address_of(fault.site, self.game)
    }

    /// A fault in words, with the address of its instruction by the tables.
    pub fn words(&self, fault: &FaultSeen) -> String {
        let Some(known) = fault.site.pc else { return fault.message.clone() };
        let new = self.pc(fault).map_or_else(|| "????????".to_owned(), |pc| format!("{pc:08x}"));
        let old = format!("{known:08x}");
        match fault.message.rfind(&old) {
            Some(at) => format!("{}{new}{}", &fault.message[..at], &fault.message[at + old.len()..]),
            None => fault.message.clone(),
        }
    }
}
