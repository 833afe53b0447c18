//! A deformed mesh, whatever runtime made it: what snapshots, exports and reports read.

/// Positions, normals and triangles after a frame, in the model's own space and units.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Name for people.
    pub name: String,
    /// One position a vertex.
    pub positions: Vec<[f32; 3]>,
    /// One normal a vertex, or empty when the model has none.
    pub normals: Vec<[f32; 3]>,
    /// Triangles by part; indices into `positions`.
    pub parts: Vec<MeshPart>,
    /// How the coordinates are meant.
    pub axes: Axes,
}

/// Which way a model's coordinates point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Axes {
    /// Right-handed, y up: Character Pipeline models, glTF.
    #[default]
    YUp,
    /// Left-handed, y up: FLVER. No survey tells; it shows in exported files alone [open].
    YUpLeftHanded,
    /// Right-handed, z up: the Source engine.
    ZUp,
}

/// Triangles that belong together (one mesh, one display state).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshPart {
    /// Name for people.
    pub name: String,
    /// Indices into [`Mesh::positions`], counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
    /// Name of what the triangles are painted with; empty where the file names nothing.
    pub material: String,
    /// Texture coordinates of each triangle's corners, from the upper left; empty when there are none.
    pub texture_coordinates: Vec<[[f32; 2]; 3]>,
}

impl Mesh {
    /// The triangles of every part in order.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.parts.iter().flat_map(|part| part.triangles.iter().copied())
    }

    /// The normal of a triangle, as long as twice its area; zero where a corner is not a vertex.
    pub fn face_normal(&self, corners: [u32; 3]) -> [f32; 3] {
        let at = |corner: u32| self.positions.get(corner as usize).copied().unwrap_or_default();
        let [a, b, c] = corners.map(at);
        let (u, v) = (subtract(b, a), subtract(c, a));
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    }

    /// Normals of length 1 for every vertex: the mesh's own, and where they are missing or zero those of
    /// the faces around (or straight up, for vertices of no face).
    pub fn unit_normals(&self) -> Vec<[f32; 3]> {
        let mut from_faces = vec![[0.0_f32; 3]; self.positions.len()];
        for corners in self.triangles() {
            let face = self.face_normal(corners);
            for corner in corners {
                if let Some(sum) = from_faces.get_mut(corner as usize) {
                    sum.iter_mut().zip(face).for_each(|(sum, face)| *sum += face);
                }
            }
        }
        let own = self.normals.iter().copied().chain(std::iter::repeat([0.0; 3]));
        own.zip(from_faces)
            .map(|(own, face)| [own, face, [0.0, 0.0, 1.0]].map(unit))
            .map(|candidates| candidates.into_iter().find(|normal| *normal != [0.0; 3]).unwrap_or_default())
            .collect()
    }

    /// The lowest and highest coordinates of the finite positions; zeros when there are none.
    pub fn bounds(&self) -> [[f32; 3]; 2] {
        let finite = self.positions.iter().filter(|position| position.iter().all(|value| value.is_finite()));
        let hull = finite.fold(None, |hull: Option<[[f32; 3]; 2]>, &position| {
            let [low, high] = hull.unwrap_or([position; 2]);
            let pick = |f: fn(f32, f32) -> f32, edge: [f32; 3]| {
                std::array::from_fn(|axis| f(edge[axis], position[axis]))
            };
            Some([pick(f32::min, low), pick(f32::max, high)])
        });
        hull.unwrap_or_default()
    }
}

fn subtract(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

/// How far two points lie apart. What is no number has one sign, so that it is above all numbers in the total
/// order.
pub fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    let squares = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(b)).powi(2));
    let distance = squares.sum::<f64>().sqrt() as f32;
    if distance.is_nan() { f32::NAN } else { distance }
}

/// A vector at length 1; zero where it has no finite direction.
pub fn unit(vector: [f32; 3]) -> [f32; 3] {
    let wide = vector.map(f64::from);
    let length = wide.iter().map(|value| value * value).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() { wide.map(|value| (value / length) as f32) } else { [0.0; 3] }
}

/// A point through a matrix of three rows of four.
pub fn transform_point(matrix: &[[f32; 4]; 3], point: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|row| {
        let [x, y, z, t] = matrix[row];
        x * point[0] + y * point[1] + z * point[2] + t
    })
}

/// A direction through a matrix of three rows of four: no translation.
pub fn transform_direction(matrix: &[[f32; 4]; 3], vector: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|row| {
        let [x, y, z, _] = matrix[row];
        x * vector[0] + y * vector[1] + z * vector[2]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_normals_come_from_the_faces_around() {
        let mesh = Mesh {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [9.0; 3]],
            normals: vec![[0.0, 3.0, 0.0]],
            parts: vec![MeshPart { triangles: vec![[0, 1, 2], [0, 1, 77]], ..MeshPart::default() }],
            ..Mesh::default()
        };
        let normals = mesh.unit_normals();
        assert_eq!(normals[0], [0.0, 1.0, 0.0]);
        assert_eq!(normals[2], [0.0, 0.0, 1.0]);
        assert_eq!(normals[3], [0.0, 0.0, 1.0]);
    }

    #[test]
    fn bounds_leave_out_what_is_not_finite() {
        let mesh =
            Mesh { positions: vec![[1.0, -2.0, 3.0], [f32::NAN, 9.0, 9.0], [0.0; 3]], ..Mesh::default() };
        assert_eq!(mesh.bounds(), [[0.0, -2.0, 0.0], [1.0, 0.0, 3.0]]);
        assert_eq!(Mesh::default().bounds(), [[0.0; 3]; 2]);
    }
}
