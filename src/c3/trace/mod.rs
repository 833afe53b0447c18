//! Traces: what a frame accessed, in the order in which it did, and the first difference of two.
//!
//! The direct model and the processor write the same lines for the same accesses; the processor adds a
//! line for every instruction. docs/cpu.md describes the format.

use std::fmt;
use std::str::FromStr;

use crate::c3::format::skn::EntryId;

pub mod diff;
mod line;
pub mod record;

pub use line::{Effect, Line};

/// The first line of every trace.
pub const MAGIC: &str = "# skinsim trace 1";

/// Who executed what a trace shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The direct model: accesses alone.
    Model,
    /// A processor: instructions too.
    Cpu,
}

impl Engine {
    /// The name in a trace's header.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Cpu => "cpu",
        }
    }
}

/// An entry as a user names it: `sk1:3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryName(pub EntryId);

impl FromStr for EntryName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use crate::c3::format::skn::List;
        let lists = [("sk1", List::Sk1), ("sk2", List::Sk2), ("skacc", List::SkAcc)];
        let lower = text.to_ascii_lowercase();
        let parts = lower.split_once(':').or_else(|| lower.strip_suffix(']')?.split_once('['));
        let named = parts.and_then(|(list, index)| {
            let (_, list) = lists.into_iter().find(|(name, _)| *name == list)?;
            Some(EntryId { list, index: index.parse().ok()? })
        });
        named
            .map(Self)
            .ok_or_else(|| format!("want LIST:NUMBER such as sk1:3, sk2:0 or skacc:5, have {text:?}"))
    }
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::format::skn::List;

    #[test]
    fn an_entry_is_named_by_list_and_number() {
        assert_eq!("sk1:3".parse::<EntryName>().unwrap().0, EntryId { list: List::Sk1, index: 3 });
        assert_eq!("SKAcc[0]".parse::<EntryName>().unwrap().0, EntryId { list: List::SkAcc, index: 0 });
        for odd in ["", "sk3:1", "sk1", "sk1:", "sk1:-1", "sk1:3]"] {
            assert!(odd.parse::<EntryName>().is_err(), "{odd}");
        }
    }
}
