//! Nodes and skeletons: links, bounds, flags, scale.

use std::collections::BTreeMap;

use crate::finding::{Effect, Place};
use crate::flver::format::{Flver, SkeletonBone};
use crate::flver::runtime::hierarchy::Hierarchy;

use super::codes;
use super::findings::Findings;
use super::links::{self, Links};

/// Which nodes something names or carries.
#[derive(Debug, Clone, Default)]
pub struct Use {
    /// Named as a mesh's `NodeIndex`.
    pub meshes: Vec<bool>,
    /// Named as a dummy point's parent or attach bone.
    pub dummies: Vec<bool>,
    /// Carries a vertex.
    pub vertices: Vec<bool>,
}

impl Use {
    /// What the records name; vertices are added as meshes are decoded.
    pub fn new(flver: &Flver) -> Self {
        let none = vec![false; flver.nodes.len()];
        let mut used = Self { meshes: none.clone(), dummies: none.clone(), vertices: none };
        let mark = |marks: &mut Vec<bool>, index: i32| {
            if let Some(mark) = usize::try_from(index).ok().and_then(|index| marks.get_mut(index)) {
                *mark = true;
            }
        };
        for mesh in &flver.meshes {
            mark(&mut used.meshes, mesh.node_index);
        }
        for dummy in &flver.dummies {
            mark(&mut used.dummies, i32::from(dummy.parent_bone));
            mark(&mut used.dummies, i32::from(dummy.attach_bone));
        }
        used
    }
}

fn place(flver: &Flver, index: usize) -> Place {
    Place::section("nodes").entry(flver.node_name(index)).offset(flver.nodes[index].offset)
}

/// Links; whether the nodes can be composed at all.
pub fn check_links(flver: &Flver, findings: &mut Findings) -> bool {
    let links: Vec<Links> = flver.nodes.iter().map(Links::from).collect();
    for (index, name, link) in links::outside(&links) {
        let text = format!("{name} is {link}, outside the {} nodes", flver.nodes.len());
        findings.add(&codes::NODE_LINK_RANGE, place(flver, index).field(name), text);
    }
    for (index, problem) in links::contradictions(&links) {
        findings.add(&codes::NODE_SIBLINGS, place(flver, index), problem);
    }
    let mut lowest: Vec<Option<usize>> = vec![None; links.len()];
    for (index, link) in links.iter().enumerate() {
        let Some(parent) = usize::try_from(link.parent).ok().filter(|parent| *parent < links.len()) else {
            continue;
        };
        lowest[parent].get_or_insert(index);
        if parent > index {
            let text = format!("its parent is {}", flver.node_name(parent));
            findings.add(&codes::NODE_PARENT_ORDER, place(flver, index), text);
        }
    }
    for (index, (link, lowest)) in links.iter().zip(&lowest).enumerate() {
        if let Some(lowest) = lowest.filter(|lowest| i32::from(link.first_child) != *lowest as i32) {
            let text = format!("first child is {}, the lowest of its children {lowest}", link.first_child);
            findings.add(&codes::NODE_FIRST_CHILD, place(flver, index), text);
        }
    }
    let parents_in_range = links.iter().all(|link| {
        link.parent == -1 || usize::try_from(link.parent).is_ok_and(|parent| parent < links.len())
    });
    match Hierarchy::new(&flver.nodes) {
        Ok(_) => true,
        Err(error) => {
            // A parent outside the table has been told above.
            if parents_in_range {
                let place = Place::section("nodes").offset(error.offset);
                findings.add(&codes::NODE_CYCLE, place, error.to_string());
            }
            false
        }
    }
}

/// What a node's own record says.
pub fn check_records(flver: &Flver, used: &Use, findings: &mut Findings) {
    for (index, node) in flver.nodes.iter().enumerate() {
        if !node.bounds.is_box() && node.bounds != super::SENTINEL {
            let text = format!("minimum {:?}, maximum {:?}", node.bounds.min, node.bounds.max);
            findings.add(&codes::NODE_BOUNDS, place(flver, index).field("bounds"), text);
        }
        check_flags(flver, index, used, findings);
        if node.scale.iter().any(|component| *component < 0.0) {
            let text = format!("scale {:?}", node.scale);
            findings.add(&codes::NODE_SCALE_NEGATIVE, place(flver, index).field("scale"), text);
        }
        if !node.reserved_zero {
            findings.add(
                &codes::RESERVED,
                place(flver, index).field("0x4c"),
                "52 reserved bytes are not all zero",
            );
        }
        let transform = [node.translation, node.rotation, node.scale];
        if !transform.iter().flatten().all(|value| value.is_finite()) {
            let text = format!(
                "translation {:?}, rotation {:?}, scale {:?}",
                node.translation, node.rotation, node.scale
            );
            let effect = Effect::WrongOutput("everything the node and its descendants carry".to_owned());
            findings.add_with_effect(&codes::NOT_FINITE, place(flver, index), text, effect);
        }
    }
}

fn check_flags(flver: &Flver, index: usize, used: &Use, findings: &mut Findings) {
    const UNUSED: u32 = 1;
    const DUMMY: u32 = 2;
    let node = &flver.nodes[index];
    let place = || place(flver, index).field("flags");
    if !matches!(node.flags, 0 | 1 | 2 | 4 | 6 | 8 | 10 | 12 | 14) {
        findings.add(&codes::NODE_FLAGS, place(), format!("flags are {:#x}", node.flags));
    }
    if node.flags & UNUSED != 0 {
        let reasons = [
            (node.first_child != -1, "it has children"),
            (used.meshes[index], "a mesh names it"),
            (used.dummies[index], "a dummy point names it"),
        ];
        for (_, reason) in reasons.iter().filter(|(holds, _)| *holds) {
            findings.add(
                &codes::NODE_FLAG_UNUSED,
                place(),
                format!("flags are {:#x}, and {reason}", node.flags),
            );
        }
    }
    if node.flags & DUMMY != 0 && !used.dummies[index] {
        let text = format!("flags are {:#x}, and no dummy point names it", node.flags);
        findings.add(&codes::NODE_FLAG_DUMMY, place(), text);
    }
}

/// Nodes that a scale of zero, their own or an ancestor's, flattens.
pub fn check_flattened(flver: &Flver, used: &Use, hierarchy: &Hierarchy, findings: &mut Findings) {
    let mut flattened_by: Vec<Option<usize>> = vec![None; flver.nodes.len()];
    for index in hierarchy.order() {
        let inherited = hierarchy.parents()[*index].and_then(|parent| flattened_by[parent]);
        let own = flver.nodes[*index].scale.contains(&0.0).then_some(*index);
        flattened_by[*index] = inherited.or(own);
    }
    for (index, by) in flattened_by.iter().enumerate() {
        let what = match (used.vertices[index], used.dummies[index]) {
            (true, _) => "vertices",
            (false, true) => "dummy points",
            (false, false) => continue,
        };
        if let Some(by) = *by {
            let scale = flver.nodes[by].scale;
            let text = format!("it carries {what}, and the scale of {} is {scale:?}", flver.node_name(by));
            let effect = Effect::WrongOutput(format!("{what} of the node are flattened"));
            findings.add_with_effect(
                &codes::NODE_SCALE_ZERO,
                place(flver, index).field("scale"),
                text,
                effect,
            );
        }
    }
}

/// Tells a skeleton set that is not there.
pub fn check_skeletons_are_read(flver: &Flver, findings: &mut Findings) {
    if let Err(error) = &flver.skeletons {
        let place = Place::section("skeleton set").offset(error.offset);
        let text =
            format!("other bytes stand in its place and no skeleton was read; no vertex needs it: {error}");
        findings.add(&codes::SKELETON_SET, place, text);
    }
}

/// The skeleton set of 0x2001A and later.
pub fn check_skeletons(flver: &Flver, findings: &mut Findings) {
    check_skeletons_are_read(flver, findings);
    let Ok(Some(set)) = &flver.skeletons else { return };
    if !set.reserved_zero {
        let place = Place::section("skeleton set").offset(set.offset);
        findings.add(&codes::RESERVED, place, "20 reserved bytes are not all zero");
    }
    for (name, bones) in [("base skeleton", &set.base), ("all skeletons", &set.all)] {
        check_skeleton(flver, name, bones, findings);
    }
}

fn check_skeleton(flver: &Flver, name: &str, bones: &[SkeletonBone], findings: &mut Findings) {
    let place = |index: usize| {
        Place::section(name).entry(format!("{name} entry {index}")).offset(bones[index].offset)
    };
    let links: Vec<Links> = bones.iter().map(Links::from).collect();
    for (index, link, number) in links::outside(&links) {
        let text = format!("{link} is {number}, outside the {} entries", bones.len());
        findings.add(&codes::SKELETON_SET, place(index), text);
    }
    for (index, problem) in links::contradictions(&links) {
        findings.add(&codes::SKELETON_SET, place(index), problem);
    }
    if let Some(index) = links::circle(&links) {
        let text = "its chain of parents comes back to itself".to_owned();
        findings.add(&codes::SKELETON_SET, place(index), text);
    }
    let mut mapped = BTreeMap::new();
    for (index, bone) in bones.iter().enumerate() {
        if crate::flver::format::at(&flver.nodes, bone.node).is_none() {
            let text = format!("node is {}, outside the {} nodes", bone.node, flver.nodes.len());
            findings.add(&codes::SKELETON_SET, place(index), text);
        } else {
            let first = *mapped.entry(bone.node).or_insert(index);
            if first != index {
                let text = format!("node is {}, which entry {first} maps to", bone.node);
                findings.add(&codes::SKELETON_SET, place(index), text);
            }
        }
        if bone.reserved != 0 {
            findings.add(&codes::RESERVED, place(index).field("0xc"), format!("{:#x}", bone.reserved));
        }
    }
}
