//! Options that describe the machine and where a model goes in it.

use clap::{Args, ValueEnum};

use crate::c3::games::Game;
use crate::c3::model::Model;
use crate::c3::runtime::code::{SLUGGERS, SUPERSTAR};
use crate::c3::runtime::frame::ClearForm;
use crate::c3::runtime::load::Placement;
use crate::c3::runtime::simulation::RunOptions;
use crate::gekko::fault::DolphinEra;
use crate::gekko::machine::{DEFAULT_BUDGET, OnFault};
use crate::gekko::map::{Console, LockedCacheBat, MemoryBats, Target};
use crate::gekko::paired_single::{Arithmetic, Rounding};
use crate::gekko::quantize::NanStore;
use crate::gekko::transfer_queue::DmaTiming;

/// Options of the simulated machine.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Machine (GameCube / Wii)")]
pub struct MachineOptions {
    /// Whose memory map [default: wii]
    #[arg(long, value_enum)]
    console: Option<ConsoleName>,
    /// Which build's words a message uses (5.0 needs no BAT for the locked cache)
    #[arg(long, value_enum, default_value_t = EraName::V5)]
    dolphin: EraName,
    /// BAT of the locked cache [default: by --dolphin]
    #[arg(long, value_enum)]
    lc_bat: Option<BatName>,
    /// BATs of main memory on a GameCube: the SDK's 24 MiB, or the boot loader's 256 MiB
    #[arg(long, value_enum, default_value_t = MemoryBatName::Sdk)]
    memory_bats: MemoryBatName,
    /// Rounding of fused multiply-adds [default: dolphin, on the console target exact]
    #[arg(long, value_enum)]
    rounding: Option<RoundingName>,
    /// What a NaN becomes in a quantized store (hardware unknown) [default: by --arithmetic]
    #[arg(long, value_enum)]
    nan_store: Option<EngineOfDolphin>,
    /// Whose NaNs, flushing and float stores, where the engines of Dolphin differ
    #[arg(long, value_enum, default_value_t = EngineOfDolphin::Interpreter)]
    arithmetic: EngineOfDolphin,
    /// How memClr clears (unproven for Sluggers)
    #[arg(long, value_enum, default_value_t = ClearName::Dcbz)]
    clear: ClearName,
    /// Whose code addresses name the PCs [default: by --console]
    #[arg(long, value_enum)]
    game: Option<GameName>,
    /// Steps (vertices, lines) that a frame may take before execution is cut off
    #[arg(long, default_value_t = DEFAULT_BUDGET)]
    budget: u64,
}

/// Where files go.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Placing (GameCube / Wii)")]
pub struct PlacingOptions {
    /// Address of a block
    #[arg(long, value_parser = parse_address, default_value = "0x80a00000")]
    pub address: u32,
    /// Address of a loose GPL [default: --address]
    #[arg(long, value_parser = parse_address)]
    pub gpl_address: Option<u32>,
    /// Address of a loose SKN [default: 64 KiB after the GPL]
    #[arg(long, value_parser = parse_address)]
    pub skn_address: Option<u32>,
}

impl PlacingOptions {
    /// Where the files of a model go.
    pub fn placement(&self, model: &Model) -> Placement {
        let loose = self.gpl_address.filter(|_| model.block.is_none());
        Placement { model: loose.unwrap_or(self.address), skn: self.skn_address }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ConsoleName {
    Gamecube,
    Wii,
}

/// Who executes, on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum TargetName {
    /// Locked cache of 256 KiB, no data cache, instant DMA
    Dolphin,
    /// Locked cache of 16 KiB, data cache, DMA queue
    Console,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EraName {
    #[value(name = "5.0")]
    V5,
    #[value(name = "2016")]
    V2016,
    #[value(name = "2021")]
    V2021,
    #[value(name = "2025")]
    V2025,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum BatName {
    #[value(name = "16m")]
    Size16M,
    #[value(name = "256k")]
    Size256K,
    None,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MemoryBatName {
    Sdk,
    Boot,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoundingName {
    Dolphin,
    Exact,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EngineOfDolphin {
    Interpreter,
    Jit,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ClearName {
    Dcbz,
    Bytes,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GameName {
    #[value(name = "RMBE01")]
    Sluggers,
    #[value(name = "GYQE01")]
    Superstar,
}

/// When locked-cache DMA happens, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DmaName {
    /// The moment it is asked for, as in Dolphin
    Instant,
    /// As late as the code's waits allow: code without a wait finds the old bytes
    Deferred,
}

/// What happens after a fault, on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum OnFaultName {
    /// End the run
    Stop,
    /// Go on as Dolphin does: a failed read gives 0, a failed write is dropped
    Continue,
}

impl MachineOptions {
    /// Whether a console was named.
    pub fn names_console(&self) -> bool {
        self.console.is_some()
    }

    /// The game that was named.
    pub fn named_game(&self) -> Option<Game> {
        self.game.map(|game| match game {
            GameName::Sluggers => Game::Sluggers,
            GameName::Superstar => Game::Superstar,
        })
    }

    /// The options as the library takes them.
    pub fn run_options(&self, target: TargetName, on_fault: OnFaultName) -> RunOptions {
        RunOptions {
            console: match self.console {
                Some(ConsoleName::Gamecube) => Console::GameCube,
                Some(ConsoleName::Wii) | None => Console::Wii,
            },
            target: match target {
                TargetName::Dolphin => Target::Dolphin,
                TargetName::Console => Target::Console,
            },
            era: match self.dolphin {
                EraName::V5 => DolphinEra::Release5,
                EraName::V2016 => DolphinEra::Since2016,
                EraName::V2021 => DolphinEra::Since2021,
                EraName::V2025 => DolphinEra::Since2025,
            },
            locked_cache_bat: self.lc_bat.map(|bat| match bat {
                BatName::Size16M => LockedCacheBat::Size16M,
                BatName::Size256K => LockedCacheBat::Size256K,
                BatName::None => LockedCacheBat::None,
            }),
            memory_bats: match self.memory_bats {
                MemoryBatName::Sdk => MemoryBats::Sdk,
                MemoryBatName::Boot => MemoryBats::Boot,
            },
            rounding: self.rounding.map(|rounding| match rounding {
                RoundingName::Dolphin => Rounding::Dolphin,
                RoundingName::Exact => Rounding::Exact,
            }),
            nan_store: match self.nan_store.unwrap_or(self.arithmetic) {
                EngineOfDolphin::Interpreter => NanStore::Zero,
                EngineOfDolphin::Jit => NanStore::Jit,
            },
            arithmetic: match self.arithmetic {
                EngineOfDolphin::Interpreter => Arithmetic::Interpreter,
                EngineOfDolphin::Jit => Arithmetic::Jit,
            },
            dma: DmaTiming::default(),
            on_fault: match on_fault {
                OnFaultName::Stop => OnFault::Stop,
                OnFaultName::Continue => OnFault::Continue,
            },
            clear: match self.clear {
                ClearName::Dcbz => ClearForm::Dcbz,
                ClearName::Bytes => ClearForm::Bytes,
            },
            code: self.game.map(|game| match game {
                GameName::Sluggers => SLUGGERS,
                GameName::Superstar => SUPERSTAR,
            }),
            budget: self.budget,
        }
    }
}

/// Reads an address: `0x80a00000`, or decimal.
///
/// # Errors
/// When it is neither, or takes more than 32 bits.
pub fn parse_address(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("want a 32-bit address such as 0x80a00000, have {text:?}"))
}
