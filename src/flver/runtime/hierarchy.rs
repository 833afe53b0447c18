//! The nodes' world transforms.

use schemars::JsonSchema;
use serde::Serialize;

use crate::bytes::{ReadError, ReadResult};
use crate::flver::format::Node;

use super::transform::Transform;

/// How a node's scale reaches its descendants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScaleRule {
    /// The full product of affine maps: a scaled node scales the translations of its descendants and what they
    /// carry. Right in 167 of the 167 models of two games in which the rules differ [seed 000].
    #[default]
    Inherited,
    /// The community importer's rule: translation is the parent's plus the parent's scale-free rotation of the
    /// local one, and a node's scale applies only to what the node itself carries. For comparison.
    OwnOnly,
}

/// The order in which nodes can be composed: every parent before its children.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    parents: Vec<Option<usize>>,
    order: Vec<usize>,
}

/// A node given another transform by a pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Override {
    /// In place of the node's local transform.
    Local(Transform),
    /// In place of its world transform; its children follow.
    World(Transform),
}

impl Hierarchy {
    /// Orders the nodes by their parents; a parent may stand after its child.
    ///
    /// # Errors
    /// When a parent index names no node, or the parents form a circle.
    pub fn new(nodes: &[Node]) -> ReadResult<Self> {
        let parents = nodes
            .iter()
            .enumerate()
            .map(|(index, node)| parent(index, node, nodes.len()))
            .collect::<ReadResult<Vec<_>>>()?;
        let mut children = vec![Vec::new(); nodes.len()];
        let mut order: Vec<usize> = Vec::with_capacity(nodes.len());
        for (index, parent) in parents.iter().enumerate() {
            match parent {
                Some(parent) => children[*parent].push(index),
                None => order.push(index),
            }
        }
        // Breadth first from the roots; what a circle holds is never reached.
        let mut next = 0;
        while let Some(index) = order.get(next) {
            order.extend_from_slice(&children[*index]);
            next += 1;
        }
        if order.len() < nodes.len() {
            return Err(circle(&parents, &order, nodes));
        }
        Ok(Self { parents, order })
    }

    /// The parent of each node.
    pub fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    /// Every node, parents before their children.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// World transforms of all nodes. `overrides` holds one entry a node, or none at all for the bind pose.
    pub fn world(&self, nodes: &[Node], overrides: &[Option<Override>], rule: ScaleRule) -> Vec<Transform> {
        let mut frames =
            vec![Frame { carried: Transform::IDENTITY, passed_on: Transform::IDENTITY }; nodes.len()];
        for index in &self.order {
            let node = &nodes[*index];
            let parent = self.parents[*index].map(|parent| frames[parent].passed_on);
            let compose = |local: &Transform| match (parent, rule) {
                (Some(parent), ScaleRule::OwnOnly) => Frame::new(*local, rule).after(&parent),
                (Some(parent), ScaleRule::Inherited) => Frame::new(local.then(&parent), rule),
                (None, _) => Frame::new(*local, rule),
            };
            frames[*index] = match overrides.get(*index).copied().flatten() {
                Some(Override::World(world)) => Frame::new(world, rule),
                Some(Override::Local(local)) => compose(&local),
                None => compose(&Transform::from_parts(node.translation, node.rotation, node.scale)),
            };
        }
        frames.into_iter().map(|frame| frame.carried).collect()
    }
}

/// What a node does to the vertices it carries, and what it passes on to its children.
#[derive(Debug, Clone, Copy)]
struct Frame {
    carried: Transform,
    passed_on: Transform,
}

impl Frame {
    fn new(carried: Transform, rule: ScaleRule) -> Self {
        let mut passed_on = carried;
        if rule == ScaleRule::OwnOnly {
            for (row, length) in passed_on.rows.iter_mut().zip(carried.scale()) {
                if length > 0.0 {
                    *row = row.map(|cell| cell / length);
                }
            }
        }
        Self { carried, passed_on }
    }

    /// Both maps, followed by the parent's.
    fn after(self, parent: &Transform) -> Self {
        Self { carried: self.carried.then(parent), passed_on: self.passed_on.then(parent) }
    }
}

fn parent(index: usize, node: &Node, count: usize) -> ReadResult<Option<usize>> {
    match usize::try_from(node.parent) {
        Ok(parent) if parent < count => Ok(Some(parent)),
        Err(_) if node.parent == -1 => Ok(None),
        _ => Err(ReadError::new(
            format!("node {index} parent"),
            node.offset + 0x1C,
            format!("-1 or one of {count} nodes"),
            format!("number {}", node.parent),
        )),
    }
}

fn circle(parents: &[Option<usize>], reached: &[usize], nodes: &[Node]) -> ReadError {
    let mut known = vec![false; parents.len()];
    for index in reached {
        known[*index] = true;
    }
    let lost = known.iter().position(|known| !known).unwrap_or(0);
    ReadError::new(
        format!("node {lost} parent"),
        nodes[lost].offset + 0x1C,
        "a chain of parents that ends at a root",
        "a chain of parents that comes back to itself",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flver::format::BoundingBox;

    fn node(parent: i16, translation: [f32; 3], scale: f32) -> Node {
        Node {
            offset: 0x80,
            name: String::new(),
            translation,
            rotation: [0.0; 3],
            scale: [scale; 3],
            parent,
            first_child: -1,
            next_sibling: -1,
            previous_sibling: -1,
            bounds: BoundingBox::SENTINEL,
            flags: 0,
            reserved_zero: true,
        }
    }

    fn origins(nodes: &[Node], overrides: &[Option<Override>], rule: ScaleRule) -> Vec<[f64; 3]> {
        let hierarchy = Hierarchy::new(nodes).unwrap();
        hierarchy.world(nodes, overrides, rule).iter().map(|world| world.rows[3]).collect()
    }

    #[test]
    fn a_scaled_node_scales_its_descendants_translations_unless_told_not_to() {
        let nodes =
            [node(-1, [1.0, 0.0, 0.0], 2.0), node(0, [1.0, 0.0, 0.0], 3.0), node(1, [0.0, 1.0, 0.0], 1.0)];
        let origins = |rule| origins(&nodes, &[], rule);
        assert_eq!(origins(ScaleRule::Inherited), [[1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 6.0, 0.0]]);
        assert_eq!(origins(ScaleRule::OwnOnly), [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0]]);
        let hierarchy = Hierarchy::new(&nodes).unwrap();
        let own = hierarchy.world(&nodes, &[], ScaleRule::OwnOnly);
        assert_eq!(own[1].scale(), [3.0; 3], "a node's own scale applies to what it carries");
        assert_eq!(own[2].scale(), [1.0; 3]);
    }

    #[test]
    fn a_parent_may_stand_after_its_child() {
        let nodes = [node(1, [1.0, 0.0, 0.0], 1.0), node(-1, [0.0, 5.0, 0.0], 2.0)];
        assert_eq!(origins(&nodes, &[], ScaleRule::Inherited), [[2.0, 5.0, 0.0], [0.0, 5.0, 0.0]]);
    }

    #[test]
    fn an_overridden_world_transform_takes_the_children_along() {
        let nodes = [node(-1, [1.0, 0.0, 0.0], 1.0), node(0, [1.0, 0.0, 0.0], 1.0)];
        let moved = Transform::from_parts([0.0, 9.0, 0.0], [0.0; 3], [1.0; 3]);
        let pose = [Some(Override::World(moved)), None];
        assert_eq!(origins(&nodes, &pose, ScaleRule::Inherited), [[0.0, 9.0, 0.0], [1.0, 9.0, 0.0]]);
        let pose = [None, Some(Override::Local(moved))];
        assert_eq!(origins(&nodes, &pose, ScaleRule::Inherited), [[1.0, 0.0, 0.0], [1.0, 9.0, 0.0]]);
    }

    #[test]
    fn a_circle_and_a_parent_outside_the_table_are_refused() {
        let refusal = |nodes: &[Node]| Hierarchy::new(nodes).unwrap_err().to_string();
        let origin = [0.0; 3];
        assert!(refusal(&[node(0, origin, 1.0)]).contains("node 0 parent"));
        let nodes = [node(-1, origin, 1.0), node(2, origin, 1.0), node(1, origin, 1.0)];
        assert!(refusal(&nodes).contains("node 1 parent at offset 0x9c"));
        assert!(refusal(&[node(7, origin, 1.0)]).contains("number 7"));
        assert!(refusal(&[node(-2, origin, 1.0)]).contains("number -2"));
    }
}
