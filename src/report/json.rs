//! The `check` object.

use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::ModelReport;

/// The `skinsim.check/1` object.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckReport<'a> {
    /// `skinsim.check/1`.
    pub schema: &'static str,
    /// Every model that was checked, in the order given.
    pub models: &'a [ModelReport],
}

impl<'a> CheckReport<'a> {
    /// Wraps reports.
    pub fn new(models: &'a [ModelReport]) -> Self {
        Self { schema: "skinsim.check/1", models }
    }
}
