//! Linear-blend skinning of a glTF in double precision, by the `gltf` crate's own readers: what a block's
//! output is compared with.

use std::collections::BTreeMap;

use gltf::animation::Interpolation;
use gltf::animation::util::ReadOutputs;

/// Three rows of four.
pub type M = [[f64; 4]; 3];

pub const IDENTITY: M = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

pub fn mul(a: &M, b: &M) -> M {
    std::array::from_fn(|r| {
        std::array::from_fn(|c| {
            (0..3).map(|k| a[r][k] * b[k][c]).sum::<f64>() + if c == 3 { a[r][3] } else { 0.0 }
        })
    })
}

pub fn apply(m: &M, p: [f64; 3]) -> [f64; 3] {
    m.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3])
}

fn columns(c: [[f32; 4]; 4]) -> M {
    std::array::from_fn(|r| std::array::from_fn(|k| f64::from(c[k][r])))
}

#[derive(Clone, Copy)]
struct Local {
    t: [f64; 3],
    r: [f64; 4],
    s: [f64; 3],
}

impl Local {
    fn matrix(&self) -> M {
        let n = self.r.iter().map(|q| q * q).sum::<f64>().sqrt();
        let [x, y, z, w] = self.r.map(|q| q / n);
        let m = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        std::array::from_fn(|i| [m[i][0] * self.s[0], m[i][1] * self.s[1], m[i][2] * self.s[2], self.t[i]])
    }
}

/// A drawn corner: position in mesh space, and for each influence the node, its inverse bind matrix and
/// its weight (normalized to a sum of 1). A corner of a mesh without skin has none and its node's number.
pub struct Corner {
    pub position: [f64; 3],
    pub influences: Vec<(usize, M, f64)>,
}

pub struct Reference {
    document: gltf::Document,
    buffers: Vec<gltf::buffer::Data>,
    pub corners: Vec<Corner>,
}

impl Reference {
    pub fn read(bytes: &[u8]) -> Self {
        let (document, buffers) = {
            let gltf = gltf::Gltf::from_slice(bytes).unwrap();
            let buffers = gltf::import_buffers(&gltf.document, None, gltf.blob).unwrap();
            (gltf.document, buffers)
        };
        let mut reference = Self { document, buffers, corners: Vec::new() };
        reference.corners = reference.read_corners();
        reference
    }

    /// Corners in drawing order: parts by material in order of appearance, nodes in tree order.
    fn read_corners(&self) -> Vec<Corner> {
        let mut by_material: Vec<(Option<usize>, Vec<Corner>)> = Vec::new();
        for node in self.order() {
            let (Some(mesh), Some(skin)) = (node.mesh(), node.skin()) else { continue };
            let joints: Vec<usize> = skin.joints().map(|joint| joint.index()).collect();
            let inverse: Vec<M> =
                match skin.reader(|b| Some(&self.buffers[b.index()])).read_inverse_bind_matrices() {
                    Some(matrices) => matrices.map(columns).collect(),
                    None => vec![IDENTITY; joints.len()],
                };
            for primitive in mesh.primitives() {
                let reader = primitive.reader(|b| Some(&self.buffers[b.index()]));
                let positions: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
                let mut influences: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); positions.len()];
                for set in 0.. {
                    let Some(j) = reader.read_joints(set) else { break };
                    let w = reader.read_weights(set).unwrap().into_f32();
                    for (v, (j, w)) in j.into_u16().zip(w).enumerate() {
                        for (j, w) in j.into_iter().zip(w).filter(|(_, w)| *w > 0.0) {
                            *influences[v].entry(usize::from(j)).or_default() += f64::from(w);
                        }
                    }
                }
                let indices: Vec<u32> = match reader.read_indices() {
                    Some(indices) => indices.into_u32().collect(),
                    None => (0..positions.len() as u32).collect(),
                };
                let corner = |v: u32| {
                    let list = &influences[v as usize];
                    let total: f64 = list.values().sum();
                    Corner {
                        position: positions[v as usize].map(f64::from),
                        influences: list.iter().map(|(&j, w)| (joints[j], inverse[j], w / total)).collect(),
                    }
                };
                let material = primitive.material().index();
                let corners = indices.chunks_exact(3).flat_map(|three| three.iter().copied()).map(corner);
                match by_material.iter_mut().find(|(known, _)| *known == material) {
                    Some((_, list)) => list.extend(corners),
                    None => by_material.push((material, corners.collect())),
                }
            }
        }
        by_material.into_iter().flat_map(|(_, corners)| corners).collect()
    }

    fn order(&self) -> Vec<gltf::Node<'_>> {
        fn walk<'a>(node: &gltf::Node<'a>, out: &mut Vec<gltf::Node<'a>>) {
            out.push(node.clone());
            node.children().for_each(|child| walk(&child, out));
        }
        let mut out = Vec::new();
        self.document.scenes().next().unwrap().nodes().for_each(|node| walk(&node, &mut out));
        out
    }

    pub fn animations(&self) -> Vec<(String, f64)> {
        let name =
            |a: &gltf::Animation| a.name().map_or_else(|| format!("animation {}", a.index()), str::to_owned);
        let end = |a: &gltf::Animation| {
            a.channels()
                .filter_map(|c| c.reader(|b| Some(&self.buffers[b.index()])).read_inputs().unwrap().last())
                .fold(0.0, |end: f64, t| end.max(f64::from(t)))
        };
        self.document.animations().map(|a| (name(&a), end(&a))).collect()
    }

    /// Where every node stands in the scene; `None` is the rest pose.
    pub fn globals(&self, at: Option<(usize, f64)>) -> Vec<M> {
        let (mut locals, matrices) = locals(&self.document);
        if let Some((animation, time)) = at {
            self.animate(animation, time, &mut locals);
        }
        globals_of(&self.document, &locals, &matrices)
    }

    fn animate(&self, animation: usize, time: f64, locals: &mut [Local]) {
        for channel in self.document.animations().nth(animation).unwrap().channels() {
            let reader = channel.reader(|b| Some(&self.buffers[b.index()]));
            let times: Vec<f64> = reader.read_inputs().unwrap().map(f64::from).collect();
            let curve = channel.sampler().interpolation();
            let local = &mut locals[channel.target().node().index()];
            match reader.read_outputs().unwrap() {
                ReadOutputs::Translations(values) => {
                    local.t = vector(&times, &values.collect::<Vec<_>>(), curve, time);
                }
                ReadOutputs::Scales(values) => {
                    local.s = vector(&times, &values.collect::<Vec<_>>(), curve, time);
                }
                ReadOutputs::Rotations(values) => {
                    local.r = rotation(&times, &values.into_f32().collect::<Vec<_>>(), curve, time);
                }
                ReadOutputs::MorphTargetWeights(_) => {}
            }
        }
    }

    /// Linear-blend skinning of a corner.
    pub fn skin(corner: &Corner, globals: &[M]) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for (node, inverse, weight) in &corner.influences {
            let moved = apply(&mul(&globals[*node], inverse), corner.position);
            (0..3).for_each(|axis| sum[axis] += weight * moved[axis]);
        }
        sum
    }
}

fn segment(times: &[f64], time: f64) -> (usize, usize, f64) {
    let after = times.partition_point(|t| *t <= time);
    if after == 0 {
        return (0, 0, 0.0);
    }
    if after == times.len() {
        return (after - 1, after - 1, 0.0);
    }
    (after - 1, after, (time - times[after - 1]) / (times[after] - times[after - 1]))
}

fn cubic<const N: usize>(times: &[f64], v: &[[f32; N]], i: usize, j: usize, u: f64) -> [f64; N] {
    let d = times[j] - times[i];
    let row = |k: usize| v[k].map(f64::from);
    let (p, out, into, q) = (row(3 * i + 1), row(3 * i + 2), row(3 * j), row(3 * j + 1));
    let (u2, u3) = (u * u, u * u * u);
    std::array::from_fn(|n| {
        (2.0 * u3 - 3.0 * u2 + 1.0) * p[n]
            + (u3 - 2.0 * u2 + u) * d * out[n]
            + (3.0 * u2 - 2.0 * u3) * q[n]
            + (u3 - u2) * d * into[n]
    })
}

fn vector(times: &[f64], v: &[[f32; 3]], curve: Interpolation, time: f64) -> [f64; 3] {
    let (i, j, u) = segment(times, time);
    match curve {
        Interpolation::Step => v[i].map(f64::from),
        Interpolation::Linear => {
            std::array::from_fn(|n| (1.0 - u) * f64::from(v[i][n]) + u * f64::from(v[j][n]))
        }
        Interpolation::CubicSpline => cubic(times, v, i, j, u),
    }
}

fn rotation(times: &[f64], v: &[[f32; 4]], curve: Interpolation, time: f64) -> [f64; 4] {
    let (i, j, u) = segment(times, time);
    match curve {
        Interpolation::Step => v[i].map(f64::from),
        Interpolation::CubicSpline => cubic(times, v, i, j, u),
        Interpolation::Linear => {
            let (p, mut q) = (v[i].map(f64::from), v[j].map(f64::from));
            let mut dot: f64 = p.iter().zip(q).map(|(a, b)| a * b).sum();
            if dot < 0.0 {
                q = q.map(|part| -part);
                dot = -dot;
            }
            let angle = dot.min(1.0).acos();
            if angle < 1e-6 {
                return std::array::from_fn(|n| (1.0 - u) * p[n] + u * q[n]);
            }
            let (a, b) = (((1.0 - u) * angle).sin() / angle.sin(), (u * angle).sin() / angle.sin());
            std::array::from_fn(|n| a * p[n] + b * q[n])
        }
    }
}

fn locals(document: &gltf::Document) -> (Vec<Local>, Vec<Option<M>>) {
    let (mut locals, mut matrices) = (Vec::new(), Vec::new());
    for node in document.nodes() {
        let (t, r, s) = match node.transform() {
            gltf::scene::Transform::Decomposed { translation, rotation, scale } => {
                (translation, rotation, scale)
            }
            gltf::scene::Transform::Matrix { .. } => ([0.0; 3], [0.0, 0.0, 0.0, 1.0], [1.0; 3]),
        };
        locals.push(Local { t: t.map(f64::from), r: r.map(f64::from), s: s.map(f64::from) });
        matrices.push(match node.transform() {
            gltf::scene::Transform::Matrix { matrix } => Some(columns(matrix)),
            gltf::scene::Transform::Decomposed { .. } => None,
        });
    }
    (locals, matrices)
}

fn globals_of(document: &gltf::Document, locals: &[Local], matrices: &[Option<M>]) -> Vec<M> {
    let mut parents = vec![None; locals.len()];
    for node in document.nodes() {
        node.children().for_each(|child| parents[child.index()] = Some(node.index()));
    }
    let global = |mut node: usize| {
        let local = |node: usize| matrices[node].unwrap_or_else(|| locals[node].matrix());
        let mut matrix = local(node);
        while let Some(parent) = parents[node] {
            matrix = mul(&local(parent), &matrix);
            node = parent;
        }
        matrix
    };
    (0..locals.len()).map(global).collect()
}

/// Where the nodes of a document stand.
pub fn node_globals(document: &gltf::Document) -> Vec<M> {
    let (locals, matrices) = locals(document);
    globals_of(document, &locals, &matrices)
}

/// The inverse by Gauss-Jordan elimination.
pub fn inverse(m: &M) -> M {
    let mut left: [[f64; 3]; 3] = std::array::from_fn(|r| [m[r][0], m[r][1], m[r][2]]);
    let mut right = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for k in 0..3 {
        let pivot = (k..3).max_by(|a, b| left[*a][k].abs().total_cmp(&left[*b][k].abs())).unwrap();
        left.swap(k, pivot);
        right.swap(k, pivot);
        let scale = left[k][k];
        left[k] = left[k].map(|cell| cell / scale);
        right[k] = right[k].map(|cell| cell / scale);
        for row in (0..3).filter(|row| *row != k) {
            let factor = left[row][k];
            for column in 0..3 {
                left[row][column] -= factor * left[k][column];
                right[row][column] -= factor * right[k][column];
            }
        }
    }
    right.map(|row| [row[0], row[1], row[2], -(0..3).map(|k| row[k] * m[k][3]).sum::<f64>()])
}
