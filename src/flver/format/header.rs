//! The header: 0x80 bytes, and which files are refused by it.

use crate::bytes::{Endian, ReadError, ReadResult, View};

use super::record::BoundingBox;

/// Size of the header in bytes; the dummy table follows it.
pub const HEADER_SIZE: u64 = 0x80;

/// Versions this wing reads: those seen in shipped games [sourced].
pub const VERSIONS: [u32; 16] = [
    0x20005, 0x20007, 0x20009, 0x2000B, 0x2000C, 0x2000D, 0x2000E, 0x2000F, 0x20010, 0x20013, 0x20014,
    0x20016, 0x20017, 0x2001A, 0x2001B, 0x20021,
];

/// First version with a skeleton set, and the one version the population figures of the rules are known of.
pub const VERSION_SKELETON_SET: u32 = 0x2001A;

/// The fields of the header that mean something, and the ones that must be zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// File version, 0x20005..=0x20021.
    pub version: u32,
    /// File offset of the index and vertex data; face-set and vertex-buffer offsets are relative to it.
    pub data_offset: u32,
    /// Length of the data in bytes; readers ignore it.
    pub data_length: u32,
    /// Number of dummy points.
    pub dummy_count: u32,
    /// Number of materials.
    pub material_count: u32,
    /// Number of nodes.
    pub node_count: u32,
    /// Number of meshes.
    pub mesh_count: u32,
    /// Number of vertex buffers.
    pub buffer_count: u32,
    /// The box of every posed vertex, model space [seed 000].
    pub bounds: BoundingBox,
    /// Triangles without motion-blur face sets and without degenerate ones [sourced].
    pub true_face_count: u32,
    /// All triangles [sourced].
    pub total_face_count: u32,
    /// Bits of a vertex index: 8, 16, 32, or 0 where each face set says its own.
    pub index_bits: u8,
    /// Strings are UTF-16 (else Shift-JIS).
    pub unicode: bool,
    /// Number of face sets.
    pub face_set_count: u32,
    /// Number of vertex layouts.
    pub layout_count: u32,
    /// Number of textures.
    pub texture_count: u32,
    /// The second half of the word at 0x68 is 0x8000: a `SpeedTree` model (0x20014 and later).
    pub speedtree: bool,
    /// Offsets of 32-bit words that must be zero and are not.
    pub reserved_set: Vec<u64>,
}

impl Header {
    /// Reads the header of a whole file.
    ///
    /// # Errors
    /// When the file is not a little-endian FLVER2 of a known version, or ends inside the header.
    pub fn read(bytes: &[u8]) -> ReadResult<Self> {
        refuse_others(bytes)?;
        let view = View::new(bytes, Endian::Little);
        let word = |offset: u64, what: &str| view.u32(offset, what);
        let version = version(&view)?;
        view.take(0, HEADER_SIZE, "FLVER header")?;
        let speedtree = version >= 0x20014 && view.u16(0x6A, "header modifier")? == 0x8000;
        let mut reserved_set = Vec::new();
        for offset in [0x60, 0x6C, 0x70, 0x78, 0x7C] {
            if word(offset, "header reserved word")? != 0 {
                reserved_set.push(offset);
            }
        }
        Ok(Self {
            version,
            data_offset: word(0x0C, "data offset")?,
            data_length: word(0x10, "data length")?,
            dummy_count: word(0x14, "dummy count")?,
            material_count: word(0x18, "material count")?,
            node_count: word(0x1C, "node count")?,
            mesh_count: word(0x20, "mesh count")?,
            buffer_count: word(0x24, "vertex buffer count")?,
            bounds: BoundingBox {
                min: view.f32s(0x28, "bounds minimum")?,
                max: view.f32s(0x34, "bounds maximum")?,
            },
            true_face_count: word(0x40, "face count")?,
            total_face_count: word(0x44, "total face count")?,
            index_bits: index_bits(view.u8(0x48, "index bits")?)?,
            unicode: view.u8(0x49, "unicode flag")? != 0,
            face_set_count: word(0x50, "face set count")?,
            layout_count: word(0x54, "layout count")?,
            texture_count: word(0x58, "texture count")?,
            speedtree,
            reserved_set,
        })
    }

    /// What a stored 16-bit texture coordinate is divided by [sourced; no file at 0x2000E is known].
    pub fn uv_divisor(&self) -> f32 {
        if self.version >= 0x2000F { 2048.0 } else { 1024.0 }
    }
}

/// Names what is not a FLVER, or one of a kind that is not read, before any offset is followed.
fn refuse_others(bytes: &[u8]) -> ReadResult<()> {
    let refuse = |offset, want: &str, have: &str| Err(ReadError::new("FLVER magic", offset, want, have));
    match bytes {
        [b'F', b'L', b'V', b'E', b'R', 0, b'L', 0, ..] => Ok(()),
        [b'F', b'L', b'V', b'E', b'R', 0, b'B', 0, 0, 0..=1, high, low, ..] => {
            let version = u32::from_be_bytes([0, bytes[9], *high, *low]);
            let have =
                format!("{version:#x}, a big-endian FLVER0 model, which has another layout and is not read");
            Err(ReadError::new("FLVER version", 8, known_versions(), have))
        }
        [b'F', b'L', b'V', b'E', b'R', 0, b'B', 0, ..] => refuse(
            6,
            "a little-endian model (`L`)",
            "a big-endian one (`B`, PlayStation 3), which is not read",
        ),
        [b'F', b'L', b'V', b'E', b'R', 0, order @ ..] if !order.is_empty() => {
            refuse(6, "the byte order `L` and a NUL", &format!("{:02x?}", &order[..order.len().min(2)]))
        }
        [b'D', b'C', b'X', 0, ..] => refuse(
            0,
            "`FLVER` and a NUL",
            "`DCX`, a compressed file: decompress it first and give the .flver inside",
        ),
        [b'B', b'N', b'D', b'3' | b'4', ..] => {
            refuse(0, "`FLVER` and a NUL", "`BND`, a binder: unpack it first and give the .flver inside")
        }
        _ => refuse(0, "`FLVER` and a NUL", &format!("{:02x?}", &bytes[..bytes.len().min(6)])),
    }
}

fn version(view: &View) -> ReadResult<u32> {
    let version = view.u32(8, "FLVER version")?;
    if VERSIONS.contains(&version) {
        return Ok(version);
    }
    let have = if version < 0x20000 {
        format!("{version:#x}, a FLVER0 model, which has another layout and is not read")
    } else {
        format!("{version:#x}, an unknown version")
    };
    Err(ReadError::new("FLVER version", 8, known_versions(), have))
}

fn known_versions() -> String {
    let known: Vec<String> = VERSIONS.iter().map(|version| format!("{version:#x}")).collect();
    format!("one of {}", known.join(", "))
}

fn index_bits(bits: u8) -> ReadResult<u8> {
    match bits {
        0 | 8 | 16 | 32 => Ok(bits),
        _ => Err(ReadError::new("header index bits", 0x48, "0, 8, 16 or 32", bits.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> String {
        Header::read(bytes).unwrap_err().to_string()
    }

    fn with_version(version: u32) -> Vec<u8> {
        let mut bytes = b"FLVER\0L\0".to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.resize(0x80, 0);
        bytes
    }

    #[test]
    fn an_unknown_version_is_refused_by_its_number() {
        assert!(refusal(&with_version(0x20018)).contains("have 0x20018, an unknown version"));
        assert!(refusal(&with_version(0x15)).contains("have 0x15, a FLVER0 model"));
        for version in VERSIONS {
            assert_eq!(Header::read(&with_version(version)).unwrap().version, version);
        }
    }

    #[test]
    fn a_compressed_a_bound_and_a_big_endian_file_are_named_as_such() {
        assert!(refusal(b"DCX\0\0\0\0\0").contains("decompress it first"));
        assert!(refusal(b"BND4\0\0\0\0").contains("unpack it first"));
        assert!(refusal(b"FLVER\0B\0\0\x02\0\x14").contains("PlayStation 3"));
        let oldest = refusal(b"FLVER\0B\0\0\0\0\x15");
        assert!(
            oldest.contains("offset 0x8") && oldest.contains("have 0x15, a big-endian FLVER0 model"),
            "{oldest}"
        );
        assert!(refusal(b"FLVER\0X").contains("byte order"));
        assert!(refusal(b"").contains("offset 0x0"));
        assert!(refusal(b"FLVER").contains("offset 0x0"));
    }

    #[test]
    fn a_header_that_ends_early_says_where() {
        assert!(refusal(&with_version(0x2001A)[..0x40]).contains("FLVER header at offset 0x0"));
    }

    #[test]
    fn texture_coordinates_are_finer_from_0x2000f_on() {
        let divisor = |version| Header::read(&with_version(version)).unwrap().uv_divisor();
        assert_eq!((divisor(0x2000D), divisor(0x2000F), divisor(0x2001A)), (1024.0, 2048.0, 2048.0));
    }
}
