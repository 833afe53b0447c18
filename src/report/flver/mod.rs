//! A FLVER, and what a frame made of it.
pub mod frame;
pub mod info;
