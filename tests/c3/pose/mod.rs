//! From skeletons and animations to matrices.

mod cases;
mod files;
mod recorded;
