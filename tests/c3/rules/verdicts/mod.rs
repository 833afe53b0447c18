//! What each broken rule must be told as: code, severity, place and what it does on both targets. The expected
//! values are worked out from the mechanism, beside each case.

mod actor;
mod clear;
mod combined;
mod compared;
mod container;
mod ended;
mod entries;
mod geometry;
mod lists;
mod once;
mod played;
mod pointers;
mod written;

use std::collections::BTreeSet;

use skinsim::finding::{Effect, Finding, Severity};

use super::{Change, changed, findings};

/// What a finding must say about one target.
#[derive(Debug, Clone, Copy)]
enum Does {
    /// Nothing.
    Nothing,
    /// Wrong vertices, in words that hold these.
    Wrong(&'static str),
    /// A structure overwritten, in words that hold these.
    Overwrites(&'static str),
    /// A fault, in words that hold these.
    Faults(&'static str),
    /// Nothing that a frame shows, and no frame could, in words that hold these.
    Unknown(&'static str),
    /// Vertices that a data cache makes late or wrong.
    Drifts,
}

use Does::{Drifts, Faults, Nothing, Overwrites, Unknown, Wrong};

impl Does {
    fn fits(self, effect: Option<&Effect>) -> bool {
        match (self, effect) {
            (Nothing, Some(Effect::None)) | (Drifts, Some(Effect::Stale(_))) => true,
            (Unknown(words), Some(Effect::Unshown(_, have)))
            | (Wrong(words), Some(Effect::WrongOutput(have)))
            | (Overwrites(words), Some(Effect::Overwrites(have)))
            | (Faults(words), Some(Effect::Faults(have))) => have.contains(words),
            _ => false,
        }
    }
}

/// A finding that must be there.
#[derive(Debug, Clone, Copy)]
struct Want {
    code: &'static str,
    severity: Severity,
    section: &'static str,
    /// Empty for none.
    entry: &'static str,
    /// Offset in the block; the address follows from it.
    offset: usize,
    vertex: Option<u32>,
    dolphin: Does,
    console: Does,
}

/// An error that both targets show in the same way.
const fn error(code: &'static str, place: (&'static str, &'static str, usize), does: Does) -> Want {
    let (section, entry, offset) = place;
    Want {
        code,
        severity: Severity::Error,
        section,
        entry,
        offset,
        vertex: None,
        dolphin: does,
        console: does,
    }
}

/// A warning that does nothing.
const fn warning(code: &'static str, place: (&'static str, &'static str, usize)) -> Want {
    Want { severity: Severity::Warning, ..error(code, place, Nothing) }
}

/// A note that does nothing.
const fn note(code: &'static str, place: (&'static str, &'static str, usize)) -> Want {
    Want { severity: Severity::Note, ..error(code, place, Nothing) }
}

impl Want {
    const fn console(self, console: Does) -> Self {
        Self { console, ..self }
    }

    const fn vertex(self, vertex: u32) -> Self {
        Self { vertex: Some(vertex), ..self }
    }

    fn fits(&self, finding: &Finding) -> bool {
        let address = format!("{:#010x}", 0x80A0_0000 + self.offset);
        let place = &finding.place;
        (finding.code.name, finding.severity) == (self.code, self.severity)
            && place.section.as_deref() == Some(self.section)
            && place.entry.as_deref().unwrap_or_default() == self.entry
            && place.offset == Some(self.offset as u64)
            && place.address.as_deref() == Some(&address)
            && (self.vertex.is_none() || place.vertex == self.vertex)
            && self.dolphin.fits(finding.dolphin.as_ref())
            && self.console.fits(finding.console.as_ref())
    }
}

/// Each finding that is wanted must be among those of the block.
fn hold(bytes: &[u8], wants: &[Want]) -> Vec<String> {
    missing(&findings(bytes), wants)
}

/// What is wanted and not there, with what is.
fn missing(have: &[Finding], wants: &[Want]) -> Vec<String> {
    let lacks = |want: &&Want| !have.iter().any(|finding| want.fits(finding));
    let told = |want: &Want| {
        let same = have.iter().filter(|finding| finding.code.name == want.code).take(4);
        let same: Vec<_> = same
            .map(|f| format!("  {:?} {:?} {} {:?} {:?}", f.severity, f.place, f.text, f.dolphin, f.console))
            .collect();
        let others: BTreeSet<_> = have.iter().map(|finding| finding.code.name).collect();
        format!("want {want:?}\nhave\n{}\n  of {others:?}", same.join("\n"))
    };
    wants.iter().filter(lacks).map(told).collect()
}

/// The fox with some bytes changed, case after case.
fn all_hold(cases: &[(&[Change], &[Want])]) {
    let missing = cases.iter().flat_map(|(changes, wants)| hold(&changed(changes), wants));
    let missing: Vec<String> = missing.collect();
    assert!(missing.is_empty(), "{}", missing.join("\n\n"));
}
