//! Pose files: other local or world transforms for some of a model's bones. Every wing whose models say
//! where their bones are reads the one form.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// A pose file that cannot be used: what is wrong, in the file's terms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PoseError(pub String);

/// What a transform takes the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// The bone's transform in its parent's space.
    Local,
    /// The bone's transform in the model's space; its children follow.
    World,
}

/// The transform a pose gives one bone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// What it takes the place of.
    pub space: Space,
    /// Row-vector form: the images of the x, y and z axes, and the translation. Every cell is finite as an
    /// `f32`.
    pub rows: [[f64; 3]; 4],
}

/// Transforms for some bones, by name or number; the others keep their own.
///
/// `{"nodes": {"Head": {"local": [[…], […], […], […]]}, "3": {"world": …}}}`: four rows of four in row-vector form
/// (translation in the last row), each cell a number or the eight hex digits of an f32's bits. The key may be
/// `nodes` or `bones`, whichever the format calls them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PoseFile {
    placements: Vec<(String, Placement)>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with a key `nodes` or `bones`")]
struct File {
    nodes: Option<Entries>,
    bones: Option<Entries>,
    /// Keys that are ignored; with them only an object is such a file, no list of the fields' values.
    #[serde(flatten)]
    _others: serde::de::IgnoredAny,
}

/// The entries in the file's order: a map would lose those that are given twice.
struct Entries(Vec<(String, Entry)>);

#[derive(Deserialize)]
#[serde(expecting = "an object with a key `local` or `world`")]
struct Entry {
    local: Option<Value>,
    world: Option<Value>,
    /// As those of [`File`].
    #[serde(flatten)]
    _others: serde::de::IgnoredAny,
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object with one key a bone, by name or number")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Entries, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl PoseFile {
    /// Reads a pose file. Keys it does not know are ignored.
    ///
    /// # Errors
    /// When the text is not such a file, or a matrix is not affine or not finite.
    pub fn from_json(text: &[u8]) -> Result<Self, PoseError> {
        let file: File = serde_json::from_slice(text).map_err(|error| PoseError(error.to_string()))?;
        let Entries(entries) = match (file.nodes, file.bones) {
            (Some(entries), None) | (None, Some(entries)) => entries,
            (Some(_), Some(_)) => {
                return Err(PoseError("want `nodes` or `bones`, which mean the same; have both".to_owned()));
            }
            (None, None) => {
                let want = "want a key `nodes` or `bones` with one entry a bone, have none";
                return Err(PoseError(want.to_owned()));
            }
        };
        let placements = entries.into_iter().map(|(key, entry)| {
            let placement = placement(&key, &entry)?;
            Ok((key, placement))
        });
        Ok(Self { placements: placements.collect::<Result<_, _>>()? })
    }

    /// One entry a bone of the model; `what` is what the model's format calls a bone.
    ///
    /// A key that is a bone's name means that bone; else it is a number.
    ///
    /// # Errors
    /// When a key names no bone, or more than one, or a bone is given twice.
    pub fn placements(&self, what: &str, names: &[&str]) -> Result<Vec<Option<Placement>>, PoseError> {
        let mut placements = vec![None; names.len()];
        for (key, placement) in &self.placements {
            let index = find(what, key, names)?;
            if placements[index].replace(*placement).is_some() {
                return Err(PoseError(format!("{what} '{key}': given twice, want one transform for it")));
            }
        }
        Ok(placements)
    }
}

fn find(what: &str, key: &str, names: &[&str]) -> Result<usize, PoseError> {
    let mut named = names.iter().enumerate().filter(|(_, name)| **name == key);
    match (named.next(), named.next()) {
        (Some((index, _)), None) => Ok(index),
        (Some((first, _)), Some((second, _))) => Err(PoseError(format!(
            "{what} '{key}': want a name that one {what} has, have {what}s {first} and {second}; give the number"
        ))),
        (None, _) => match key.parse::<usize>() {
            Ok(index) if index < names.len() => Ok(index),
            _ => Err(PoseError(format!(
                "{what} '{key}': want the name or number of one of the model's {} {what}s, have no such {what}",
                names.len()
            ))),
        },
    }
}

fn placement(key: &str, entry: &Entry) -> Result<Placement, PoseError> {
    let (space, name, cells) = match (&entry.local, &entry.world) {
        (Some(local), None) => (Space::Local, "local", local),
        (None, Some(world)) => (Space::World, "world", world),
        (local, _) => {
            let have = if local.is_some() { "both" } else { "none" };
            return Err(PoseError(format!("'{key}': want either `local` or `world`, have {have}")));
        }
    };
    let place = format!("'{key}' `{name}`");
    let mut rows = [[0.0; 3]; 4];
    for (index, row) in four(cells, &place, "rows of four numbers")?.iter().enumerate() {
        let place = format!("{place} row {index}");
        for (lane, cell) in four(row, &place, "numbers")?.iter().enumerate() {
            let value = number(cell).ok_or_else(|| {
                let want = "a finite number or eight hex digits of one";
                PoseError(format!("{place} cell {lane}: want {want}, have {cell}"))
            })?;
            if lane < 3 {
                rows[index][lane] = value;
            } else if value != f64::from(u8::from(index == 3)) {
                return Err(PoseError(format!(
                    "{place}: want rows with the last column 0, 0, 0, 1 (translation in the last row), \
                     have {value}"
                )));
            }
        }
    }
    Ok(Placement { space, rows })
}

/// The four items of an array of four.
fn four<'v>(value: &'v Value, place: &str, items: &str) -> Result<&'v [Value], PoseError> {
    match value.as_array() {
        Some(array) if array.len() == 4 => Ok(array),
        Some(array) => Err(PoseError(format!("{place}: want 4 {items}, have {}", array.len()))),
        None => Err(PoseError(format!("{place}: want an array of 4 {items}, have {value}"))),
    }
}

/// A number, or the value of an `f32` given by its bits; vertices are moved in 32 bits, so it must fit there.
fn number(cell: &Value) -> Option<f64> {
    let value = match cell {
        Value::String(digits)
            if digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) =>
        {
            f64::from(f32::from_bits(u32::from_str_radix(digits, 16).ok()?))
        }
        other => other.as_f64()?,
    };
    (value as f32).is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, names: &[&str]) -> String {
        let result = PoseFile::from_json(text.as_bytes()).and_then(|pose| pose.placements("node", names));
        result.unwrap_err().to_string()
    }

    const MATRIX: &str = r#"[[1,0,0,0],["3f800000",1,0,0],[0,0,1,0],[5,6,7,1]]"#;

    #[test]
    fn a_bone_is_named_by_its_name_or_else_its_number() {
        for table in ["nodes", "bones"] {
            let text = format!(
                r#"{{"about": 1, "{table}": {{"Head": {{"local": {MATRIX}}}, "2": {{"world": {MATRIX}}}}}}}"#
            );
            let pose = PoseFile::from_json(text.as_bytes()).unwrap();
            let placements = pose.placements("node", &["2", "Head", "Hand"]).unwrap();
            let rows = [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [5.0, 6.0, 7.0]];
            let at = |space| Some(Placement { space, rows });
            assert_eq!(placements, [at(Space::World), at(Space::Local), None]);
        }
    }

    #[test]
    fn a_pose_that_cannot_be_meant_is_refused_with_the_bone() {
        let one = |body: &str| format!(r#"{{"nodes": {{"Head": {body}}}}}"#);
        let local = one(&format!(r#"{{"local": {MATRIX}}}"#));
        assert!(error(&local, &["Root"]).contains("no such node"));
        assert!(error(&local, &["Head", "Head"]).contains("nodes 0 and 1"));
        assert!(error(&one("{}"), &["Head"]).contains("either `local` or `world`"));
        let column_vectors = one(r#"{"world": [[1,0,0,5],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}"#);
        assert!(error(&column_vectors, &["Head"]).contains("translation in the last row"));
        for cell in [r#""7fc00000""#, r#""+f800000""#, "1e39", "null", "true"] {
            let text = one(&format!(r#"{{"world": [[1,0,0,0],[0,{cell},0,0],[0,0,1,0],[0,0,0,1]]}}"#));
            assert!(error(&text, &["Head"]).contains("row 1 cell 1: want a finite number"), "{cell}");
        }
        assert!(error("{", &[]).contains("EOF"));
        assert!(error("{}", &[]).contains("want a key `nodes` or `bones`"));
        assert!(error(r#"{"nodes": {}, "bones": {}}"#, &[]).contains("have both"));
        assert!(error(r#"{"nodes": []}"#, &[]).contains("one key a bone"));
    }

    #[test]
    fn a_matrix_of_another_shape_is_told_with_its_place() {
        let one = |body: &str| error(&format!(r#"{{"bones": {{"Head": {{"world": {body}}}}}}}"#), &["Head"]);
        assert!(one("[[1,0,0,0],[0,1,0,0],[0,0,1,0]]").contains("want 4 rows of four numbers, have 3"));
        assert!(one("[[1,0,0],[0,1,0],[0,0,1],[0,0,0]]").contains("row 0: want 4 numbers, have 3"));
        assert!(one("7").contains("want an array of 4 rows"));
        assert!(one("[1,0,0,0]").contains("row 0: want an array of 4 numbers, have 1"));
    }

    #[test]
    fn a_bone_given_twice_is_refused_however_it_is_named() {
        for second in ["0", "Head"] {
            let text = format!(
                r#"{{"nodes": {{"Head": {{"local": {MATRIX}}}, "{second}": {{"local": {MATRIX}}}}}}}"#
            );
            assert!(error(&text, &["Head"]).contains("given twice"), "{second}");
        }
    }
}
