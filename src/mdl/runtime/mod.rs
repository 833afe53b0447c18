//! What the engine does to a face each frame: [`frame::run`] is the whole of it on one page.
//!
//! Facts are tagged as in the rest of the crate; `[T]` marks what only a third party's reading of
//! today's engine supports.

pub mod controllers;
pub mod convert;
pub mod deform;
pub mod delay;
pub mod delta;
pub mod eyelid;
pub mod face;
pub mod frame;
pub mod machine;
pub mod options;
pub mod pose;
pub mod rules;
mod skin;
pub mod vector;
