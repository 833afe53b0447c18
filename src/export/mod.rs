//! Meshes as files that other programs open: glTF 2.0 binary and Wavefront OBJ.

pub mod gltf;
pub mod obj;

/// Why a mesh cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// There is nothing to write.
    #[error("want a mesh with vertices, have none")]
    Empty,
    /// The frames are not of one mesh.
    #[error("frame {frame}: want {want} vertices as in frame 0, have {have}")]
    FrameDiffers {
        /// The frame.
        frame: usize,
        /// Vertices of frame 0.
        want: usize,
        /// Its vertices.
        have: usize,
    },
    /// A GLB counts its bytes in 32 bits.
    #[error("want fewer than 4 GiB in one .glb, have more: export fewer frames")]
    TooLarge,
    /// What the format's own library says.
    #[error("glTF: {0}")]
    Gltf(String),
}
