//! Every code is found in some model here: no rule is dead.

use std::collections::BTreeSet;

use skinsim::c3::build::skn::{AccumulateSource, Movers, Supplement};
use skinsim::c3::format::block::SectionKind;
use skinsim::c3::rules::CODES;
use skinsim::c3::rules::effects::{DryRun, FaultSeen, Origin, Part, Target, WrongSlot};
use skinsim::c3::rules::join::join;
use skinsim::finding::{Effect, Finding, Severity};
use skinsim::gekko::fault::{FaultKind, Site};

use super::broken::{BROKEN, ELSEWHERE};
use super::findings;
use super::written::{Clear, Plan, Run, Written};

pub const ONE: Run = Run { pair: None, bone: 1, count: 20, gap: 0, supplemented: 0, same: false };
pub const TWO: Run = Run { pair: Some(2), ..ONE };

/// A code, the severity that it must have, and the block that it must be found in.
type Case = (&'static str, Severity, fn() -> Vec<u8>);

/// Codes of written models.
const WRITTEN: &[Case] = &[
    ("texture-out-of-bounds", Severity::Error, || plan(&[ONE]).write().block(Some(&texture()))),
    ("palette-name-empty", Severity::Error, || {
        Plan { palette: Some(""), ..plan(&[ONE]) }.write().block(None)
    }),
    ("source-over-vanilla-limit", Severity::Warning, || {
        plan(&[Run { count: 682, gap: 2, ..ONE }]).write().block(None)
    }),
    ("source-over-buffer", Severity::Error, || {
        plan(&[Run { count: 342, gap: 2, ..TWO }]).write().block(None)
    }),
    ("accumulated-not-cleared", Severity::Error, || accumulating(Clear::Missing, false).block(None)),
    ("cleared-not-accumulated", Severity::Error, || accumulating(Clear::Usual, true).block(None)),
    ("clear-extra-line", Severity::Note, || accumulating(Clear::ExtraLine, false).block(None)),
    ("clear-cut-short", Severity::Warning, || {
        // Slots 6..13: the first begins 8 bytes into a line, and 96 bytes are cleared from that line on.
        Plan { accumulated: 8, ..plan(&[Run { count: 5, ..ONE }]) }.write().block(None)
    }),
    ("accumulation-shares-line", Severity::Warning, || sharing().block(None)),
    ("saturated", Severity::Warning, || saturated().block(None)),
    ("facial-count", Severity::Error, || face(0, &[0, 9])),
    ("facial-component", Severity::Error, || face(0x14 + 5, &[3])),
    ("facial-index", Severity::Error, || face(0x14 + 4, &[7])),
    ("facial-run-list", Severity::Error, || face(0x14 + 8, &[0x7F, 0xFF, 0, 0])),
];

pub fn plan(runs: &[Run]) -> Plan {
    Plan { runs: runs.to_vec(), ..Plan::default() }
}

/// One descriptor whose image begins at the end of the section.
pub fn texture() -> Vec<u8> {
    let mut bytes = vec![0; 0x40];
    bytes[..4].copy_from_slice(&[0, 1, 0, 0]);
    bytes[4..16].copy_from_slice(&[0, 0, 0, 0x40, 0, 0, 0, 0, 0, 8, 0, 8]);
    bytes
}

pub fn accumulating(clear: Clear, holes: bool) -> Written {
    Plan { accumulated: 24, holes, holes_drawn: holes, clear, ..plan(&[ONE, TWO]) }.write()
}

/// A slot that `SKAcc` alone writes, in the last line of an SK1 entry, whose store resets it in every frame.
pub fn sharing() -> Written {
    let mut written = plan(&[Run { count: 4, ..ONE }]).write();
    let part = |weight| Supplement { slot: 4, record: [100, 200, 300, 0, 0, 256], weight };
    written.skn.skacc = vec![AccumulateSource { bone: 0, base: 0, supplements: vec![part(255), part(1)] }];
    written.skn.flush = vec![3];
    let drawn = skinsim::c3::build::gpl::DrawnVertex { slot: 4, ..written.gpl.parts[0].vertices[0] };
    written.gpl.parts[0].vertices.extend([drawn; 3]);
    written
}

pub fn saturated() -> Written {
    let mut written = plan(&[TWO]).write();
    let entry = &mut written.skn.direct[0];
    if let Movers::Two(_, weights) = &mut entry.movers {
        weights.fill([255, 255]);
    }
    entry.records.fill([30_000, 0, 0, 0, 0, 256]);
    written
}

/// A model with facial poses, of whose section some bytes are changed.
pub fn face(at: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = Plan { face: true, ..plan(&[ONE, TWO]) }.write().block(None);
    let field = SectionKind::Facial.header_offset() as usize;
    let start = u32::from_be_bytes(bytes[field..field + 4].try_into().unwrap()) as usize;
    assert_eq!(bytes[start + 0x10..start + 0x14], [0, 0, 0, 0x14], "the attributes follow the objects");
    bytes[start + at..start + at + new.len()].copy_from_slice(new);
    bytes
}

#[test]
fn every_written_model_gets_its_finding() {
    let mut wrong = Vec::new();
    for (code, severity, bytes) in WRITTEN {
        let findings = findings(&bytes());
        let worst = findings.iter().filter(|finding| finding.code.name == *code).map(|f| f.severity).max();
        if worst != Some(*severity) {
            let have: Vec<_> = findings.iter().map(|f| (f.code.name, f.severity)).collect();
            wrong.push(format!("{code}: want {severity:?}, have {worst:?} of {have:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The finding of a code, with what it does on Dolphin and on the console.
fn only<'f>(findings: &'f [Finding], code: &str) -> (&'f Effect, &'f Effect) {
    let found = findings.iter().find(|finding| finding.code.name == code).unwrap();
    (found.dolphin.as_ref().unwrap(), found.console.as_ref().unwrap())
}

#[test]
fn what_written_models_do_is_told_for_both_targets() {
    let of = |code: &str| {
        let (.., bytes) = WRITTEN.iter().find(|(name, ..)| *name == code).unwrap();
        findings(&bytes())
    };
    let wrong = |code: &str| {
        let findings = of(code);
        let effects = only(&findings, code);
        matches!(effects, (Effect::WrongOutput(_), Effect::WrongOutput(_)))
    };
    assert!(wrong("texture-out-of-bounds") && wrong("accumulated-not-cleared") && wrong("clear-cut-short"));
    let none = |code: &str| only(&of(code), code) == (&Effect::None, &Effect::None);
    assert!(none("source-over-vanilla-limit") && none("accumulation-shares-line"));
    let findings = of("palette-name-empty");
    assert!(matches!(only(&findings, "palette-name-empty"), (Effect::Faults(_), Effect::Faults(_))));
}

#[test]
fn what_a_frame_does_and_no_rule_explains_is_a_finding_of_its_own() {
    let told = |run: DryRun| {
        let findings = join(Vec::new(), &[run], &[Target::Dolphin], "");
        findings.iter().map(|finding| (finding.code.name, finding.severity)).collect::<Vec<_>>()
    };
    let mut run = DryRun::clean(Target::Dolphin);
    run.wrong.push(WrongSlot { slot: 3, difference: 9, by: Vec::new() });
    assert_eq!(told(run.clone()), [("output-differs", Severity::Error)]);
    // What a frame did not get to because of a fault is the fault's doing.
    run.faults.push(FaultSeen {
        entry: None,
        part: Part::Flush,
        origin: Origin::default(),
        message: "Invalid read".to_owned(),
        kind: FaultKind::Read,
        site: Site { function: "flush", offset: 0, pc: None },
        address: 0,
    });
    assert_eq!(told(run), [("frame-fault", Severity::Error)]);
}

#[test]
fn no_rule_is_dead() {
    let broken = BROKEN.iter().map(|(code, ..)| *code);
    let written = WRITTEN.iter().map(|(code, ..)| *code);
    let tried: BTreeSet<&str> = broken.chain(written).chain(ELSEWHERE.iter().copied()).collect();
    let all: BTreeSet<&str> = CODES.iter().map(|code| code.name).collect();
    assert_eq!(all.difference(&tried).collect::<Vec<_>>(), [&""; 0], "no test finds these");
    assert_eq!(tried.difference(&all).collect::<Vec<_>>(), [&""; 0], "these do not exist");
}
