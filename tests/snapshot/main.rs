//! Golden texts: of the library, and from the outside.

mod command;
mod library;
