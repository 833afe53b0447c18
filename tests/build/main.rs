//! Building and repairing model blocks.

mod broken;
mod command;
mod document;
mod donor;
mod lost;
mod output;
mod recorded;
mod reference;
mod repair;
mod samples;
mod synthetic;
