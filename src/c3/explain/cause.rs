//! The findings that a message is the effect of.

use super::Explanation;
use super::access::Access;
use super::hit::{Agreement, Hit, Policy};
use super::suspect::Shown;
use crate::c3::format::gpl::StructureKind;
use crate::c3::rules::arrays::{VariableArray, variable_arrays};
use crate::c3::rules::effects::FaultSeen;
use crate::c3::rules::mechanism::explains;
use crate::finding::{Effect, Finding};
use crate::gekko::address::LINE_SIZE;
use crate::gekko::fault::FaultKind;
use crate::gekko::message::{Message, message};

/// Causes that are told.
const CAUSES: usize = 4;

/// The findings that a message is the effect of, and whether they are sure to be; where there are none, those of
/// faults whose message nobody knows, which may be.
pub(super) fn causes(shown: &Shown, hit: Option<&Hit>, explanation: &Explanation) -> (Vec<Finding>, bool) {
    let fault = hit.map(Hit::fault);
    let findings = &shown.findings;
    let by_run =
        |finding: &Finding| fault.is_some_and(|fault| words(finding) == Some(fault.message.as_str()));
    let by_message = |finding: &Finding| {
        let told = words(finding).and_then(message);
        told.is_some_and(|told| is_told(&told, &explanation.message))
    };
    let mut sure: Vec<&Finding> = findings.iter().filter(|one| by_run(one) || by_message(one)).collect();
    if sure.is_empty() {
        sure = fault.map(|fault| by_mechanism(shown, fault)).unwrap_or_default();
    }
    // Where the model lay is a guess.
    let certain = !sure.is_empty() && hit.is_none_or(|hit| hit.agreement != Agreement::Moved);
    if sure.is_empty() && explanation.routine.is_none() {
        sure =
            findings.iter().filter(|one| words(one).is_some_and(|words| message(words).is_none())).collect();
    }
    let at_entry = fault.and_then(|fault| fault.entry).map(|entry| entry.to_string());
    keep(&mut sure, |one| at_entry.is_some() && one.place.entry == at_entry);
    // Of several pointers the message names the address of one.
    let named = fault.map(|fault| loaded(shown, fault)).unwrap_or_default();
    keep(&mut sure, |one| named.iter().any(|name| one.place.field.as_deref() == Some(name)));
    // Of what one store runs over, the pointers are what is followed.
    let list = StructureKind::StateList.to_string();
    keep(&mut sure, |one| explanation.access == Some(Access::StateList) && one.text.contains(&list));
    sure.sort_by_key(|one| std::cmp::Reverse(one.severity));
    (sure.into_iter().take(CAUSES).cloned().collect(), certain)
}

/// The fault that a finding has on Dolphin.
fn words(finding: &Finding) -> Option<&str> {
    match &finding.dolphin {
        Some(Effect::Faults(words)) => Some(words),
        _ => None,
    }
}

/// The findings by whose mechanism a fault that ended no frame comes about; else those of the fault of the same part
/// that did.
fn by_mechanism<'s>(shown: &'s Shown, fault: &FaultSeen) -> Vec<&'s Finding> {
    let found = shown.evidence.iter().zip(&shown.findings);
    let by_itself: Vec<_> =
        found.filter(|(evidence, _)| explains(evidence, fault)).map(|(_, finding)| finding).collect();
    if !by_itself.is_empty() {
        return by_itself;
    }
    let mut ended = shown.faults(Policy::Mend).iter();
    let kin = ended.find(|other| (other.entry, other.part) == (fault.entry, fault.part));
    let of_kin = |finding: &&Finding| kin.is_some_and(|kin| words(finding) == Some(kin.message.as_str()));
    shown.findings.iter().filter(of_kin).collect()
}

/// The arrays of an entry that lie at the address which a transfer failed at.
fn loaded(shown: &Shown, fault: &FaultSeen) -> Vec<&'static str> {
    if fault.kind != FaultKind::Dma || fault.entry.is_none() {
        return Vec::new();
    }
    let base = shown.subject.skn_address.unwrap_or_default();
    let lies_there = |array: &VariableArray| {
        let mask = shown.switches.game_code().dma_memory_mask & !(LINE_SIZE - 1);
        let start = base.wrapping_add(array.pointer) & mask;
        let size = (array.range.end - array.range.start).next_multiple_of(LINE_SIZE.into()).max(1);
        u64::from(fault.address.wrapping_sub(start)) < size
    };
    let arrays = variable_arrays(&shown.subject);
    arrays
        .iter()
        .filter(|array| array.entry == fault.entry && lies_there(array))
        .map(|array| array.kind.name())
        .collect()
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
