//! What is cleared before accumulation. The library clears whole lines \[listing\], the game may clear the very bytes
//! of the range \[open\]: the rules follow the form that the frames run with, and say where the other one differs.

use std::ops::Range;

use super::accumulation::{runs, slot_list, total};
use super::codes;
use super::effects::Part;
use super::found::Found;
use super::lists;
use super::subject::Subject;
use crate::c3::format::align32;
use crate::c3::format::skn::{STRIDE, Skn};
use crate::c3::runtime::frame::ClearForm;
use crate::finding::{Place, Severity};

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(skn) = subject.skn() else { return };
    if skn.header.skacc_count == 0 {
        if skn.header.clear_size != 0 {
            let text = "a range is set, but without SKAcc entries nothing is cleared";
            let help = "set start and size to 0";
            found.push(Found::new(&codes::CLEAR_WITHOUT_ACCUMULATION, place(subject), text, help));
        }
        return;
    }
    let forms = Forms::new(subject);
    if lists::writes_unknown(skn) {
        return hits(subject, &forms, found);
    }
    formula(subject, skn, &forms, found);
    not_cleared(subject, &forms, found);
    hits(subject, &forms, found);
    not_accumulated(subject, &forms, found);
}

fn place(subject: &Subject) -> Place {
    subject.skn_place(0x14).field("memClr")
}

/// The bytes that each form clears, from the position array.
struct Forms {
    lines: Range<u64>,
    bytes: Range<u64>,
    asked: ClearForm,
}

impl Forms {
    fn new(subject: &Subject) -> Self {
        let cleared = |form| {
            let range = subject.cleared_around(form);
            range.start.max(0).cast_unsigned()..range.end.max(0).cast_unsigned()
        };
        Self { lines: cleared(ClearForm::Dcbz), bytes: cleared(ClearForm::Bytes), asked: subject.clear }
    }

    const fn asked(&self) -> &Range<u64> {
        match self.asked {
            ClearForm::Dcbz => &self.lines,
            ClearForm::Bytes => &self.bytes,
        }
    }

    const fn other(&self) -> &Range<u64> {
        match self.asked {
            ClearForm::Dcbz => &self.bytes,
            ClearForm::Bytes => &self.lines,
        }
    }

    /// What the form that was not asked for does.
    const fn other_name(&self) -> &'static str {
        match self.asked {
            ClearForm::Dcbz => "clearing byte by byte",
            ClearForm::Bytes => "clearing whole lines, as the library does,",
        }
    }

    /// `the lines 0x20..0x80`.
    fn words(&self) -> String {
        let (what, range) = match self.asked {
            ClearForm::Dcbz => ("lines", &self.lines),
            ClearForm::Bytes => ("bytes", &self.bytes),
        };
        format!("the {what} {:#x}..{:#x}", range.start, range.end)
    }
}

fn holds(range: &Range<u64>, slot: u64) -> bool {
    range.start <= slot * STRIDE && (slot + 1) * STRIDE <= range.end
}

fn touches(range: &Range<u64>, slot: u64) -> bool {
    range.start < (slot + 1) * STRIDE && slot * STRIDE < range.end
}

fn slots_of(runs: &[Range<u64>]) -> String {
    format!("slot{} {}", if total(runs) == 1 { "" } else { "s" }, slot_list(runs))
}

/// The range that known models clear: from the lowest slot that only `SKAcc` writes, up to the end of
/// the highest, in whole lines. \[seed 003\]
fn usual_range(subject: &Subject) -> Option<(u64, u64)> {
    let lowest = subject.coverage.accumulation_only().next()? as u64;
    let highest = subject.coverage.accumulation_only().last()? as u64;
    let start = lowest * STRIDE;
    Some((start, align32((highest + 1) * STRIDE - start)))
}

/// The slots that only `SKAcc` entries write and that a condition holds for.
fn accumulated(subject: &Subject, is: impl Fn(u64) -> bool) -> Vec<Range<u64>> {
    runs(subject.coverage.accumulation_only().map(|slot| slot as u64).filter(|&slot| is(slot)))
}

fn formula(subject: &Subject, skn: &Skn, forms: &Forms, found: &mut Vec<Found>) {
    if subject.positions().is_none() {
        return; // How many slots there are is not known, nor which of them entries write.
    }
    let have = (u64::from(skn.header.clear_start), u64::from(skn.header.clear_size));
    let want = usual_range(subject).unwrap_or((0, 0));
    if have == want || (have.1 == 0 && want.1 == 0) {
        return;
    }
    let help = format!("known models would use start {:#x}, size {:#x}", want.0, want.1);
    let text = format!("the clear range is {:#x} bytes at {:#x}", have.1, have.0);
    let extra = have.0 == want.0 && have.1 == want.1 + 32;
    let code = if extra { &codes::CLEAR_EXTRA_LINE } else { &codes::CLEAR_RANGE };
    let mut text = if extra { format!("{text}, one line more than needed") } else { text };
    let left = accumulated(subject, |slot| holds(forms.asked(), slot) && !holds(forms.other(), slot));
    // Of whole lines, what is cut short is a finding of its own.
    if !left.is_empty() && forms.asked == ClearForm::Dcbz {
        text = format!("{text}; {} would leave {} uncleared", forms.other_name(), slots_of(&left));
    }
    found.push(Found::new(code, place(subject), text, help).part(Part::Clear));
}

fn not_cleared(subject: &Subject, forms: &Forms, found: &mut Vec<Found>) {
    let cut = |slot: u64| holds(&forms.bytes, slot) && !holds(&forms.lines, slot);
    let never = accumulated(subject, |slot| !holds(forms.asked(), slot) && !cut(slot));
    if !never.is_empty() {
        let count = total(&never);
        let mut text = format!(
            "{count} slot{} that only SKAcc writes {} not cleared: {}",
            if count == 1 { "" } else { "s" },
            if count == 1 { "is" } else { "are" },
            slot_list(&never)
        );
        let by_lines = accumulated(subject, |slot| !holds(&forms.bytes, slot) && holds(&forms.lines, slot));
        if forms.asked == ClearForm::Bytes && !by_lines.is_empty() {
            text = format!("{text}; {} would clear {}", forms.other_name(), slots_of(&by_lines));
        }
        let help = "extend the clear range, or let an SK1 or SK2 entry write these slots first";
        let finding = Found::new(&codes::ACCUMULATED_NOT_CLEARED, place(subject), text, help);
        found.push(never.into_iter().fold(finding, Found::slots));
    }
    let cut = accumulated(subject, cut);
    if !cut.is_empty() {
        let text = format!(
            "the range {:#x}..{:#x} covers {}, the lines {:#x}..{:#x} {} not: {}",
            forms.bytes.start,
            forms.bytes.end,
            slots_of(&cut),
            forms.lines.start,
            forms.lines.end,
            match forms.asked {
                ClearForm::Dcbz => "that are cleared do",
                ClearForm::Bytes => "that the library would clear do",
            },
            match forms.asked {
                ClearForm::Dcbz => "only clearing byte by byte would reach the end",
                ClearForm::Bytes => "byte by byte the end is reached",
            }
        );
        let help = "make the range one line longer; then both ways in which the game may clear, lines or bytes, reach it";
        let finding = Found::new(&codes::CLEAR_CUT_SHORT, place(subject), text, help).open();
        found.push(cut.into_iter().fold(finding, Found::slots));
    }
}

/// Slots of SK1 and SK2 entries that are cleared after these have run.
fn hits(subject: &Subject, forms: &Forms, found: &mut Vec<Found>) {
    let limit = subject.coverage.skacc.len() as u64;
    let direct = |in_one: &Range<u64>, in_other: Option<&Range<u64>>| {
        let touched = in_one.start / STRIDE..in_one.end.div_ceil(STRIDE).min(limit);
        let slots = touched.filter(|&slot| touches(in_one, slot));
        let slots = slots.filter(|&slot| in_other.is_none_or(|other| !touches(other, slot)));
        runs(slots.filter(|&slot| subject.coverage.is_direct(slot as usize)))
    };
    let help = "clear only slots that SKAcc alone writes: the clear runs after SK1 and SK2";
    let hit = direct(forms.asked(), None);
    if !hit.is_empty() {
        let mut text =
            format!("{} cover slots that SK1 or SK2 entries write: {}", forms.words(), slot_list(&hit));
        let spared = direct(forms.asked(), Some(forms.other()));
        if !spared.is_empty() {
            text = format!("{text}; {} would spare {}", forms.other_name(), slots_of(&spared));
        }
        let finding = Found::new(&codes::CLEAR_HITS_DIRECT, place(subject), text, help);
        found.push(hit.into_iter().fold(finding, Found::slots));
    }
    let only_other = direct(forms.other(), Some(forms.asked()));
    if !only_other.is_empty() {
        let text = format!(
            "{} would reach {}, which SK1 or SK2 entries write; {} do not",
            forms.other_name(),
            slots_of(&only_other),
            forms.words()
        );
        // The frames show the form that was asked for.
        let finding = Found::new(&codes::CLEAR_HITS_DIRECT, place(subject), text, help);
        found.push(finding.severity(Severity::Warning).decisive());
    }
}

/// Slots that are cleared and that nothing writes afterwards.
fn not_accumulated(subject: &Subject, forms: &Forms, found: &mut Vec<Found>) {
    let limit = subject.coverage.skacc.len() as u64;
    let whole = |range: &Range<u64>| range.start.div_ceil(STRIDE)..(range.end / STRIDE).min(limit);
    let idle = |slot: &u64| {
        let slot = *slot as usize;
        !subject.coverage.is_direct(slot) && !subject.coverage.is_accumulation_only(slot)
    };
    // What rounding to lines adds, and one line more, is usual: a known model has it.
    let usual = usual_range(subject).map_or(0..0, |(start, size)| start & !31..start + size + 32);
    // Slots behind the array are drawn by indices that lead past its end, and that is told.
    let stored = subject.stored_bytes() / STRIDE;
    let drawn = |slot: u64| slot < stored && subject.coverage.used.get(slot as usize).is_some_and(|bit| *bit);
    let odd = |slot: &u64| drawn(*slot) || !holds(&usual, *slot);
    let slots: Vec<u64> = whole(forms.asked()).filter(idle).filter(odd).collect();
    let by_other =
        whole(forms.other()).filter(idle).filter(|&slot| drawn(slot) && !holds(forms.asked(), slot));
    let by_other = runs(by_other);
    if slots.is_empty() {
        return; // A drawn slot that nothing writes is told as such; what clears it is said there.
    }
    let shown = slots.iter().filter(|&&slot| drawn(slot)).count();
    let which = if shown != 0 { "slots, drawn ones among them," } else { "slots" };
    let mut text = format!(
        "{which} are cleared, and nothing accumulates into them: {}",
        slot_list(&runs(slots.iter().copied()))
    );
    let spared = runs(slots.iter().copied().filter(|&slot| drawn(slot) && !holds(forms.other(), slot)));
    if !spared.is_empty() {
        text = format!("{text}; {} would spare {}", forms.other_name(), slots_of(&spared));
    }
    if !by_other.is_empty() {
        text = format!("{text}; {} would reach {} too", forms.other_name(), slots_of(&by_other));
    }
    let help = "shorten the clear range, or let SKAcc entries write these slots";
    let finding = Found::new(&codes::CLEARED_NOT_ACCUMULATED, place(subject), text, help);
    let lie = if shown == 1 { "slot lies" } else { "slots lie" };
    found.push(match shown {
        0 => finding,
        _ => finding.spoils(format!("{shown} drawn {lie} at the origin")),
    });
}
