//! Source-engine MDL: flex rules and the faces they deform.
//!
//! A model is read by [`format`], executed by [`runtime`] and judged by [`rules`].

pub mod difference;
pub mod format;
pub mod rigged;
pub mod rules;
pub mod runtime;
pub mod snapshot;

use crate::bytes::{ReadError, ReadResult};
use crate::finding::Finding;
use crate::mesh::{Axes, Mesh, MeshPart};
use crate::rigged::Rigged;
use format::Mdl;
use format::vtx::Vtx;
use format::vvd::Vvd;
use runtime::deform::Vertices;
use runtime::face::Face;
pub use runtime::options::Options;

/// Checks an MDL file (and its VVD and VTX, when given) against every rule of this wing.
///
/// # Errors
/// When the MDL or the VVD cannot be read, or the VVD's fixups cannot be followed.
pub fn check(bytes: &[u8], vvd: Option<&[u8]>, vtx: Option<&[u8]>) -> ReadResult<Vec<Finding>> {
    let mdl = Mdl::read(bytes)?;
    let vvd = vvd.map(Vvd::read).transpose()?;
    let mut findings = rules::check(&mdl, vvd.as_ref())?;
    findings.extend(vtx.map(|vtx| rules::check_triangles(&mdl, vtx)).unwrap_or_default());
    Ok(findings)
}

/// The deformed mesh of a frame. Triangles come from [`Options::vtx`]; without it, or at a coarser
/// level of detail, the mesh is points only, with one part a mesh all the same.
///
/// # Errors
/// When a file cannot be read or no VVD is given.
pub fn mesh(bytes: &[u8], vvd: Option<&[u8]>, options: &Options) -> ReadResult<Mesh> {
    let mdl = Mdl::read(bytes)?;
    let vvd = Vvd::read(vvd.ok_or_else(no_vertices)?)?;
    let face = Face::new(&mdl, Some(&vvd), options)?;
    let vertices = runtime::frame::run(&face, options).vertices;
    mesh_of(&mdl, &face, vertices, options)
}

/// The face at rest with its bones and flexes.
///
/// # Errors
/// As [`mesh`].
pub fn rigged(bytes: &[u8], vvd: Option<&[u8]>, options: &Options) -> ReadResult<Rigged> {
    let mdl = Mdl::read(bytes)?;
    let vvd = Vvd::read(vvd.ok_or_else(no_vertices)?)?;
    let face = Face::new(&mdl, Some(&vvd), options)?;
    let mesh = mesh_of(&mdl, &face, face.rest.clone(), options)?;
    Ok(rigged::rigged(&mdl, &face, mesh))
}

fn no_vertices() -> ReadError {
    ReadError::new("VVD", 0, "the model's vertices (the .vvd beside it)", "no file")
}

fn mesh_of(mdl: &Mdl, face: &Face, vertices: Vertices, options: &Options) -> ReadResult<Mesh> {
    let vtx = match &options.vtx {
        Some(vtx) if options.lod == 0 => Some(Vtx::read(vtx, mdl)?),
        _ => None,
    };
    Ok(Mesh {
        name: mdl.header.name.clone(),
        positions: vertices.positions,
        normals: vertices.normals,
        parts: parts(face, vtx.as_ref()),
        axes: Axes::ZUp,
    })
}

/// One part a mesh, its triangles counted in the row of all vertices. The engine's front faces are
/// clockwise, a mesh's counter-clockwise.
fn parts(face: &Face, vtx: Option<&Vtx>) -> Vec<MeshPart> {
    let mut parts = Vec::new();
    for part in &face.parts {
        for (index, mesh) in part.meshes.iter().enumerate() {
            let triangles =
                vtx.map_or(&[][..], |vtx| &vtx.body_parts[part.body_part][part.model_index][index]);
            let first = mesh.first as u32;
            let turned = |[a, b, c]: [u16; 3]| [a, c, b].map(|corner| first + u32::from(corner));
            let triangles: Vec<[u32; 3]> = triangles.iter().copied().map(turned).collect();
            let texture =
                |corner: u32| face.stored.get(corner as usize).map_or([0.0; 2], |vertex| vertex.texture);
            let material = part.model.meshes.get(index).map(|mesh| format!("material {}", mesh.material));
            parts.push(MeshPart {
                name: mesh.name.clone(),
                texture_coordinates: triangles.iter().map(|corners| corners.map(texture)).collect(),
                triangles,
                material: material.unwrap_or_default(),
            });
        }
    }
    parts
}
