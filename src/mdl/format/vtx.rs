//! `.vtx`: which vertices make triangles, by body part, model and mesh. Only the finest level of
//! detail and triangle lists, which is all that compilers of this format version write.
//!
//! Structures are packed. Strip groups have 25 bytes, or 33 in the branch of version 49 that adds
//! topology `[R: studiomdl output]`; no field says which, so both are tried and the one whose
//! indices all fit the meshes is taken.

use super::Mdl;
use super::mesh::Model;
use super::reader::Reader;
use crate::bytes::{ReadError, ReadResult, View};

const STRIP_GROUP_SIZES: [u64; 2] = [25, 33];

/// Triangles of one mesh; indices count from the mesh's first vertex.
pub type Triangles = Vec<[u16; 3]>;

/// A VTX file's triangles at the finest level of detail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vtx {
    /// Shared with the .mdl of the same compile.
    pub checksum: u32,
    /// By body part, model and mesh.
    pub body_parts: Vec<Vec<Vec<Triangles>>>,
}

impl Vtx {
    /// Reads the VTX that belongs to `mdl`.
    ///
    /// # Errors
    /// When the bytes are no VTX of version 7, describe other body parts, models or meshes than the
    /// MDL, or hold indices outside them.
    pub fn read(bytes: &[u8], mdl: &Mdl) -> ReadResult<Self> {
        let [first, second] = STRIP_GROUP_SIZES;
        read_with(bytes, mdl, first).or_else(|error| read_with(bytes, mdl, second).map_err(|_| error))
    }
}

fn read_with(bytes: &[u8], mdl: &Mdl, group_size: u64) -> ReadResult<Vtx> {
    let mut reader = Reader::new(bytes);
    let view = reader.view();
    let version = view.i32(0, "VTX version")?;
    if version != 7 {
        return Err(ReadError::new("VTX version", 0, "7", version.to_string()));
    }
    let parts = (view.i32(28, "VTX body parts")?, view.i32(32, "VTX body parts")?);
    expect(&view, parts.0, mdl.body_parts.len(), "VTX body parts")?;
    let parts: Vec<_> = reader.table(0, parts, 8, "VTX body parts")?.collect();
    let mut body_parts = Vec::new();
    for (entry, part) in parts.iter().zip(&mdl.body_parts) {
        let models = children(&mut reader, entry, 8, part.models.len(), "VTX models")?;
        let models = models.iter().zip(&part.models);
        body_parts.push(
            models
                .map(|(entry, model)| read_model(&mut reader, entry, model, group_size))
                .collect::<ReadResult<_>>()?,
        );
    }
    Ok(Vtx { checksum: view.u32(16, "VTX checksum")?, body_parts })
}

fn read_model(
    reader: &mut Reader,
    entry: &View,
    model: &Model,
    group_size: u64,
) -> ReadResult<Vec<Triangles>> {
    let lods = (entry.i32(0, "VTX lods")?, entry.i32(4, "VTX lods")?);
    let Some(finest) = reader.table(entry.base(), lods, 12, "VTX lods")?.next() else {
        return Ok(vec![Vec::new(); model.meshes.len()]);
    };
    let meshes = children(reader, &finest, 9, model.meshes.len(), "VTX meshes")?;
    let meshes = meshes.iter().zip(&model.meshes);
    meshes
        .map(|(entry, mesh)| {
            let groups = (entry.i32(0, "VTX strip groups")?, entry.i32(4, "VTX strip groups")?);
            let mut triangles = Vec::new();
            for group in reader.table(entry.base(), groups, group_size, "VTX strip groups")? {
                read_strip_group(reader, &group, mesh.vertex_count, &mut triangles)?;
            }
            Ok(triangles)
        })
        .collect()
}

fn read_strip_group(
    reader: &mut Reader,
    group: &View,
    vertex_count: i32,
    triangles: &mut Triangles,
) -> ReadResult<()> {
    let pair = |at| -> ReadResult<(i32, i32)> {
        Ok((group.i32(at, "VTX strip group")?, group.i32(at + 4, "VTX strip group")?))
    };
    let vertices = reader.table(group.base(), pair(0)?, 9, "VTX vertices")?;
    let vertices: Vec<u16> = vertices.map(|vertex| vertex.u16(4, "VTX vertex")).collect::<ReadResult<_>>()?;
    let indices = reader.table(group.base(), pair(8)?, 2, "VTX indices")?;
    let corners = indices
        .map(|index| {
            let index_value = index.u16(0, "VTX index")?;
            let vertex = vertices.get(usize::from(index_value)).copied();
            vertex.filter(|&vertex| i32::from(vertex) < vertex_count).ok_or_else(|| {
                ReadError::new(
                    "VTX index",
                    index.base(),
                    format!("a vertex of {} that the mesh's {vertex_count} hold", vertices.len()),
                    index_value.to_string(),
                )
            })
        })
        .collect::<ReadResult<Vec<u16>>>()?;
    triangles.extend(corners.chunks_exact(3).map(|corner| [corner[0], corner[1], corner[2]]));
    Ok(())
}

/// A table of children that must be as many as the MDL has; count at 0, offset at 4.
fn children<'a>(
    reader: &mut Reader<'a>,
    entry: &View,
    size: u64,
    expected: usize,
    what: &str,
) -> ReadResult<Vec<View<'a>>> {
    let table = (entry.i32(0, what)?, entry.i32(4, what)?);
    expect(entry, table.0, expected, what)?;
    Ok(reader.table(entry.base(), table, size, what)?.collect())
}

fn expect(entry: &View, count: i32, expected: usize, what: &str) -> ReadResult<()> {
    if usize::try_from(count) == Ok(expected) {
        Ok(())
    } else {
        Err(ReadError::new(what, entry.base(), format!("{expected}, as in the MDL"), count.to_string()))
    }
}
