//! The processor: an interpreter for Gekko and Broadway, user mode and what of supervisor mode a
//! game's library code touches.
//!
//! [`program::Program`] holds code decoded once; [`registers::Cpu::call`] runs a function of it
//! against a machine, which an observer may watch ([`crate::gekko::bus`]). Behaviour is that of
//! Dolphin 5.0-17995's interpreter where it was measured; docs/cpu.md tells where its JIT and the
//! console differ.

mod arithmetic;
mod branch;
mod convert;
mod estimate;
mod execute;
mod float;
mod fpscr;
mod instruction;
mod integer;
mod logical;
mod memory;
mod paired;
pub mod program;
pub mod registers;
pub mod stop;
mod system;

pub use fpscr::FloatUnit;
pub use instruction::Instruction;
pub use program::Program;
pub use registers::Cpu;
pub use stop::{Stop, StopReason};
