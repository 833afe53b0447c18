//! Renderings of one and the same data: text, JSON, SARIF, GitHub annotations, HTML.

pub mod build;
pub mod diff;
pub mod explain;
pub mod export;
pub mod flver;
pub mod github;
pub mod info;
pub mod json;
pub mod mdl;
pub mod page;
pub mod pose;
pub mod repair;
pub mod run;
pub mod sarif;
pub mod snapshot;
pub mod text;
pub mod words;
