//! The report page: its data, and what the command writes.

mod command;
mod hostile;
mod lines;
mod mesh;
mod others;
mod size;
mod support;
