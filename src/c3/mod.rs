//! Character Pipeline models (GameCube / Wii).

pub mod build;
pub mod check;
pub mod coverage;
pub mod difference;
pub mod dry_run;
mod entry_difference;
pub mod explain;
pub mod format;
pub mod games;
pub mod history;
pub mod mesh;
pub mod model;
pub mod outcome;
pub mod poses;
pub mod repair;
pub mod rigged;
pub mod rules;
pub mod runtime;
pub mod snapshot;
pub mod trace;

#[cfg(test)]
pub(crate) mod testing;
