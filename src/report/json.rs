//! The `check` object.

use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::{ModelReport, Unread};

/// The `skinsim.check/1` object.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckReport<'a> {
    /// `skinsim.check/1`.
    pub schema: &'static str,
    /// Every model that was checked, in the order given.
    pub models: &'a [ModelReport],
    /// Models that could not be read, in the order given; left out where all could.
    #[serde(skip_serializing_if = "<[Unread]>::is_empty")]
    pub errors: &'a [Unread],
}

impl<'a> CheckReport<'a> {
    /// Wraps reports.
    pub fn new(models: &'a [ModelReport], errors: &'a [Unread]) -> Self {
        Self { schema: "skinsim.check/1", models, errors }
    }
}
