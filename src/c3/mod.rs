//! Character Pipeline models (GameCube / Wii).

pub mod build;
pub mod check;
pub mod coverage;
pub mod format;
pub mod model;
pub mod rules;
pub mod runtime;
