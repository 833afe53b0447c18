//! What known-good faces obey; one rule one place.

mod codes;
mod eyes;
mod files;
mod flexes;
mod inputs;
mod programs;
mod ui;
mod weld;

pub use codes::*;

use std::collections::HashMap;

use crate::bytes::ReadResult;
use crate::finding::{Code, Effect, Finding, Place};
use crate::mdl::format::Mdl;
use crate::mdl::format::vvd::Vvd;
use crate::mdl::runtime::face::Face;

/// Every finding about a model and, when given, its vertices.
///
/// # Errors
/// When the VVD's fixups cannot be followed.
pub fn check(mdl: &Mdl, vvd: Option<&Vvd>) -> ReadResult<Vec<Finding>> {
    let mut findings = Findings::default();
    files::check(mdl, vvd, &mut findings);
    inputs::check(mdl, &mut findings);
    programs::check(mdl, &mut findings);
    ui::check(mdl, &mut findings);
    eyes::check(mdl, &mut findings);
    flexes::check(mdl, &mut findings);
    if let Some(vvd) = vvd {
        vvd.pool(0)?;
        match Face::whole(mdl, Some(vvd)) {
            Ok(face) => weld::check(&face, &mut findings),
            Err(error) => findings.add(
                &MESH_OUTSIDE_VVD,
                Place::section("meshes").offset(error.offset),
                error.to_string(),
                Effect::Faults("the engine reads vertices of other models or beyond the file".to_owned()),
                "Use the .vvd of the same compile, or compile the model again",
            ),
        }
    }
    Ok(findings.list)
}

/// Every finding about the triangles that lie beside a model.
pub fn check_triangles(mdl: &Mdl, vtx: &[u8]) -> Vec<Finding> {
    let mut findings = Findings::default();
    files::triangles(mdl, vtx, &mut findings);
    findings.list
}

/// Findings of one code that are listed one by one; more are folded into the last of them.
const LISTED: u32 = 256;

/// Findings as they come.
#[derive(Debug, Default)]
struct Findings {
    list: Vec<Finding>,
    /// By code: how many are listed, and the place of the last.
    listed: HashMap<&'static str, (u32, usize)>,
}

impl Findings {
    /// Adds a finding with what it does in the game.
    fn add(&mut self, code: &'static Code, place: Place, text: String, game: Effect, help: &str) {
        self.push(finding(code, place, text, game, help));
    }

    /// Adds a finding, or folds it: a hostile file has one for every few bytes.
    fn push(&mut self, finding: Finding) {
        let (count, last) = self.listed.entry(finding.code.name).or_insert((0, 0));
        if *count < LISTED {
            (*count, *last) = (*count + 1, self.list.len());
            self.list.push(finding);
        } else {
            let folded = &mut self.list[*last];
            folded.count = folded.count.saturating_add(finding.count);
        }
    }
}

/// A finding with what it does in the game.
fn finding(code: &'static Code, place: Place, text: String, game: Effect, help: &str) -> Finding {
    let mut finding = Finding::new(code, place, text, help);
    finding.game = Some(game);
    finding
}

/// A finding that stands for `count` of its kind.
fn repeated(finding: Finding, count: usize) -> Finding {
    Finding { count: u32::try_from(count).unwrap_or(u32::MAX).max(1), ..finding }
}

/// Whether an index names one of `count` things.
fn exists(index: i32, count: usize) -> bool {
    usize::try_from(index).is_ok_and(|at| at < count)
}

/// Wrong output, in words.
fn wrong(what: impl Into<String>) -> Effect {
    Effect::WrongOutput(what.into())
}

/// The first few of `count` items, and how many more there are.
fn first_few(items: impl Iterator<Item = String>, count: usize) -> String {
    const SHOWN: usize = 4;
    let shown = items.take(SHOWN).collect::<Vec<_>>().join(", ");
    if count > SHOWN { format!("{shown} and {} more", count - SHOWN) } else { shown }
}
