//! Building and repairing model blocks.

mod output;
mod reference;
mod samples;
