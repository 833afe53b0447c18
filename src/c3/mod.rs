//! Character Pipeline models (GameCube / Wii).

pub mod rules;
