//! Renderings of one and the same data: text, JSON, SARIF, GitHub annotations, HTML.
pub mod flver;
pub mod info;
pub mod mdl;
pub mod pose;
pub mod run;
pub mod text;
