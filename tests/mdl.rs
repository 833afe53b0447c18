//! Source MDL flexes: golden faces, random programs, hostile files, findings and the command line.

mod common;

#[path = "mdl/builder.rs"]
mod builder;
#[path = "mdl/check.rs"]
mod check;
#[path = "mdl/cli.rs"]
mod cli;
#[path = "mdl/format.rs"]
mod format;
#[path = "mdl/frame.rs"]
mod frame;
#[path = "mdl/golden.rs"]
mod golden;
#[path = "mdl/hostile.rs"]
mod hostile;
#[path = "mdl/machine.rs"]
mod machine;
#[path = "mdl/pose.rs"]
mod pose;
#[path = "mdl/random.rs"]
mod random;
