//! The machine: what of a GameCube or Wii a skinned frame touches. It knows nothing about models.
//!
//! [`machine::Machine`] is one value; [`access`] holds what the processor can do to it. Sizes, maps
//! and quirks are Dolphin's where the target is Dolphin (measured in 5.0-17995) and the hardware's
//! where it is the console.

pub mod access;
pub mod address;
pub mod bus;
pub mod cpu;
pub mod data_cache;
pub mod executable;
pub mod fault;
pub mod locked_cache;
pub mod machine;
pub mod map;
pub mod message;
pub mod paired_single;
pub mod quantize;
pub mod ram;
pub mod transfer_queue;
pub mod translation;
