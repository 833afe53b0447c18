//! Character Pipeline models (GameCube / Wii).

pub mod format;
pub mod rules;
