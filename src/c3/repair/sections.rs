//! The block's sections: in the usual order, each on a cache line.

use super::case::{Fix, fix};
use super::write::Files;
use crate::c3::build::container;
use crate::c3::format::block::{Block, Section, SectionKind};
use crate::c3::rules::codes;
use crate::c3::rules::found::Found;
use crate::finding::Code;

const CODES: [&Code; 2] = [&codes::SECTION_UNALIGNED, &codes::SECTION_ORDER];

/// Writes the sections anew.
pub fn remedy(block: &Block, found: &[Found]) -> Option<(Files, Vec<Fix>)> {
    let findings = found.iter().map(|found| &found.finding).filter(|finding| CODES.contains(&finding.code));
    let fixes: Vec<Fix> =
        findings.map(|finding| fix(finding, "the sections are written anew, each on a cache line")).collect();
    let inside = block.sections().iter().all(Section::is_inside);
    if fixes.is_empty() || !inside {
        return None;
    }
    let usual = [SectionKind::Gpl, SectionKind::Act, SectionKind::Tex, SectionKind::Skn, SectionKind::Facial];
    let others = SectionKind::ALL.into_iter().filter(|kind| !usual.contains(kind));
    let sections: Vec<(SectionKind, &[u8])> = usual
        .into_iter()
        .chain(others)
        .filter_map(|kind| Some((kind, block.section(kind)?.view.bytes())))
        .collect();
    let mut bytes = container::block(&sections).ok()?;
    bytes[..4].copy_from_slice(&block.header[0].to_be_bytes());
    Some((Files::Block(bytes), fixes))
}
