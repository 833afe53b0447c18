//! The node tree: who is above whom, and where each node stands at rest.

use gltf::Document;
use gltf::scene::Transform;

use crate::affine::{Affine, Trs};
use crate::c3::build::error::{BuildError, BuildResult};

/// A node's transform to its parent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Local {
    /// Given as components.
    Components(Trs),
    /// Given as a matrix.
    Matrix(Affine),
}

impl Local {
    /// The matrix.
    pub fn affine(&self) -> Affine {
        match self {
            Self::Components(trs) => trs.affine(),
            Self::Matrix(matrix) => *matrix,
        }
    }

    /// The components, if the transform has some.
    pub fn trs(&self) -> Option<Trs> {
        match self {
            Self::Components(trs) => Some(*trs),
            Self::Matrix(matrix) => matrix.trs(),
        }
    }
}

/// The nodes of a file, by number.
#[derive(Debug)]
pub struct Nodes {
    /// Names for messages.
    pub names: Vec<String>,
    /// Each node's parent.
    pub parents: Vec<Option<usize>>,
    /// Each node's transform.
    pub locals: Vec<Local>,
    /// Each node's transform to the scene.
    pub globals: Vec<Affine>,
    /// All nodes, each before its children, children in file order.
    pub order: Vec<usize>,
}

impl Nodes {
    /// Reads the tree.
    ///
    /// # Errors
    /// When a node has two parents or is its own ancestor, or a transform is not finite.
    pub fn read(document: &Document) -> BuildResult<Self> {
        let nodes: Vec<gltf::Node> = document.nodes().collect();
        let names: Vec<String> = nodes.iter().map(node_name).collect();
        let parents = parents(&nodes, &names)?;
        let locals = nodes
            .iter()
            .zip(&names)
            .map(|(node, name)| local(node, name))
            .collect::<BuildResult<Vec<_>>>()?;
        let order = order(document, &nodes, &parents);
        if order.len() < nodes.len() {
            let mut seen = vec![false; nodes.len()];
            for &node in &order {
                seen[node] = true;
            }
            let lost = seen.iter().position(|seen| !seen).unwrap_or(0);
            return Err(BuildError::new(&names[lost], "a tree of nodes", "a node that is its own ancestor"));
        }
        let mut globals = vec![Affine::IDENTITY; nodes.len()];
        for &node in &order {
            let above = parents[node].map_or(Affine::IDENTITY, |parent| globals[parent]);
            globals[node] = above.after(&locals[node].affine());
        }
        Ok(Self { names, parents, locals, globals, order })
    }

    /// A node's ancestors, the nearest first.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parents[node], |&node| self.parents[node])
    }
}

/// `node 3 'Head'`.
fn node_name(node: &gltf::Node) -> String {
    match node.name() {
        Some(name) => format!("node {} '{name}'", node.index()),
        None => format!("node {}", node.index()),
    }
}

fn parents(nodes: &[gltf::Node], names: &[String]) -> BuildResult<Vec<Option<usize>>> {
    let mut parents = vec![None; nodes.len()];
    for node in nodes {
        for child in node.children() {
            if let Some(other) = parents[child.index()].replace(node.index()) {
                let have = format!("{} and {}", names[other], names[node.index()]);
                return Err(BuildError::new(&names[child.index()], "one parent", have));
            }
        }
    }
    Ok(parents)
}

fn local(node: &gltf::Node, name: &str) -> BuildResult<Local> {
    let local = match node.transform() {
        Transform::Matrix { matrix } => {
            let mut columns = [0.0; 16];
            for (cell, value) in columns.iter_mut().zip(matrix.as_flattened()) {
                *cell = f64::from(*value);
            }
            Local::Matrix(Affine::from_columns(&columns))
        }
        Transform::Decomposed { translation, rotation, scale } => Local::Components(Trs {
            translation: translation.map(f64::from),
            rotation: rotation.map(f64::from),
            scale: scale.map(f64::from),
        }),
    };
    if local.affine().is_finite() {
        Ok(local)
    } else {
        Err(BuildError::new(name, "a transform of finite numbers", "one that is not"))
    }
}

/// Pre-order from the scene's roots, then from the other roots.
fn order(document: &Document, nodes: &[gltf::Node], parents: &[Option<usize>]) -> Vec<usize> {
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let scene_roots: Vec<usize> =
        scene.iter().flat_map(gltf::Scene::nodes).map(|node| node.index()).collect();
    let roots = scene_roots.into_iter().chain(0..nodes.len()).filter(|&node| parents[node].is_none());
    let mut seen = vec![false; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    for root in roots {
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            order.push(node);
            let children: Vec<usize> = nodes[node].children().map(|child| child.index()).collect();
            stack.extend(children.into_iter().rev());
        }
    }
    order
}
