//! A model, the frames it went through, and what came of them: what snapshots, exports, reports and
//! comparisons are made from.

use super::coverage::Coverage;
use super::history::History;
use super::model::Model;
use super::runtime::draw::Damage;
use super::runtime::journal::Journal;
use super::runtime::load::{LoadError, LoadPlan, SkinMatrix};
use super::runtime::program::{GameProgram, ProgramError, ProgramOptions};
use super::runtime::resident::Resident;
use super::runtime::simulation::{RunOptions, Simulation};
use crate::gekko::cpu::Stop;
use crate::gekko::executable::Executable;
use crate::gekko::machine::Machine;
use crate::mesh::Mesh;

pub use super::poses::{FramePose, PoseError, Poses, Rig, bones_named};

/// A program whose code runs the frames.
#[derive(Debug, Clone)]
pub struct ProgramRun {
    /// The program and its processor.
    pub game: GameProgram,
    /// The function that was called.
    pub called: String,
    /// Why it ended before it returned, if it did.
    pub stop: Option<Box<Stop>>,
}

impl ProgramRun {
    fn frame(&mut self, simulation: &mut Simulation, matrices: &[SkinMatrix]) -> Journal {
        let (journal, stop) = self.game.frame(simulation, matrices);
        self.stop = stop;
        journal
    }
}

/// A model after its frames.
#[derive(Debug, Clone)]
pub struct Outcome<'m, 'a> {
    /// The model.
    pub model: &'m Model<'a>,
    /// Where it was placed.
    pub plan: LoadPlan<'a>,
    /// What was chosen.
    pub options: RunOptions,
    /// Name of the pose.
    pub pose_name: String,
    /// The pose of the last frame that was begun.
    pub pose: FramePose,
    /// The machine afterwards.
    pub simulation: Simulation,
    /// Why the pose of the frame after the last could not be computed; the run ended there.
    pub pose_error: Option<PoseError>,
    /// The program whose code ran, if it was not the direct model.
    pub program: Option<ProgramRun>,
    /// The account of the last frame, and of those before it that had faults.
    pub journals: Vec<Journal>,
    /// What changed from frame to frame.
    pub history: History,
    /// What the display code's walk after the last frame found changed.
    pub damage: Vec<Damage>,
}

impl<'m, 'a> Outcome<'m, 'a> {
    /// Loads a model and runs a frame for every pose, until execution ends for good.
    ///
    /// # Errors
    /// When memory does not hold the model.
    pub fn run(
        model: &'m Model<'a>,
        plan: LoadPlan<'a>,
        options: RunOptions,
        poses: Poses,
    ) -> Result<Self, LoadError> {
        Self::run_observed(model, plan, options, poses, |_| ())
    }

    /// The same, with a look at the outcome after every frame.
    ///
    /// # Errors
    /// When memory does not hold the model.
    pub fn run_observed(
        model: &'m Model<'a>,
        plan: LoadPlan<'a>,
        options: RunOptions,
        poses: Poses,
        after_frame: impl FnMut(&Self),
    ) -> Result<Self, LoadError> {
        let mut outcome = Self::load(model, plan, options, &poses, &[])?;
        outcome.run_frames(poses, after_frame);
        Ok(outcome)
    }

    /// Runs the frames by the code of a program instead of the direct model.
    ///
    /// # Errors
    /// When memory does not hold the model and the program, or the program cannot be set up.
    pub fn run_program(
        model: &'m Model<'a>,
        plan: LoadPlan<'a>,
        options: RunOptions,
        program: (&Executable, &ProgramOptions),
        poses: Poses,
    ) -> Result<Self, ProgramError> {
        Self::run_program_observed(model, plan, options, program, poses, |_| ())
    }

    /// The same, with a look at the outcome after every frame.
    ///
    /// # Errors
    /// When memory does not hold the model and the program, or the program cannot be set up.
    pub fn run_program_observed(
        model: &'m Model<'a>,
        plan: LoadPlan<'a>,
        options: RunOptions,
        program: (&Executable, &ProgramOptions),
        poses: Poses,
        after_frame: impl FnMut(&Self),
    ) -> Result<Self, ProgramError> {
        let (executable, program_options) = program;
        let mut outcome = Self::load(model, plan, options, &poses, &executable.ranges())?;
        let game = GameProgram::load(executable, program_options, &outcome.plan, &mut outcome.simulation)?;
        outcome.program = Some(ProgramRun { game, called: program_options.called().to_owned(), stop: None });
        outcome.run_frames(poses, after_frame);
        Ok(outcome)
    }

    /// Goes on where a game was paused, for `frames` frames with the matrices that are in its memory.
    /// `model` is what can be read of it there.
    pub fn resume(
        model: &'m Model<'a>,
        resident: &Resident,
        options: RunOptions,
        machine: Machine,
        frames: u32,
        after_frame: impl FnMut(&Self),
    ) -> Self {
        let simulation = Simulation::resume(machine, resident, &options);
        let poses = Poses::matrices("memory dump", Vec::new(), frames);
        let plan = LoadPlan::resident(resident);
        let mut outcome = Self::loaded(model, plan, options, simulation, &poses);
        outcome.run_frames(poses, after_frame);
        outcome
    }

    fn load(
        model: &'m Model<'a>,
        plan: LoadPlan<'a>,
        options: RunOptions,
        poses: &Poses,
        taken: &[(u32, u32)],
    ) -> Result<Self, LoadError> {
        let simulation = Simulation::load_beside(&plan, poses.bones, &options, taken)?;
        Ok(Self::loaded(model, plan, options, simulation, poses))
    }

    fn loaded(
        model: &'m Model<'a>,
        plan: LoadPlan<'a>,
        options: RunOptions,
        simulation: Simulation,
        poses: &Poses,
    ) -> Self {
        Self {
            history: History::of(simulation.position_bytes()),
            simulation,
            model,
            plan,
            options,
            pose_name: poses.name.clone(),
            pose: FramePose::default(),
            program: None,
            pose_error: None,
            journals: Vec::new(),
            damage: Vec::new(),
        }
    }

    fn run_frames(&mut self, poses: Poses, mut after_frame: impl FnMut(&Self)) {
        self.simulation.face = poses.face;
        let mut frames = poses.frames;
        while !self.has_ended() {
            let pose = match frames.next() {
                Some(Ok(pose)) => pose,
                Some(Err(error)) => {
                    self.pose_error = Some(error);
                    break;
                }
                None => break,
            };
            let journal = self.frame(&pose);
            // Of the frames before the last only faults are told.
            self.journals.retain(|earlier| !earlier.faults.is_empty());
            self.history.note(&journal, self.simulation.position_bytes());
            self.journals.push(journal);
            self.pose = pose;
            after_frame(self);
        }
    }

    /// Skins and draws.
    fn frame(&mut self, pose: &FramePose) -> Journal {
        let mut journal = match &mut self.program {
            None => self.simulation.frame(&pose.skin),
            Some(program) => program.frame(&mut self.simulation, &pose.skin),
        };
        if let (Some(gpl), false) = (&self.model.gpl, self.cut_off(&journal)) {
            self.damage = self.simulation.draw(gpl, &self.plan, &mut journal);
        }
        journal
    }

    /// A model at its default address, in one frame on Dolphin with every bone at rest.
    ///
    /// # Errors
    /// When the model has no GPL or no SKN, its skeleton cannot be loaded, or memory does not hold it.
    pub fn at_rest(model: &'m Model<'a>) -> Result<Self, LoadError> {
        let plan = LoadPlan::at(model, super::runtime::load::DEFAULT_ADDRESS)?;
        Self::run(model, plan, RunOptions::default(), Poses::rest(model, &Rig::default(), 1)?)
    }

    /// Whether execution has ended for good: a fault under "stop", or a hang.
    pub fn has_ended(&self) -> bool {
        let last = self.journals.last().unwrap_or(&self.simulation.load);
        self.simulation.ended(&self.simulation.load) || self.cut_off(last)
    }

    /// Whether the last frame, of which this is the account, did not run to its end.
    fn cut_off(&self, journal: &Journal) -> bool {
        let stopped = self.program.as_ref().is_some_and(|program| program.stop.is_some());
        stopped || self.simulation.ended(journal)
    }

    /// Frames that ran to their end.
    pub fn whole_frames(&self) -> u32 {
        let cut_off = self.journals.last().is_some_and(|journal| self.cut_off(journal));
        self.simulation.frames() - u32::from(cut_off)
    }

    /// The account of the last frame.
    pub fn last_journal(&self) -> Option<&Journal> {
        self.journals.last()
    }

    /// Every account that was kept, the loader's first.
    pub fn all_journals(&self) -> impl Iterator<Item = &Journal> {
        std::iter::once(&self.simulation.load).chain(&self.journals)
    }

    /// The mesh as the graphics processor reads it after the last frame.
    pub fn mesh(&self) -> Mesh {
        super::mesh::Topology::of(self.model).mesh(self)
    }

    /// Who writes which slot.
    pub fn coverage(&self) -> Coverage {
        Coverage::of(self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::testing::fox;

    #[test]
    fn a_run_takes_a_frame_for_every_pose() {
        let bytes = fox();
        let model = Model::from_block(&bytes).unwrap();
        let plan = LoadPlan::at(&model, 0x80a0_0000).unwrap();
        let mut seen = 0;
        let poses = Poses::identity(&model, 3);
        let outcome = Outcome::run_observed(&model, plan, RunOptions::default(), poses, |_| seen += 1);
        assert_eq!((seen, outcome.unwrap().whole_frames()), (3, 3));
    }

    #[test]
    fn without_a_skinning_section_there_is_nothing_to_run() {
        let model = Model::default();
        assert!(Outcome::at_rest(&model).is_err());
    }
}
