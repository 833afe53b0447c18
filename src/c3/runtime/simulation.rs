//! A model in a machine, ready to run: load it once, then frame after frame.

use super::code::{GameCode, SLUGGERS, SUPERSTAR};
use super::draw::{Damage, draw};
use super::face::Face;
use super::frame::{ClearForm, FrameInput, frame};
use super::journal::{Journal, Stage};
use super::load::{Bones, LoadError, LoadPlan, SkinMatrix, relocate};
use super::resident::Resident;
use crate::c3::format::gpl::Gpl;
use crate::gekko::bus::{AccessRecord, Watched};
use crate::gekko::fault::DolphinEra;
use crate::gekko::machine::{DEFAULT_BUDGET, Machine, MachineConfig, OnFault};
use crate::gekko::map::{AddressMap, Console, LockedCacheBat, MemoryBats, Target};
use crate::gekko::paired_single::{Arithmetic, Rounding};
use crate::gekko::quantize::NanStore;
use crate::gekko::transfer_queue::DmaTiming;

/// Everything a user can choose about a run.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    /// Whose memory map.
    pub console: Console,
    /// Who executes.
    pub target: Target,
    /// Whose words a fault's message uses; also decides the default BAT of the locked cache.
    pub era: DolphinEra,
    /// The locked cache's BAT, if not the era's.
    pub locked_cache_bat: Option<LockedCacheBat>,
    /// Main-memory BATs of a GameCube.
    pub memory_bats: MemoryBats,
    /// Rounding, if not the target's.
    pub rounding: Option<Rounding>,
    /// NaN in quantized stores.
    pub nan_store: NanStore,
    /// When the console's locked-cache DMA happens.
    pub dma: DmaTiming,
    /// Whose floating point a processor computes by.
    pub arithmetic: Arithmetic,
    /// What happens after a fault.
    pub on_fault: OnFault,
    /// How memClr clears.
    pub clear: ClearForm,
    /// Which game's code runs, if not the console's.
    pub code: Option<GameCode>,
    /// Steps a frame may take before execution is cut off.
    pub budget: u64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            console: Console::default(),
            target: Target::default(),
            era: DolphinEra::default(),
            locked_cache_bat: None,
            memory_bats: MemoryBats::default(),
            rounding: None,
            nan_store: NanStore::default(),
            dma: DmaTiming::default(),
            arithmetic: Arithmetic::default(),
            on_fault: OnFault::default(),
            clear: ClearForm::default(),
            code: None,
            budget: DEFAULT_BUDGET,
        }
    }
}

impl RunOptions {
    /// The machine these options describe.
    pub fn machine_config(&self) -> MachineConfig {
        MachineConfig {
            map: AddressMap {
                console: self.console,
                target: self.target,
                locked_cache_bat: self.locked_cache_bat.unwrap_or_else(|| self.default_bat()),
                memory_bats: self.memory_bats,
            },
            rounding: self.rounding.unwrap_or(match self.target {
                Target::Dolphin => Rounding::Dolphin,
                Target::Console => Rounding::Exact,
            }),
            nan_store: self.nan_store,
            dma: self.dma,
            arithmetic: self.arithmetic,
            on_fault: self.on_fault,
            budget: self.budget,
        }
    }

    /// Up to 5.0 the locked cache needs no BAT; later builds and the console honour the SDK's 16 MiB.
    fn default_bat(&self) -> LockedCacheBat {
        if self.target == Target::Dolphin && self.era == DolphinEra::Release5 {
            LockedCacheBat::Size256K
        } else {
            LockedCacheBat::Size16M
        }
    }

    /// The game whose functions name the PCs.
    pub fn game_code(&self) -> GameCode {
        self.code.unwrap_or(match self.console {
            Console::Wii => SLUGGERS,
            Console::GameCube => SUPERSTAR,
        })
    }
}

/// A loaded model in its machine.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// The machine; its memory holds everything.
    pub machine: Machine,
    /// What a frame works on.
    pub input: FrameInput,
    /// Address of the skinned position array.
    pub positions: u32,
    /// Vertices the position array stores.
    pub position_count: u16,
    /// The bones, when they were built here.
    pub bones: Option<Bones>,
    /// Address of the GPL.
    pub gpl: u32,
    /// Facial poses, written before every frame.
    pub face: Face,
    /// What loading did.
    pub load: Journal,
    frames: u32,
}

impl Simulation {
    /// Places the files, builds `bone_count` bones and relocates. The machine is switched on first.
    ///
    /// # Errors
    /// When memory does not hold the model.
    pub fn load(plan: &LoadPlan, bone_count: usize, options: &RunOptions) -> Result<Self, LoadError> {
        Self::load_beside(plan, bone_count, options, &[])
    }

    /// The same, the bones clear of ranges that a program will take (first byte, one past the last).
    ///
    /// # Errors
    /// When memory does not hold the model.
    pub fn load_beside(
        plan: &LoadPlan,
        bone_count: usize,
        options: &RunOptions,
        taken: &[(u32, u32)],
    ) -> Result<Self, LoadError> {
        let mut machine = Machine::new(options.machine_config());
        plan.place(&mut machine)?;
        let bones = Bones::build_beside(&mut machine, plan.end(), bone_count, taken)?;
        let input = FrameInput {
            skn: plan.skn,
            bones: bones.pointers,
            code: options.game_code(),
            clear: options.clear,
        };
        let mut load = Journal::new(0);
        load.enter(&mut machine, Stage::Load, None);
        // A loader that stopped at a fault leaves the rest unrelocated; the journal says so.
        let _ = relocate(&mut machine, plan.skn, plan.positions);
        load.collect(&mut machine);
        tracing::debug!(
            skn = format_args!("{:#010x}", plan.skn),
            positions = format_args!("{:#010x}", plan.positions),
            bones = format_args!("{:#010x}", bones.pointers),
            count = bones.count(),
            faults = load.fault_count,
            "model loaded"
        );
        Ok(Self {
            machine,
            input,
            positions: plan.positions,
            position_count: plan.position_count,
            bones: Some(bones),
            gpl: plan.gpl,
            face: Face::default(),
            load,
            frames: 0,
        })
    }

    /// Goes on where a game was paused: its bones, matrices and relocated section are in the machine.
    pub fn resume(machine: Machine, resident: &Resident, options: &RunOptions) -> Self {
        let (positions, position_count) = resident.positions.unwrap_or_default();
        let input = FrameInput {
            skn: resident.skn,
            bones: resident.bones,
            code: options.game_code(),
            clear: options.clear,
        };
        Self {
            machine,
            input,
            positions,
            position_count,
            bones: None,
            gpl: 0,
            face: Face::default(),
            load: Journal::new(0),
            frames: 0,
        }
    }

    /// Whether execution has ended for good: a fault under "stop", or a hang.
    pub fn ended(&self, journal: &Journal) -> bool {
        journal.hangs() || (self.machine.config().on_fault == OnFault::Stop && !journal.faults.is_empty())
    }

    /// Frames begun so far.
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// Runs one frame with these skin matrices.
    pub fn frame(&mut self, matrices: &[SkinMatrix]) -> Journal {
        let mut journal = self.next_journal(matrices);
        if !self.ended(&journal) {
            let _ = frame(&mut self.machine, &self.input, &mut journal);
        }
        tracing::debug!(
            frame = journal.frame,
            entries = journal.entries.len(),
            faults = journal.fault_count,
            steps = self.machine.spent(),
            "frame ended"
        );
        journal
    }

    /// Runs one frame with these skin matrices, every access told to `observer`.
    pub fn frame_watched(&mut self, matrices: &[SkinMatrix], observer: impl FnMut(AccessRecord)) -> Journal {
        let mut journal = self.next_journal(matrices);
        if !self.ended(&journal) {
            let _ = frame(&mut Watched::new(&mut self.machine, observer), &self.input, &mut journal);
        }
        journal
    }

    /// Sets the matrices and writes the facial poses; the journal says whether the frame can begin.
    pub(super) fn next_journal(&mut self, matrices: &[SkinMatrix]) -> Journal {
        if let Some(bones) = self.bones {
            bones.set(&mut self.machine, matrices);
        }
        self.machine.renew_budget();
        self.frames += 1;
        let mut journal = Journal::new(self.frames - 1);
        self.face.apply(&mut self.machine, self.input.skn, self.gpl, &mut journal);
        journal
    }

    /// Lets the display code walk what the frame left behind: its faults go to the journal, the rest
    /// of the damage is given. Call it after a frame that ran to its end.
    pub fn draw(&mut self, gpl: &Gpl, plan: &LoadPlan, journal: &mut Journal) -> Vec<Damage> {
        let outcome = draw(&mut self.machine, gpl, plan, std::slice::from_ref(journal), self.input.code.draw);
        journal.fault_count += outcome.faults.len() as u64;
        journal.faults.extend(outcome.faults);
        outcome.damage
    }

    /// The position array as memory holds it (what the graphics processor reads).
    pub fn position_bytes(&self) -> Option<&[u8]> {
        if self.positions == 0 && self.bones.is_none() {
            return None;
        }
        self.machine.memory(self.positions, u32::from(self.position_count) * 12)
    }
}
