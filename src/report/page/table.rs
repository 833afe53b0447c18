//! Tables of a page: rows of text under named columns.

use serde::Serialize;

/// Rows shown at most. No model of a game has more bones, entries or nodes.
const MOST_ROWS: usize = 4096;

/// A table.
#[derive(Debug, Serialize)]
pub struct Table {
    /// Heading.
    pub title: &'static str,
    /// Names of the columns; those of numbers end with a tab, and are set to the right.
    pub columns: Vec<Column>,
    /// One cell a column.
    pub rows: Vec<Vec<String>>,
    /// Rows that were left out.
    pub left_out: usize,
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Heading.
    pub name: &'static str,
    /// Whether its cells are numbers, set to the right.
    pub number: bool,
}

/// A column of words.
pub const fn words(name: &'static str) -> Column {
    Column { name, number: false }
}

/// A column of numbers.
pub const fn numbers(name: &'static str) -> Column {
    Column { name, number: true }
}

impl Table {
    /// A table of these rows; of very many only the first are kept.
    pub fn new(title: &'static str, columns: &[Column], rows: impl Iterator<Item = Vec<String>>) -> Self {
        let mut rows = rows;
        let kept = rows.by_ref().take(MOST_ROWS).collect();
        Self { title, columns: columns.to_vec(), rows: kept, left_out: rows.count() }
    }
}
