//! Why a model cannot be built, and what was changed on the way.

use std::fmt;

/// Why a model cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: want {want}, have {have}")]
pub struct BuildError {
    /// What is wrong, in the file's own terms.
    pub place: String,
    /// What building needs.
    pub want: String,
    /// What there is.
    pub have: String,
}

impl BuildError {
    /// A new error; `want` and `have` are phrases without a full stop.
    pub fn new(place: impl Into<String>, want: impl Into<String>, have: impl Into<String>) -> Self {
        Self { place: place.into(), want: want.into(), have: have.into() }
    }
}

impl From<crate::bytes::ReadError> for BuildError {
    fn from(error: crate::bytes::ReadError) -> Self {
        Self::new(error.what, error.want, error.have)
    }
}

/// Result of building.
pub type BuildResult<T> = Result<T, BuildError>;

/// Something that was made, changed or left out, each sort told once with how often it happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    notes: Vec<(String, String, usize)>,
}

impl Notes {
    /// Tells `what`; `first` names the first place where it happened.
    pub fn add(&mut self, what: impl Into<String>, first: impl fmt::Display) {
        let what = what.into();
        match self.notes.iter_mut().find(|(known, ..)| *known == what) {
            Some((_, _, count)) => *count += 1,
            None => self.notes.push((what, first.to_string(), 1)),
        }
    }

    /// The notes as sentences.
    pub fn sentences(&self) -> impl Iterator<Item = String> + '_ {
        self.notes.iter().map(|(what, first, count)| match (first.is_empty(), count) {
            (true, _) => what.clone(),
            (false, 1) => format!("{what}: {first}"),
            (false, count) => format!("{what}: {count} times, first {first}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Notes;

    #[test]
    fn a_note_counts_how_often_it_happened() {
        let mut notes = Notes::default();
        notes.add("weights do not sum to 1", "vertex 3");
        notes.add("weights do not sum to 1", "vertex 4");
        notes.add("no normals", "");
        let sentences: Vec<_> = notes.sentences().collect();
        assert_eq!(sentences, ["weights do not sum to 1: 2 times, first vertex 3", "no normals"]);
    }
}
