//! Pose files: other local or world transforms for some of the nodes.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::flver::format::Node;

use super::hierarchy::Override;
use super::transform::Transform;

/// A pose file that cannot be used: what is wrong, in the file's terms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PoseError(pub String);

/// Transforms for some nodes, by name or number; the others keep their own.
///
/// `{"nodes": {"Head": {"local": [[…], […], […], […]]}, "3": {"world": …}}}`: four rows of four in row-vector form
/// (translation in the last row), each cell a number or the eight hex digits of an f32's bits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pose {
    nodes: BTreeMap<String, Override>,
}

#[derive(Deserialize)]
struct PoseFile {
    nodes: BTreeMap<String, NodePose>,
}

#[derive(Deserialize)]
struct NodePose {
    local: Option<[[Cell; 4]; 4]>,
    world: Option<[[Cell; 4]; 4]>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Cell {
    Number(f64),
    Bits(String),
}

impl Pose {
    /// Reads a pose file. Keys it does not know are ignored.
    ///
    /// # Errors
    /// When the text is not such a file, or a matrix is not affine.
    pub fn from_json(text: &[u8]) -> Result<Self, PoseError> {
        let file: PoseFile = serde_json::from_slice(text).map_err(|error| PoseError(error.to_string()))?;
        let nodes = file.nodes.iter().map(|(key, pose)| Ok((key.clone(), node_override(key, pose)?)));
        Ok(Self { nodes: nodes.collect::<Result<_, _>>()? })
    }

    /// One entry a node.
    ///
    /// A key that is a node's name means that node; else it is a number.
    ///
    /// # Errors
    /// When a key names no node, or more than one.
    pub fn overrides(&self, nodes: &[Node]) -> Result<Vec<Option<Override>>, PoseError> {
        let mut overrides = vec![None; nodes.len()];
        for (key, pose) in &self.nodes {
            let index = find(key, nodes)?;
            if overrides[index].replace(*pose).is_some() {
                return Err(PoseError(format!("node '{key}': given twice, by name and by number")));
            }
        }
        Ok(overrides)
    }
}

fn find(key: &str, nodes: &[Node]) -> Result<usize, PoseError> {
    let mut named = nodes.iter().enumerate().filter(|(_, node)| node.name == key);
    match (named.next(), named.next()) {
        (Some((index, _)), None) => Ok(index),
        (Some((first, _)), Some((second, _))) => Err(PoseError(format!(
            "node '{key}': want a name that one node has, have nodes {first} and {second}; give the number"
        ))),
        (None, _) => match key.parse::<usize>() {
            Ok(index) if index < nodes.len() => Ok(index),
            _ => Err(PoseError(format!(
                "node '{key}': want the name or number of one of the model's {} nodes, have no such node",
                nodes.len()
            ))),
        },
    }
}

fn node_override(key: &str, pose: &NodePose) -> Result<Override, PoseError> {
    match (&pose.local, &pose.world) {
        (Some(local), None) => Ok(Override::Local(transform(key, local)?)),
        (None, Some(world)) => Ok(Override::World(transform(key, world)?)),
        _ => Err(PoseError(format!("node '{key}': want either `local` or `world`"))),
    }
}

fn transform(key: &str, cells: &[[Cell; 4]; 4]) -> Result<Transform, PoseError> {
    let mut transform = Transform::IDENTITY;
    for (index, row) in cells.iter().enumerate() {
        for (lane, cell) in row.iter().enumerate() {
            let value = cell.value().ok_or_else(|| {
                PoseError(format!(
                    "node '{key}' row {index} cell {lane}: want a finite number or eight hex digits of one"
                ))
            })?;
            if lane < 3 {
                transform.rows[index][lane] = value;
            } else if value != f64::from(u8::from(index == 3)) {
                return Err(PoseError(format!(
                    "node '{key}': want rows with the last column 0, 0, 0, 1 (translation in the last row), \
                     have {value} in row {index}"
                )));
            }
        }
    }
    Ok(transform)
}

impl Cell {
    fn value(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Bits(digits) if digits.len() == 8 => {
                u32::from_str_radix(digits, 16).ok().map(|bits| f64::from(f32::from_bits(bits)))
            }
            Self::Bits(_) => None,
        }
        .filter(|value| value.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flver::format::BoundingBox;

    fn nodes(names: &[&str]) -> Vec<Node> {
        let node = |name: &&str| Node {
            offset: 0,
            name: (*name).to_owned(),
            translation: [0.0; 3],
            rotation: [0.0; 3],
            scale: [1.0; 3],
            parent: -1,
            first_child: -1,
            next_sibling: -1,
            previous_sibling: -1,
            bounds: BoundingBox::SENTINEL,
            flags: 0,
            reserved_zero: true,
        };
        names.iter().map(node).collect()
    }

    fn error(text: &str, names: &[&str]) -> String {
        let result = Pose::from_json(text.as_bytes()).and_then(|pose| pose.overrides(&nodes(names)));
        result.unwrap_err().to_string()
    }

    const MATRIX: &str = r#"[[1,0,0,0],["3f800000",1,0,0],[0,0,1,0],[5,6,7,1]]"#;

    #[test]
    fn a_node_is_named_by_its_name_or_else_its_number() {
        let text = format!(
            r#"{{"about": 1, "nodes": {{"Head": {{"local": {MATRIX}}}, "2": {{"world": {MATRIX}}}}}}}"#
        );
        let overrides =
            Pose::from_json(text.as_bytes()).unwrap().overrides(&nodes(&["2", "Head", "Hand"])).unwrap();
        let rows = [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [5.0, 6.0, 7.0]];
        let map = Transform { rows };
        assert_eq!(overrides, [Some(Override::World(map)), Some(Override::Local(map)), None]);
    }

    #[test]
    fn a_pose_that_cannot_be_meant_is_refused_with_the_node() {
        let one = |body: &str| format!(r#"{{"nodes": {{"Head": {body}}}}}"#);
        let local = one(&format!(r#"{{"local": {MATRIX}}}"#));
        assert!(error(&local, &["Root"]).contains("no such node"));
        assert!(error(&local, &["Head", "Head"]).contains("nodes 0 and 1"));
        assert!(error(&one("{}"), &["Head"]).contains("either `local` or `world`"));
        let column_vectors = one(r#"{"world": [[1,0,0,5],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}"#);
        assert!(error(&column_vectors, &["Head"]).contains("translation in the last row"));
        let not_a_number = one(r#"{"world": [[1,0,0,0],[0,"7fc00000",0,0],[0,0,1,0],[0,0,0,1]]}"#);
        assert!(error(&not_a_number, &["Head"]).contains("row 1 cell 1"));
        assert!(error("{", &[]).contains("EOF"));
        let twice = format!(r#"{{"nodes": {{"Head": {{"local": {MATRIX}}}, "0": {{"local": {MATRIX}}}}}}}"#);
        assert!(error(&twice, &["Head"]).contains("given twice"));
    }
}
