//! The frame against recorded cases: the library's own code, run in Dolphin 5.0-17995.

mod case;
mod deferred;
mod faults;
mod fox;

mod frames;
mod hostile;
mod samples;
