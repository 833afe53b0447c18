//! What is in a model, as data and as text.

pub mod c3;
