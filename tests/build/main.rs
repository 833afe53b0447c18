//! Building and repairing model blocks.

mod donor;
mod output;
mod reference;
mod samples;
