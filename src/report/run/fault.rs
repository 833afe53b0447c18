//! One fault of a run, as data, with Dolphin's words for it in every era.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::hex;
use crate::c3::outcome::Outcome;
use crate::c3::runtime::journal::LocatedFault;
use crate::c3::runtime::simulation::RunOptions;
use crate::gekko::fault::{DolphinEra, Fault, FaultKind};
use crate::gekko::map::Target;

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FaultReport {
    /// `read`, `write`, `dma`, `machine-check`, `program` or `budget`.
    pub access: &'static str,
    /// Effective address (DMA: the masked physical address).
    pub address: String,
    /// Bytes of the access.
    pub size: u32,
    /// Whether the address translated.
    pub translated: bool,
    /// The part of the frame.
    pub stage: &'static str,
    /// `SK1[3]`, or null outside the lists.
    pub entry: Option<String>,
    /// Vertex of the entry, while a kernel runs.
    pub vertex: Option<u32>,
    /// Frame number, from 0.
    pub frame: u32,
    /// Address of the instruction; null where the game's is not known.
    pub pc: Option<String>,
    /// Function and offset.
    pub at: String,
    /// Dolphin's text in the chosen era, of a console's fault too: how Dolphin words such an access, whether or not it
    /// fails there. What Dolphin has no text for (`machine-check`, `program`, `budget`) is told in the same words in
    /// every era.
    pub message: String,
    /// Dolphin's text in every era, in the same way.
    pub messages: BTreeMap<&'static str, String>,
    /// What the console does; left out on Dolphin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub console: Option<String>,
}

impl FaultReport {
    /// The report of one fault of a run: code that is no function of the library is named by the
    /// symbols of the program.
    pub fn of(located: &LocatedFault, outcome: &Outcome) -> Self {
        let site = located.fault.site;
        let pc = site.pc.filter(|_| site.function.is_empty());
        let symbol = pc.zip(outcome.program.as_ref()).and_then(|(pc, run)| run.game.functions().describe(pc));
        let report = Self::new(located, &outcome.options);
        Self { at: symbol.unwrap_or_else(|| report.at.clone()), ..report }
    }

    /// Draws up the report of one fault.
    pub fn new(located: &LocatedFault, options: &RunOptions) -> Self {
        let fault = &located.fault;
        let in_words = |era: DolphinEra| in_era(fault, era, options).message(era);
        Self {
            access: access_name(fault.kind),
            address: hex(fault.address),
            size: fault.size,
            translated: fault.translated,
            stage: located.stage.name(),
            entry: located.entry.map(|entry| entry.to_string()),
            vertex: located.vertex(),
            frame: located.frame,
            pc: fault.site.pc.map(hex),
            at: fault.site.to_string(),
            message: in_words(options.era),
            messages: DolphinEra::ALL.into_iter().map(|era| (era.name(), in_words(era))).collect(),
            console: (options.target == Target::Console).then(|| on_console(fault)),
        }
    }
}

/// The name of a kind of fault in JSON.
pub fn access_name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Read => "read",
        FaultKind::Write => "write",
        FaultKind::Dma => "dma",
        FaultKind::MachineCheck(_) => "machine-check",
        FaultKind::Budget => "budget",
        FaultKind::Program => "program",
    }
}

/// What a console does.
fn on_console(fault: &Fault) -> String {
    match fault.kind {
        FaultKind::Read | FaultKind::Write if in_locked_cache_segment(fault) => {
            format!("leaves the locked cache at {:#010x}", fault.address)
        }
        FaultKind::Read => format!("reads {:#010x}, where nothing answers", fault.address),
        FaultKind::Write => format!("writes {:#010x}, where nothing answers", fault.address),
        FaultKind::Dma => format!("transfers at physical {:#010x}, outside of memory", fault.address),
        _ => fault.message(DolphinEra::default()),
    }
}

/// The fault as a build of another era sees it: builds up to 5.0 need no BAT for the locked cache,
/// later ones honour the SDK's, so past its end the address translates there.
pub fn in_era(fault: &Fault, era: DolphinEra, options: &RunOptions) -> Fault {
    let past_the_end = (0xe004_0000..0xe100_0000).contains(&fault.address);
    if options.locked_cache_bat.is_some() || !past_the_end {
        return *fault;
    }
    fault.with_translated(era != DolphinEra::Release5)
}

fn in_locked_cache_segment(fault: &Fault) -> bool {
    fault.address >> 28 == 0xe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::runtime::code::SLUGGERS;

    #[test]
    fn a_console_s_fault_has_dolphin_s_words_beside_its_own() {
        let site = SLUGGERS.one_bone.at(0xb8);
        let fault = Fault {
            kind: FaultKind::Read,
            address: 0xe000_4000,
            size: 4,
            translated: true,
            site,
            marker: None,
        };
        let located = LocatedFault {
            fault,
            stage: crate::c3::runtime::journal::Stage::Sk1,
            entry: None,
            frame: 0,
            submesh: None,
        };
        for era in DolphinEra::ALL {
            let options = RunOptions { target: Target::Console, era, ..RunOptions::default() };
            let report = FaultReport::new(&located, &options);
            assert_eq!(report.message, "Unable to resolve read address e0004000 PC 80523ec4");
            assert_eq!(report.message, report.messages[era.name()]);
            assert_eq!(report.console.as_deref(), Some("leaves the locked cache at 0xe0004000"));
        }
        assert_eq!(FaultReport::new(&located, &RunOptions::default()).console, None);
    }

    #[test]
    fn each_era_words_the_crash_as_its_bats_make_it() {
        let fault = Fault {
            kind: FaultKind::Read,
            address: 0xe004_0000,
            size: 4,
            translated: false,
            site: SLUGGERS.one_bone.at(0xb8),
            marker: Some(21845),
        };
        let located = LocatedFault {
            fault,
            stage: crate::c3::runtime::journal::Stage::Sk1,
            entry: None,
            frame: 0,
            submesh: None,
        };
        let report = FaultReport::new(&located, &RunOptions::default());
        assert_eq!(report.message, "Invalid read from 0xe0040000, PC = 0x80523ec4");
        assert_eq!(report.messages["5.0"], report.message);
        assert_eq!(report.messages["2021"], "Unable to resolve read address e0040000 PC 80523ec4");
    }
}
