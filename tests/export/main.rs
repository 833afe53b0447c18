//! Exported files, read back by another library and skinned anew.

mod command;
mod skinning;
