//! Wavefront OBJ: positions, normals, texture coordinates and faces of one frame, as text.

use std::collections::HashMap;
use std::fmt::Write;

use crate::mesh::{Axes, Mesh, MeshPart};

/// Writes a mesh. Vertices keep their order, so that vertex n of the mesh is the file's `v` n + 1;
/// coordinates are the model's own. Parts are objects, materials are named and not described.
pub fn write(mesh: &Mesh) -> String {
    let mut out = String::new();
    let axes = match mesh.axes {
        Axes::YUp => "right-handed, y up",
        Axes::YUpLeftHanded => "left-handed, y up",
        Axes::ZUp => "right-handed, z up",
    };
    let _ = writeln!(out, "# {}, axes {axes}", mesh.name.replace(['\n', '\r'], " "));
    for [x, y, z] in mesh.positions.iter().map(|position| position.map(finite)) {
        let _ = writeln!(out, "v {x} {y} {z}");
    }
    for [x, y, z] in mesh.unit_normals() {
        let _ = writeln!(out, "vn {x} {y} {z}");
    }
    let mut textures = Textures::default();
    for (number, part) in mesh.parts.iter().enumerate() {
        let _ = writeln!(out, "o {}", word(&part.name, "part", number));
        if !part.material.is_empty() {
            let _ = writeln!(out, "usemtl {}", word(&part.material, "material", number));
        }
        faces(part, &mut textures, &mut out);
    }
    if mesh.triangles().next().is_none() && !mesh.positions.is_empty() {
        let _ = writeln!(out, "o points");
        for number in 1..=mesh.positions.len() {
            let _ = writeln!(out, "p {number}");
        }
    }
    out
}

/// Texture coordinates written so far, by their bits.
#[derive(Default)]
struct Textures {
    numbers: HashMap<[u32; 2], usize>,
}

impl Textures {
    /// The number of a texture coordinate, which is written when it is new.
    fn number(&mut self, texture: [f32; 2], out: &mut String) -> usize {
        let next = self.numbers.len() + 1;
        let [u, v] = texture.map(finite);
        *self.numbers.entry([u.to_bits(), v.to_bits()]).or_insert_with(|| {
            // OBJ counts from the lower left.
            let _ = writeln!(out, "vt {u} {}", 1.0 - v);
            next
        })
    }
}

fn faces(part: &MeshPart, textures: &mut Textures, out: &mut String) {
    for (triangle, corners) in part.triangles.iter().enumerate() {
        let numbers = corners.map(|corner| u64::from(corner) + 1);
        let [a, b, c] = match part.texture_coordinates.get(triangle) {
            Some(coordinates) => {
                let texture = coordinates.map(|coordinates| textures.number(coordinates, out));
                [0, 1, 2].map(|at| format!("{0}/{1}/{0}", numbers[at], texture[at]))
            }
            None => numbers.map(|number| format!("{number}//{number}")),
        };
        let _ = writeln!(out, "f {a} {b} {c}");
    }
}

/// A name without spaces, as OBJ readers want it.
fn word(name: &str, kind: &str, number: usize) -> String {
    let word: String =
        name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    if word.is_empty() { format!("{kind}_{number}") } else { word }
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_has_positions_normals_and_texture_coordinates() {
        let mesh = Mesh {
            name: "one".to_owned(),
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, f32::NAN, 0.5]],
            normals: vec![[0.0, 0.0, 2.0]; 3],
            parts: vec![MeshPart {
                name: "a part".to_owned(),
                triangles: vec![[0, 1, 2]],
                material: "skin".to_owned(),
                texture_coordinates: vec![[[0.0, 0.0], [1.0, 0.25], [0.0, 0.0]]],
            }],
            axes: Axes::YUp,
        };
        insta::assert_snapshot!(write(&mesh), @r"
        # one, axes right-handed, y up
        v 0 0 0
        v 1 0 0
        v 0 0 0.5
        vn 0 0 1
        vn 0 0 1
        vn 0 0 1
        o a_part
        usemtl skin
        vt 0 1
        vt 1 0.75
        f 1/1/1 2/2/2 3/1/3
        ");
    }

    #[test]
    fn a_mesh_without_triangles_is_points() {
        let mesh = Mesh { positions: vec![[1.0; 3]; 2], ..Mesh::default() };
        assert!(write(&mesh).ends_with("o points\np 1\np 2\n"));
    }
}
