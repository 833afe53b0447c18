//! From skeletons and animations to matrices.

mod cases;
mod command;
mod curves;
mod files;
mod independent;
mod order;
mod recorded;
mod rules;
mod run;
