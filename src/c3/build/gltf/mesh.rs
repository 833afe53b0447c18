//! Primitives as the file gives them: positions, normals, colours, weights, triangles, targets.

use std::sync::Arc;

use gltf::Semantic;
use gltf::mesh::Mode;

use super::accessor::Accessors;
use crate::affine::{length, unit};
use crate::c3::build::error::{BuildError, BuildResult, Notes};

/// What a target adds, one row a vertex.
#[derive(Debug, Clone, Default)]
pub struct RawTarget {
    /// To positions.
    pub positions: Vec<[f64; 3]>,
    /// To normals, or empty.
    pub normals: Vec<[f64; 3]>,
}

/// One primitive of one node's mesh.
#[derive(Debug, Clone)]
pub struct RawPart {
    /// The node.
    pub node: usize,
    /// Its skin, if it has one.
    pub skin: Option<usize>,
    /// Number of the mesh.
    pub mesh: usize,
    /// Name of the mesh.
    pub mesh_name: String,
    /// Name for messages.
    pub label: Arc<str>,
    /// Name of the material.
    pub material: String,
    /// Positions.
    pub positions: Vec<[f64; 3]>,
    /// Normals of length 1.
    pub normals: Vec<[f64; 3]>,
    /// Colours, the material's included.
    pub colours: Vec<[u8; 4]>,
    /// Texture coordinates, or empty.
    pub texture: Vec<[f64; 2]>,
    /// Joints (numbers in the skin) and weights above 0; empty without a skin.
    pub influences: Vec<Vec<(u32, f64)>>,
    /// Vertex numbers.
    pub triangles: Vec<[u32; 3]>,
    /// Morph targets with their names.
    pub targets: Vec<(String, RawTarget)>,
    /// The file's number of each vertex: flat normals make several of one.
    pub sources: Vec<u32>,
}

/// Reads the primitives of a node's mesh.
///
/// # Errors
/// When an attribute is missing, misshapen or not finite, or an index points nowhere.
pub fn read(node: &gltf::Node, accessors: &mut Accessors, notes: &mut Notes) -> BuildResult<Vec<RawPart>> {
    let Some(mesh) = node.mesh() else { return Ok(Vec::new()) };
    let mut parts = Vec::new();
    for primitive in mesh.primitives() {
        let mesh_name = mesh.name().map_or_else(|| format!("mesh {}", mesh.index()), str::to_owned);
        let label: Arc<str> = format!("mesh '{mesh_name}', primitive {}", primitive.index()).into();
        if !matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            notes.add("primitives of points or lines are left out", &label);
            continue;
        }
        parts.push(
            Reader { accessors, notes, label: &label, primitive: &primitive }.part(node, &mesh, mesh_name)?,
        );
    }
    Ok(parts)
}

struct Reader<'r, 'f, 'p> {
    accessors: &'r mut Accessors<'f>,
    notes: &'r mut Notes,
    label: &'r Arc<str>,
    primitive: &'r gltf::Primitive<'p>,
}

impl Reader<'_, '_, '_> {
    fn part(&mut self, node: &gltf::Node, mesh: &gltf::Mesh, mesh_name: String) -> BuildResult<RawPart> {
        let positions: Vec<[f64; 3]> = self
            .attribute(&Semantic::Positions, None)?
            .ok_or_else(|| BuildError::new(&**self.label, "positions", "none"))?;
        let count = positions.len();
        let normals = self.attribute::<3>(&Semantic::Normals, Some(count))?;
        let texture = self.attribute::<2>(&Semantic::TexCoords(0), Some(count))?.unwrap_or_default();
        let material = self.primitive.material();
        let part = RawPart {
            node: node.index(),
            skin: node.skin().map(|skin| skin.index()),
            mesh: mesh.index(),
            mesh_name,
            label: Arc::clone(self.label),
            material: material.name().map_or_else(
                || material.index().map_or_else(|| "default".to_owned(), |index| format!("material {index}")),
                str::to_owned,
            ),
            normals: normals.clone().unwrap_or_default().into_iter().map(unit).collect(),
            colours: self.colours(count)?,
            texture,
            influences: if node.skin().is_some() { self.influences(count)? } else { Vec::new() },
            triangles: self.triangles(count)?,
            targets: self.targets(mesh, count)?,
            sources: (0..count as u32).collect(),
            positions,
        };
        if normals.is_some() {
            return Ok(part);
        }
        self.notes.add("normals are missing: flat ones were made, as glTF asks", self.label);
        Ok(flat(&part))
    }

    fn attribute<const N: usize>(
        &mut self,
        semantic: &Semantic,
        count: Option<usize>,
    ) -> BuildResult<Option<Vec<[f64; N]>>> {
        let Some(accessor) = self.primitive.get(semantic) else { return Ok(None) };
        let what = format!("{}, {}", self.label, semantic.to_string());
        let rows = self.accessors.rows(&accessor, &what)?;
        match count {
            Some(count) if count != rows.len() => Err(BuildError::new(
                what,
                format!("{count} rows, as many as positions"),
                format!("{}", rows.len()),
            )),
            _ => Ok(Some(rows)),
        }
    }

    /// Vertex colours times the material's colour, as shown: glTF's are linear.
    fn colours(&mut self, count: usize) -> BuildResult<Vec<[u8; 4]>> {
        let factor = self.primitive.material().pbr_metallic_roughness().base_color_factor().map(f64::from);
        let semantic = Semantic::Colors(0);
        let rows: Vec<[f64; 4]> = match self.primitive.get(&semantic).map(|accessor| accessor.dimensions()) {
            None => vec![[1.0; 4]; count],
            Some(gltf::accessor::Dimensions::Vec3) => {
                let rows = self.attribute::<3>(&semantic, Some(count))?.unwrap_or_default();
                rows.into_iter().map(|[red, green, blue]| [red, green, blue, 1.0]).collect()
            }
            Some(_) => self.attribute(&semantic, Some(count))?.unwrap_or_default(),
        };
        Ok(rows.into_iter().map(|row| colour(std::array::from_fn(|n| row[n] * factor[n]))).collect())
    }

    fn influences(&mut self, count: usize) -> BuildResult<Vec<Vec<(u32, f64)>>> {
        let mut influences = vec![Vec::new(); count];
        for set in 0.. {
            let joints = self.attribute::<4>(&Semantic::Joints(set), Some(count))?;
            let weights = self.attribute::<4>(&Semantic::Weights(set), Some(count))?;
            let (joints, weights) = match (joints, weights) {
                (Some(joints), Some(weights)) => (joints, weights),
                (None, None) if set > 0 => break,
                (joints, _) => {
                    let missing = if joints.is_none() { "JOINTS" } else { "WEIGHTS" };
                    return Err(BuildError::new(&**self.label, format!("{missing}_{set}"), "none"));
                }
            };
            for (vertex, (joints, weights)) in joints.iter().zip(&weights).enumerate() {
                for (&joint, &weight) in joints.iter().zip(weights) {
                    if weight < 0.0 {
                        let place = format!("{}, vertex {vertex}", self.label);
                        return Err(BuildError::new(place, "weights of 0 or more", format!("{weight}")));
                    }
                    if weight > 0.0 {
                        influences[vertex].push((joint as u32, weight));
                    }
                }
            }
        }
        Ok(influences)
    }

    fn triangles(&mut self, count: usize) -> BuildResult<Vec<[u32; 3]>> {
        let indices: Vec<u32> = match self.primitive.indices() {
            None => (0..count as u32).collect(),
            Some(accessor) => {
                let what = format!("{}, indices", self.label);
                let rows = self.accessors.rows::<1>(&accessor, &what)?;
                rows.into_iter().map(|[index]| index as u32).collect()
            }
        };
        if let Some(&index) = indices.iter().find(|&&index| index as usize >= count) {
            let place = format!("{}, indices", self.label);
            return Err(BuildError::new(place, format!("vertex numbers below {count}"), format!("{index}")));
        }
        let triangles: Vec<[u32; 3]> = match self.primitive.mode() {
            Mode::TriangleStrip => {
                let turned = |(n, three): (usize, &[u32])| match n % 2 {
                    0 => [three[0], three[1], three[2]],
                    _ => [three[1], three[0], three[2]],
                };
                indices.windows(3).enumerate().map(turned).collect()
            }
            Mode::TriangleFan => indices
                .get(1..)
                .unwrap_or_default()
                .windows(2)
                .map(|two| [indices[0], two[0], two[1]])
                .collect(),
            _ => indices.chunks_exact(3).map(|three| [three[0], three[1], three[2]]).collect(),
        };
        let full = |[a, b, c]: &[u32; 3]| a != b && b != c && a != c;
        Ok(triangles.into_iter().filter(full).collect())
    }

    fn targets(&mut self, mesh: &gltf::Mesh, count: usize) -> BuildResult<Vec<(String, RawTarget)>> {
        let names = target_names(mesh);
        let mut targets = Vec::new();
        for (index, target) in self.primitive.morph_targets().enumerate() {
            let name = names.get(index).cloned().unwrap_or_else(|| format!("target {index}"));
            let what = format!("{}, morph target '{name}'", self.label);
            let mut rows = |accessor: Option<gltf::Accessor>| match accessor {
                None => Ok(Vec::new()),
                Some(accessor) => {
                    let rows = self.accessors.rows::<3>(&accessor, &what)?;
                    if rows.len() == count {
                        Ok(rows)
                    } else {
                        Err(BuildError::new(&what, format!("{count} rows"), format!("{}", rows.len())))
                    }
                }
            };
            let target = RawTarget { positions: rows(target.positions())?, normals: rows(target.normals())? };
            targets.push((name, target));
        }
        Ok(targets)
    }
}

/// The names that exporters leave in a mesh's extras.
fn target_names(mesh: &gltf::Mesh) -> Vec<String> {
    let extras =
        mesh.extras().as_ref().and_then(|raw| serde_json::from_str::<serde_json::Value>(raw.get()).ok());
    let names = extras.as_ref().and_then(|extras| extras.get("targetNames")?.as_array());
    names.into_iter().flatten().map(|name| name.as_str().unwrap_or_default().to_owned()).collect()
}

/// A linear colour as a display shows it.
fn colour(linear: [f64; 4]) -> [u8; 4] {
    let [red, green, blue, alpha] = linear.map(|part| part.clamp(0.0, 1.0));
    let shown = |part: f64| match part {
        part if part <= 0.003_130_8 => part * 12.92,
        part => 1.055 * part.powf(1.0 / 2.4) - 0.055,
    };
    let byte = |part: f64| (part * 255.0).round() as u8;
    [byte(shown(red)), byte(shown(green)), byte(shown(blue)), byte(alpha)]
}

/// The same part with three vertices of its own for every triangle, each with the triangle's normal.
fn flat(part: &RawPart) -> RawPart {
    let corners: Vec<usize> = part.triangles.as_flattened().iter().map(|&vertex| vertex as usize).collect();
    let pick3 = |rows: &[[f64; 3]]| -> Vec<[f64; 3]> {
        if rows.is_empty() { Vec::new() } else { corners.iter().map(|&vertex| rows[vertex]).collect() }
    };
    let normals = part.triangles.iter().flat_map(|triangle| {
        let [a, b, c] = triangle.map(|vertex| part.positions[vertex as usize]);
        [face_normal(a, b, c); 3]
    });
    let target = |(name, target): &(String, RawTarget)| {
        (name.clone(), RawTarget { positions: pick3(&target.positions), normals: Vec::new() })
    };
    RawPart {
        positions: pick3(&part.positions),
        normals: normals.collect(),
        colours: corners.iter().map(|&vertex| part.colours[vertex]).collect(),
        texture: if part.texture.is_empty() {
            Vec::new()
        } else {
            corners.iter().map(|&vertex| part.texture[vertex]).collect()
        },
        influences: if part.influences.is_empty() {
            Vec::new()
        } else {
            corners.iter().map(|&vertex| part.influences[vertex].clone()).collect()
        },
        triangles: (0..part.triangles.len() as u32).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect(),
        targets: part.targets.iter().map(target).collect(),
        sources: corners.iter().map(|&vertex| vertex as u32).collect(),
        mesh_name: part.mesh_name.clone(),
        label: Arc::clone(&part.label),
        material: part.material.clone(),
        ..*part
    }
}

/// The normal of a counter-clockwise triangle; that of a triangle without area points up.
fn face_normal(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> [f64; 3] {
    let side = |end: [f64; 3]| -> [f64; 3] { std::array::from_fn(|axis| end[axis] - a[axis]) };
    let ([ux, uy, uz], [vx, vy, vz]) = (side(b), side(c));
    let cross = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    if length(cross) > 0.0 { unit(cross) } else { [0.0, 1.0, 0.0] }
}
