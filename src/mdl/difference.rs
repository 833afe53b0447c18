//! What differs between two faces: controllers, rules, flexes, bones, bytes.

use std::collections::BTreeMap;

use super::format::Mdl;
use super::runtime::face::Face;
use super::runtime::frame::Frame;
use crate::difference::{ByteChange, Change, ChangeKind, Ownership, Part, byte_changes};

/// The deformed vertices, mesh by mesh.
pub fn parts(face: &Face, frame: &Frame) -> Vec<Part> {
    let mesh = |mesh: &super::runtime::face::FaceMesh| Part {
        name: mesh.name.clone(),
        positions: frame.vertices.positions[mesh.first..mesh.first + mesh.count].to_vec(),
    };
    face.meshes().map(mesh).collect()
}

/// Controllers, flexdescs, rules, flexes and bones that changed.
pub fn structure(before: &Mdl, after: &Mdl) -> Vec<Change> {
    let mut changes = Vec::new();
    let bones = |mdl: &Mdl| -> Vec<(String, String)> {
        mdl.bones.iter().map(|bone| (bone.name.clone(), format!("parent {}", bone.parent))).collect()
    };
    changes.extend(named("bone", &bones(before), &bones(after)));
    let controllers = |mdl: &Mdl| -> Vec<(String, String)> {
        let range = |controller: &super::format::flex::FlexController| {
            format!("range {} to {}", controller.min, controller.max)
        };
        mdl.controllers.iter().map(|controller| (controller.name.clone(), range(controller))).collect()
    };
    changes.extend(named("controller", &controllers(before), &controllers(after)));
    changes.extend(named("flexdesc", &flexdescs(before), &flexdescs(after)));
    changes.extend(Change::value("rules", before.rules.len(), after.rules.len()));
    changes
}

/// Every flexdesc with its rule and the vertices that its flexes move.
fn flexdescs(mdl: &Mdl) -> Vec<(String, String)> {
    let mut moved: BTreeMap<i32, usize> = BTreeMap::new();
    for flex in mdl.flexes() {
        *moved.entry(flex.flexdesc).or_default() += flex.anims.len();
    }
    let rule = |flexdesc: i32| {
        let rules = mdl.rules.iter().filter(|rule| rule.flexdesc == flexdesc);
        let ops: Vec<String> = rules.map(|rule| format!("{:?}", rule.ops)).collect();
        let digest = blake3::hash(ops.join(";").as_bytes()).to_hex();
        if ops.is_empty() { "no rule".to_owned() } else { format!("rule {}", &digest[..8]) }
    };
    let facts = |flexdesc: i32| {
        format!("{}, moves {} vertices", rule(flexdesc), moved.get(&flexdesc).copied().unwrap_or(0))
    };
    (0..).zip(&mdl.flexdescs).map(|(index, flexdesc)| (flexdesc.name.clone(), facts(index))).collect()
}

/// Things with names and facts; those of one name by their order.
fn named(kind: &str, before: &[(String, String)], after: &[(String, String)]) -> Vec<Change> {
    let keyed = |things: &[(String, String)]| -> BTreeMap<(String, usize), String> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut key = |name: &String| {
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            (name.clone(), *count)
        };
        things.iter().map(|(name, facts)| (key(name), facts.clone())).collect()
    };
    let (old, new) = (keyed(before), keyed(after));
    let mut changes = Vec::new();
    for (key, facts) in &old {
        let title = format!("{kind} '{}'", key.0);
        match new.get(key) {
            None => changes.push(Change::new(ChangeKind::Removed, title, "", facts)),
            Some(now) => changes.extend(Change::value(&title, facts, now)),
        }
    }
    let added = new.iter().filter(|(key, _)| !old.contains_key(*key));
    changes.extend(
        added.map(|((name, _), facts)| Change::new(ChangeKind::Added, "", format!("{kind} '{name}'"), facts)),
    );
    changes
}

/// Bytes that differ in the model and in its vertices.
pub fn bytes(before: [&[u8]; 2], after: [&[u8]; 2]) -> Vec<ByteChange> {
    let files = before.into_iter().zip(after).zip(["MDL", "VVD"]);
    files.flat_map(|((old, new), name)| byte_changes(old, new, &Ownership::default(), 0, name)).collect()
}
