//! Which nodes become bones, where they stand at rest, and what turns a mesh into the bones' space.
//!
//! The library binds every bone where its controls put it at rest, so a vertex must be given in the
//! space in which its skin matrix is the identity. glTF binds a joint by a matrix of its own. Where those
//! matrices agree with the nodes as they stand, the nodes are the rest pose. Where they do not, the rest
//! pose is made from the matrices, and the nodes' own pose becomes an animation.

use std::collections::BTreeMap;

use super::accessor::Accessors;
use super::nodes::{Local, Nodes};
use crate::affine::{Affine, Trs, length, normalized, quaternion_product};
use crate::c3::build::character::{Bone, Rest};
use crate::c3::build::error::{BuildError, BuildResult};

/// Bones that a model has at most: the mirror table of a skeleton numbers them by bytes. \[seed 003\]
pub const MOST_BONES: usize = 255;

/// A skin as the file gives it.
#[derive(Debug, Clone)]
pub struct RawSkin {
    /// Name for messages.
    pub name: String,
    /// Nodes.
    pub joints: Vec<usize>,
    /// One matrix a joint.
    pub inverse_bind: Vec<Affine>,
}

/// Reads a skin.
///
/// # Errors
/// When its matrices are fewer than its joints, or not finite.
pub fn read_skin(skin: &gltf::Skin, accessors: &mut Accessors) -> BuildResult<RawSkin> {
    let name = skin.name().map_or_else(|| format!("skin {}", skin.index()), |name| format!("skin '{name}'"));
    let joints: Vec<usize> = skin.joints().map(|joint| joint.index()).collect();
    let inverse_bind = match skin.inverse_bind_matrices() {
        None => vec![Affine::IDENTITY; joints.len()],
        Some(accessor) => {
            let rows = accessors.rows::<16>(&accessor, &format!("{name}, inverse bind matrices"))?;
            rows.iter().map(Affine::from_columns).collect()
        }
    };
    if inverse_bind.len() < joints.len() {
        let want = format!("{} inverse bind matrices, one a joint", joints.len());
        return Err(BuildError::new(name, want, format!("{}", inverse_bind.len())));
    }
    Ok(RawSkin { name, joints, inverse_bind })
}

/// The bones of a character and how they follow from nodes.
#[derive(Debug)]
pub struct Skeleton {
    /// Node of each bone.
    pub nodes: Vec<usize>,
    /// Bone of each node that is one.
    pub bones: BTreeMap<usize, u16>,
    /// The bones at rest.
    pub rest: Vec<Bone>,
    /// What each bone's node stands at, the nodes folded into it included.
    pub stand: Vec<Rest>,
    /// What the nodes folded into a bone put before its own transform.
    pub prefixes: Vec<Trs>,
    /// From each skin's mesh space to the bones' space.
    pub mesh_spaces: BTreeMap<usize, Affine>,
    /// Whether the rest pose is that of the nodes.
    pub stands_at_rest: bool,
}

impl Skeleton {
    /// Where a bone stands in the scene at rest.
    pub fn global(&self, bone: u16) -> Affine {
        let bone = &self.rest[usize::from(bone)];
        match bone.parent {
            Some(parent) => self.global(parent).after(&bone.local.affine()),
            None => bone.local.affine(),
        }
    }

    /// The bone that carries a node: the node itself or its nearest ancestor that is a bone.
    pub fn carrier(&self, nodes: &Nodes, node: usize) -> Option<u16> {
        std::iter::once(node).chain(nodes.ancestors(node)).find_map(|node| self.bones.get(&node).copied())
    }
}

/// A skin with what the meshes under it use of it.
#[derive(Debug)]
pub struct SkinUse<'s> {
    /// Number of the skin.
    pub index: usize,
    /// The skin.
    pub skin: &'s RawSkin,
    /// Joints that carry weight, by number in the skin.
    pub used: Vec<bool>,
    /// Corners of the box around the mesh.
    pub corners: Vec<[f64; 3]>,
}

/// Makes the bones: every joint, and every node above one that cannot be folded into its children.
///
/// # Errors
/// When there are too many, or a bind matrix flattens space or contradicts that of another skin.
pub fn skeleton(nodes: &Nodes, skins: &[SkinUse], animated: &[bool]) -> BuildResult<Skeleton> {
    let mut is_bone = vec![false; nodes.parents.len()];
    let joints: Vec<usize> = skins.iter().flat_map(|used| used.skin.joints.iter().copied()).collect();
    for &joint in &joints {
        is_bone[joint] = true;
        for above in nodes.ancestors(joint) {
            is_bone[above] |= animated[above] || !folds(&nodes.locals[above]);
        }
    }
    let order: Vec<usize> = nodes.order.iter().copied().filter(|&node| is_bone[node]).collect();
    if order.len() > MOST_BONES {
        let mut distinct = joints;
        distinct.sort_unstable();
        distinct.dedup();
        let have = format!(
            "{}: {} joints and {} nodes above them",
            order.len(),
            distinct.len(),
            order.len() - distinct.len()
        );
        return Err(BuildError::new("skeleton", format!("at most {MOST_BONES} bones"), have));
    }
    let mut skeleton = standing(nodes, order);
    skeleton.bind(nodes, skins)?;
    Ok(skeleton)
}

/// Whether a transform can go into that of a child: turned, moved and evenly scaled only.
fn folds(local: &Local) -> bool {
    local.trs().is_some_and(|trs| {
        let [x, y, z] = trs.scale;
        x > 0.0 && (x - y).abs() <= 1e-9 * x && (x - z).abs() <= 1e-9 * x
    })
}

/// `first` before `trs`: exact because a prefix scales evenly.
pub fn prefixed(prefix: &Trs, trs: &Trs) -> Trs {
    Trs {
        translation: prefix.affine().point(trs.translation),
        rotation: quaternion_product(normalized(prefix.rotation), normalized(trs.rotation)),
        scale: std::array::from_fn(|axis| prefix.scale[axis] * trs.scale[axis]),
    }
}

/// The bones where the nodes stand.
fn standing(nodes: &Nodes, order: Vec<usize>) -> Skeleton {
    let bones: BTreeMap<usize, u16> = order.iter().copied().zip(0..).collect();
    let (mut rest, mut stand, mut prefixes) = (Vec::new(), Vec::new(), Vec::new());
    for &node in &order {
        let mut prefix = Trs::IDENTITY;
        let mut parent = None;
        for above in nodes.ancestors(node) {
            parent = bones.get(&above).copied();
            if parent.is_some() {
                break;
            }
            if let Some(trs) = nodes.locals[above].trs() {
                prefix = prefixed(&trs, &prefix);
            }
        }
        let whole = prefix.affine().after(&nodes.locals[node].affine());
        let components = match (&nodes.locals[node], prefix == Trs::IDENTITY) {
            (Local::Components(trs), true) => Some(*trs),
            (local, _) => local.trs().map(|trs| prefixed(&prefix, &trs)),
        };
        let local = components.map_or(Rest::Matrix(whole), Rest::Components);
        stand.push(local);
        rest.push(Bone { name: nodes.names[node].clone(), parent, local });
        prefixes.push(prefix);
    }
    let mesh_spaces = BTreeMap::new();
    Skeleton { nodes: order, bones, rest, stand, prefixes, mesh_spaces, stands_at_rest: true }
}

/// Largest distance, in parts of a model's size, between two placements of a vertex that count as one:
/// half of the finest step that s16 positions of that size can have.
const SAME_PLACE: f64 = 1.0 / 65536.0;

impl Skeleton {
    fn bind(&mut self, nodes: &Nodes, skins: &[SkinUse]) -> BuildResult<()> {
        let globals: Vec<Affine> = self.nodes.iter().map(|&node| nodes.globals[node]).collect();
        if let Ok(spaces) = self.spaces(&globals, skins) {
            self.mesh_spaces = spaces;
            return Ok(());
        }
        self.stands_at_rest = false;
        let globals = self.bound(skins)?;
        self.mesh_spaces = self.spaces(&globals, skins)?;
        for bone in 0..self.rest.len() {
            let local = match self.rest[bone].parent {
                None => Some(globals[bone]),
                Some(parent) => {
                    globals[usize::from(parent)].inverse().map(|inverse| inverse.after(&globals[bone]))
                }
            };
            self.rest[bone].local = local.ok_or_else(|| self.flat(bone))?.into();
        }
        Ok(())
    }

    fn flat(&self, bone: usize) -> BuildError {
        let have = "one that flattens space";
        BuildError::new(&self.rest[bone].name, "a bind matrix that can be inverted", have)
    }

    /// The bones where the skins' matrices bind them; those without a matrix follow their parent.
    fn bound(&self, skins: &[SkinUse]) -> BuildResult<Vec<Affine>> {
        let mut bound: Vec<Option<Affine>> = vec![None; self.rest.len()];
        for used in skins {
            for (joint, inverse) in used.skin.joints.iter().zip(&used.skin.inverse_bind) {
                let bone = usize::from(self.bones[joint]);
                if bound[bone].is_none() {
                    bound[bone] = Some(inverse.inverse().ok_or_else(|| self.flat(bone))?);
                }
            }
        }
        let mut globals: Vec<Affine> = Vec::with_capacity(bound.len());
        for (bone, bound) in self.rest.iter().zip(bound) {
            let above = bone.parent.map_or(Affine::IDENTITY, |parent| globals[usize::from(parent)]);
            globals.push(bound.unwrap_or_else(|| above.after(&bone.local.affine())));
        }
        Ok(globals)
    }

    /// For each skin the one matrix that all its used joints make of mesh space.
    fn spaces(&self, globals: &[Affine], skins: &[SkinUse]) -> BuildResult<BTreeMap<usize, Affine>> {
        let mut spaces = BTreeMap::new();
        for used in skins {
            let joints = used.skin.joints.iter().zip(&used.skin.inverse_bind).zip(&used.used);
            let mut placed = joints.filter(|(_, used)| **used).map(|((joint, inverse), _)| {
                (*joint, globals[usize::from(self.bones[joint])].after(inverse))
            });
            let Some((_, space)) = placed.next() else { continue };
            let size = used.corners.iter().map(|&corner| length(space.point(corner))).fold(0.0, f64::max);
            for (joint, other) in placed {
                let apart = used.corners.iter().map(|&corner| {
                    let (a, b) = (space.point(corner), other.point(corner));
                    length(std::array::from_fn(|axis| a[axis] - b[axis]))
                });
                let apart = apart.fold(0.0, f64::max);
                if apart.is_nan() || apart > size * SAME_PLACE {
                    let bone = &self.rest[usize::from(self.bones[&joint])].name;
                    let place = format!("{}, {bone}", used.skin.name);
                    let want = "one bind pose for all skins that share a joint";
                    return Err(BuildError::new(place, want, "another"));
                }
            }
            spaces.insert(used.index, space);
        }
        Ok(spaces)
    }
}
