//! Face sets as triangles: lists, and strips with restarts.

use crate::bytes::{ReadError, ReadResult};

use super::{FaceSet, Flver};

/// Strips restart at this index where the mesh has too few vertices for it to be one.
const RESTART: u32 = 0xFFFF;

/// Bytes of a face set's indices; an empty set has none, whatever it says of their width.
///
/// # Errors
/// When it has indices and their width is not 8, 16 or 32 bits.
pub fn byte_length(face_set: &FaceSet) -> ReadResult<u64> {
    match face_set.index_bits {
        _ if face_set.index_count == 0 => Ok(0),
        8 | 16 | 32 => Ok(u64::from(face_set.index_count) * u64::from(face_set.index_bits / 8)),
        other => Err(ReadError::new(
            "face set index bits",
            face_set.offset + 24,
            "8, 16 or 32 (here or in the header)",
            other.to_string(),
        )),
    }
}

/// The indices of a face set as stored.
///
/// # Errors
/// When the face set is edge-compressed or runs past the end of the file.
pub fn indices(flver: &Flver, face_set: &FaceSet) -> ReadResult<Vec<u32>> {
    if face_set.flags & FaceSet::EDGE_COMPRESSED != 0 {
        return Err(ReadError::new(
            "face set flags",
            face_set.offset,
            "plain indices",
            format!("{:#010x}: {}", face_set.flags, super::EDGE_COMPRESSION),
        ));
    }
    let bytes = flver.data(face_set.index_offset, byte_length(face_set)?, "face set indices")?;
    Ok(match face_set.index_bits {
        8 => bytes.iter().map(|byte| u32::from(*byte)).collect(),
        16 => bytes.chunks_exact(2).map(|pair| u32::from(u16::from_le_bytes([pair[0], pair[1]]))).collect(),
        _ => bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect(),
    })
}

/// Triangles of a face set in the stored winding; degenerate ones are left out.
///
/// A strip's winding flips with every step and starts anew at a restart [sourced].
pub fn triangles(indices: &[u32], strip: bool, vertex_count: usize) -> Vec<[u32; 3]> {
    if !strip {
        return indices.chunks_exact(3).map(|face| [face[0], face[1], face[2]]).filter(is_proper).collect();
    }
    let restarts = vertex_count < RESTART as usize;
    let mut triangles = Vec::with_capacity(indices.len().saturating_sub(2));
    for run in indices.split(|index| restarts && (*index == RESTART || *index == u32::MAX)) {
        for (step, face) in run.windows(3).enumerate() {
            let face = if step % 2 == 0 { [face[0], face[1], face[2]] } else { [face[1], face[0], face[2]] };
            if is_proper(&face) {
                triangles.push(face);
            }
        }
    }
    triangles
}

fn is_proper(face: &[u32; 3]) -> bool {
    face[0] != face[1] && face[1] != face[2] && face[0] != face[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_flips_its_winding_each_step_and_starts_anew_at_a_restart() {
        let strip = [0, 1, 2, 3, 0xFFFF, 0, 2, 3];
        assert_eq!(triangles(&strip, true, 4), [[0, 1, 2], [2, 1, 3], [0, 2, 3]]);
    }

    #[test]
    fn a_degenerate_step_flips_the_winding_all_the_same() {
        assert_eq!(triangles(&[0, 1, 1, 2, 3], true, 4), [[1, 2, 3]]);
        assert_eq!(triangles(&[0, 1, 1, 2, 3, 4], true, 5), [[1, 2, 3], [3, 2, 4]]);
    }

    #[test]
    fn a_mesh_of_65535_vertices_has_a_vertex_0xffff_minus_one_and_no_restart() {
        assert_eq!(triangles(&[0, 1, 0xFFFF], true, 0x10000), [[0, 1, 0xFFFF]]);
        assert_eq!(triangles(&[0, 1, 0xFFFF], true, 0xFFFF), [[0, 1, 0xFFFF]]);
        assert!(triangles(&[0, 1, 0xFFFF], true, 0xFFFE).is_empty());
    }

    #[test]
    fn a_list_drops_what_is_no_triangle() {
        assert_eq!(triangles(&[0, 1, 2, 2, 2, 3, 4, 5], false, 9), [[0, 1, 2]]);
    }
}
