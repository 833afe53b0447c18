//! What differs between two FLVERs: nodes, meshes, materials, weights, bytes.

use std::collections::BTreeMap;

use super::format::Flver;
use super::runtime::outcome::{MeshOutcome, NodeOutcome, Outcome};
use crate::difference::{
    ByteChange, Change, ChangeKind, Ownership, Part, WeightChange, byte_changes, weight_changes,
};

/// The posed vertices, mesh by mesh.
pub fn parts(outcome: &Outcome) -> Vec<Part> {
    let part = |mesh: &MeshOutcome| Part { name: mesh.name.clone(), positions: mesh.positions.clone() };
    outcome.meshes.iter().map(part).collect()
}

/// Nodes, meshes and tables that changed.
pub fn structure(before: &Outcome, after: &Outcome) -> Vec<Change> {
    let mut changes: Vec<Change> = [
        Change::value("version", &before.version, &after.version),
        Change::value("nodes", before.nodes.len(), after.nodes.len()),
        Change::value("meshes", before.meshes.len(), after.meshes.len()),
        Change::value("dummy points", before.dummies.len(), after.dummies.len()),
    ]
    .into_iter()
    .flatten()
    .collect();
    changes.extend(nodes(&before.nodes, &after.nodes));
    let meshes = before.meshes.iter().zip(&after.meshes);
    changes.extend(meshes.flat_map(|(old, new)| mesh(old, new)));
    changes
}

/// Nodes by name; those of one name by their order.
fn nodes(before: &[NodeOutcome], after: &[NodeOutcome]) -> Vec<Change> {
    let keyed = |nodes: &[NodeOutcome]| -> BTreeMap<(String, usize), NodeOutcome> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut key = |node: &NodeOutcome| {
            let count = seen.entry(node.name.clone()).or_default();
            *count += 1;
            (node.name.clone(), *count)
        };
        nodes.iter().map(|node| (key(node), node.clone())).collect()
    };
    let parent = |nodes: &[NodeOutcome], node: &NodeOutcome| {
        let parent = usize::try_from(node.parent).ok().and_then(|parent| nodes.get(parent));
        parent.map_or_else(|| "no parent".to_owned(), |parent| format!("'{}'", parent.name))
    };
    let (old, new) = (keyed(before), keyed(after));
    let mut changes = Vec::new();
    for ((name, count), node) in &old {
        let title = format!("node '{name}'");
        match new.get(&(name.clone(), *count)) {
            None => changes.push(Change::new(ChangeKind::Removed, title, "", parent(before, node))),
            Some(other) => {
                let parents = (parent(before, node), parent(after, other));
                if parents.0 != parents.1 {
                    let what = format!("{} \u{2192} {}", parents.0, parents.1);
                    changes.push(Change::new(ChangeKind::Retargeted, &title, &title, what));
                }
                if node.world != other.world {
                    let places = (place(node), place(other));
                    let what = if places.0 == places.1 {
                        format!("turned or scaled at {}", places.0)
                    } else {
                        format!("{} \u{2192} {}", places.0, places.1)
                    };
                    changes.push(Change::new(ChangeKind::Moved, &title, &title, what));
                }
            }
        }
    }
    let added = new.iter().filter(|(key, _)| !old.contains_key(*key));
    changes.extend(added.map(|((name, _), node)| {
        Change::new(ChangeKind::Added, "", format!("node '{name}'"), parent(after, node))
    }));
    changes
}

fn place(node: &NodeOutcome) -> String {
    let [x, y, z, _] = node.world[3];
    format!("{x} {y} {z}")
}

fn mesh(before: &MeshOutcome, after: &MeshOutcome) -> Vec<Change> {
    let kind = |mesh: &MeshOutcome| if mesh.dynamic { "dynamic" } else { "static" };
    let palette = |mesh: &MeshOutcome| format!("{:?}", mesh.palette);
    let named = |name: &str| format!("{}, {name}", after.name);
    [
        Change::value(&named("name"), &before.name, &after.name),
        Change::value(&named("kind"), kind(before), kind(after)),
        Change::value(&named("triangles"), before.triangles.len(), after.triangles.len()),
        Change::value(&named("node"), before.node_index, after.node_index),
        Change::value(&named("palette"), palette(before), palette(after)),
        Change::value(&named("position streams"), before.streams.count, after.streams.count),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Vertices that other nodes or weights move, mesh by mesh.
pub fn weights(before: &Outcome, after: &Outcome) -> Vec<WeightChange> {
    let rows = |mesh: &MeshOutcome| -> BTreeMap<u32, Vec<(u32, f32)>> {
        let pairs = mesh.bone_indices.iter().zip(&mesh.normalized_weights);
        let row = |(nodes, weights): (&[i32; 4], &[f32; 4])| {
            let named = nodes.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
            named.filter_map(|(&node, &weight)| Some((u32::try_from(node).ok()?, weight))).collect()
        };
        let weighted = (0..).zip(pairs.map(row));
        let rigid = (0..).zip(&mesh.rigid_nodes);
        let rigid =
            rigid.filter_map(|(vertex, &node)| Some((vertex, vec![(u32::try_from(node).ok()?, 1.0)])));
        weighted.chain(rigid).collect()
    };
    let meshes = before.meshes.iter().zip(&after.meshes);
    meshes.flat_map(|(old, new)| weight_changes(&new.name, &rows(old), &rows(new))).collect()
}

/// Bytes that differ: in the tables, and in the data behind them.
pub fn bytes(before: (&[u8], &Flver), after: (&[u8], &Flver)) -> Vec<ByteChange> {
    let data = u64::from(after.1.header.data_offset);
    let owners = vec![(0..0x80, "header".to_owned()), (0x80..data.max(0x80), "tables".to_owned())];
    byte_changes(before.0, after.0, &Ownership::new(owners), 0, "vertex and index data")
}
