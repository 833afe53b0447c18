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
}

/// Triangles that belong together (one mesh, one display state).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshPart {
    /// Name for people.
    pub name: String,
    /// Indices into [`Mesh::positions`], counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
}
