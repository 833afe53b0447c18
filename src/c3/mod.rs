//! Character Pipeline models (GameCube / Wii).

pub mod build;
pub mod check;
pub mod coverage;
pub mod dry_run;
pub mod explain;
pub mod format;
pub mod games;
pub mod history;
pub mod mesh;
pub mod model;
pub mod outcome;
pub mod poses;
pub mod repair;
pub mod rules;
pub mod runtime;
pub mod trace;

#[cfg(test)]
pub(crate) mod testing;
