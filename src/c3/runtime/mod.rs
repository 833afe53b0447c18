//! What the game does to a model: load it, pose it, and skin it every frame.

pub mod animate;
pub mod code;
pub mod draw;
pub mod face;
pub mod frame;
pub mod header;
pub mod journal;
pub mod kernels;
pub mod load;
pub mod owners;
pub mod pose;
pub mod program;
pub mod reorder;
pub mod resident;
pub mod simulation;
pub mod stale;
