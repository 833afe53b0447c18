//! A fault is a value: what was accessed, where, by which instruction, and whether the address
//! translated. Its words are rendered last, for one era of Dolphin.

use std::fmt;

/// What kind of access failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A load.
    Read,
    /// A store (or a `dcbz`).
    Write,
    /// A locked-cache DMA transfer whose memory range Dolphin cannot resolve.
    Dma,
    /// A machine check of the locked cache (console target).
    MachineCheck(MachineCheck),
    /// No fault of the machine: execution was cut off after this many steps.
    Budget,
    /// An instruction that the interpreter does not execute, or that raises a program exception.
    Program,
}

/// The locked cache's error causes, in the order of their HID2 bits. [machine.md A3: H]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MachineCheck {
    /// DCHERR: `dcbz_l` hit a tag that is already in the cache.
    TagAlreadyInCache,
    /// DNCERR: DMA to a line of the normal cache.
    NormalCache,
    /// DCMERR: DMA to an address with no locked line.
    Missed,
    /// DQOERR: more than 15 transfers queued.
    QueueOverflow,
}

/// The instruction behind an access: a function by name with an offset, its address where the
/// game's is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Site {
    /// Function name, or "" when only the address is known.
    pub function: &'static str,
    /// Bytes from the function's first instruction.
    pub offset: u32,
    /// Address of the instruction, where known.
    pub pc: Option<u32>,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.function, self.pc) {
            ("", Some(pc)) => write!(f, "{pc:#010x}"),
            ("", None) => f.write_str("unknown code"),
            // Code whose instructions nobody has listed.
            (function, None) if self.offset == 0 => f.write_str(function),
            (function, _) => write!(f, "{function}+{:#x}", self.offset),
        }
    }
}

/// One failed access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fault {
    /// Kind of access.
    pub kind: FaultKind,
    /// Effective address (DMA: the masked physical address Dolphin names).
    pub address: u32,
    /// Bytes of the access.
    pub size: u32,
    /// Whether the address translated. Dolphin words the two cases differently.
    pub translated: bool,
    /// The instruction.
    pub site: Site,
    /// The caller's own marker at the time of the access (the frame's: the vertex).
    pub marker: Option<u32>,
}

/// Builds of Dolphin that word faults differently (or map the locked cache differently).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum DolphinEra {
    /// Up to 5.0: the locked cache needs no BAT.
    #[default]
    Release5,
    /// From 2016: BATs are honoured.
    Since2016,
    /// From 2021.
    Since2021,
    /// From August 2025: the advice to enable the MMU follows.
    Since2025,
}

impl DolphinEra {
    /// All eras, oldest first.
    pub const ALL: [Self; 4] = [Self::Release5, Self::Since2016, Self::Since2021, Self::Since2025];

    /// The name used on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Release5 => "5.0",
            Self::Since2016 => "2016",
            Self::Since2021 => "2021",
            Self::Since2025 => "2025",
        }
    }
}

/// The paragraph that builds since August 2025 put behind an untranslated access. [machine.md A2: H]
const ADVICE_SINCE_2025: &str = "; the game probably would have crashed on real hardware.\n\n\
    For accurate emulation, enable MMU in advanced settings.";

impl Fault {
    /// Dolphin's message for this fault in one era, with the era's own idea of whether the
    /// address translated left as recorded. A pc that is not known reads `????????`.
    pub fn message(&self, era: DolphinEra) -> String {
        let pc = self.site.pc;
        match self.kind {
            FaultKind::Read => access_message(era, "read", "from", self.address, pc, self.translated),
            FaultKind::Write => access_message(era, "write", "to", self.address, pc, self.translated),
            FaultKind::Dma => {
                format!("Unknown Pointer {:#010x} PC 0x{} LR 0x????????", self.address, hex(pc))
            }
            FaultKind::MachineCheck(cause) => cause.to_string(),
            FaultKind::Budget => {
                format!("(no message: the game hangs here; execution was cut off at {})", self.site)
            }
            FaultKind::Program => format!("Program exception at {}", self.site),
        }
    }

    /// The same access with the other answer to "did the address translate": what a build with
    /// another BAT for the locked cache says.
    #[must_use]
    pub fn with_translated(mut self, translated: bool) -> Self {
        self.translated = translated;
        self
    }
}

fn hex(pc: Option<u32>) -> String {
    pc.map_or_else(|| "????????".to_owned(), |pc| format!("{pc:08x}"))
}

/// The wording of a failed load or store. [machine.md A2: H; measured: Dolphin 5.0-17995]
fn access_message(
    era: DolphinEra,
    verb: &str,
    preposition: &str,
    address: u32,
    pc: Option<u32>,
    translated: bool,
) -> String {
    let pc = hex(pc);
    if translated {
        return format!("Unable to resolve {verb} address {address:x} PC {}", trim_zeros(&pc));
    }
    let advice = if era >= DolphinEra::Since2025 { ADVICE_SINCE_2025 } else { "" };
    format!("Invalid {verb} {preposition} {address:#010x}, PC = 0x{pc}{advice}")
}

/// "Unable to resolve" prints its numbers without leading zeros.
fn trim_zeros(hex: &str) -> &str {
    let trimmed = hex.trim_start_matches('0');
    if trimmed.is_empty() { "0" } else { trimmed }
}

impl fmt::Display for MachineCheck {
    /// In the words of the SDK's machine-check handler. [machine.md A3: H]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TagAlreadyInCache => "Requested a locked cache tag that was already in the cache",
            Self::NormalCache => "DMA attempted to access normal cache",
            Self::Missed => "DMA missed in data cache",
            Self::QueueOverflow => "DMA queue overflowed",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(translated: bool) -> Fault {
        Fault {
            kind: FaultKind::Read,
            address: 0xe004_0000,
            size: 4,
            translated,
            site: Site { function: "one-bone", offset: 0xb8, pc: Some(0x8052_3ec4) },
            marker: None,
        }
    }

    #[test]
    fn the_seeds_crash_in_the_words_of_dolphin_5() {
        assert_eq!(
            read(false).message(DolphinEra::Release5),
            "Invalid read from 0xe0040000, PC = 0x80523ec4"
        );
        assert_eq!(read(false).site.to_string(), "one-bone+0xb8");
    }

    #[test]
    fn a_translated_address_is_unable_to_resolve_in_every_era() {
        for era in DolphinEra::ALL {
            assert_eq!(read(true).message(era), "Unable to resolve read address e0040000 PC 80523ec4");
        }
    }

    #[test]
    fn builds_since_2025_add_their_advice() {
        let text = read(false).message(DolphinEra::Since2025);
        assert!(text.starts_with("Invalid read from 0xe0040000, PC = 0x80523ec4; the game"));
        assert!(text.ends_with("enable MMU in advanced settings."));
    }

    #[test]
    fn an_unknown_pc_is_shown_as_unknown() {
        let mut fault = read(false);
        fault.site = Site { function: "frame", offset: 0, pc: None };
        assert_eq!(fault.message(DolphinEra::Since2021), "Invalid read from 0xe0040000, PC = 0x????????");
    }
}
