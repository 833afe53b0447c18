//! skinsim executes, offline and exactly, what a game does to a skinned model every frame.
//!
//! The map of the house: bytes are parsed by a wing's `format`, executed by its `runtime`, judged by
//! its `rules`; what happened is data ([`finding`], [`mesh`]) that [`report`] renders last.

pub mod affine;
pub mod bytes;
pub mod c3;
pub mod cli;
pub mod difference;
pub mod export;
pub mod finding;
pub mod flver;
pub mod gekko;
pub mod mdl;
pub mod mesh;
pub mod pose_file;
pub mod printable;
pub mod report;
pub mod rigged;
pub mod snapshot;

/// The README's example is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeDoctests;

/// The guide's page on the library, too.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
pub struct GuideDoctests;
