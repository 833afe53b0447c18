//! Opening a glTF file: its document and buffers.

use gltf::Document;
use gltf::buffer::{Data, Source};

use crate::c3::build::error::{BuildError, BuildResult};

/// Gives the bytes of a file that the glTF names, or says why not.
pub type ReadFile<'r> = &'r mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// Extensions that change nothing which building reads, or that the reader handles by itself.
const HARMLESS: [&str; 6] = [
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_materials_unlit",
    "KHR_materials_specular",
    "KHR_materials_pbrSpecularGlossiness",
    "EXT_texture_webp",
];

/// A document with the bytes it refers to.
#[derive(Debug)]
pub struct File {
    /// The document, validated.
    pub document: Document,
    /// One a buffer, at least as long as the buffer says.
    pub buffers: Vec<Vec<u8>>,
}

impl File {
    /// Opens a .gltf or .glb.
    ///
    /// # Errors
    /// When it is neither, asks for an extension that is not known, or a buffer is missing or short.
    pub fn open(bytes: &[u8], read: ReadFile) -> BuildResult<Self> {
        let wrong = |error: gltf::Error| BuildError::new("glTF", "a valid .gltf or .glb", error.to_string());
        let parsed = gltf::Gltf::from_slice_without_validation(bytes).map_err(wrong)?;
        let mut blob = parsed.blob;
        let mut root = parsed.document.into_json();
        root.extensions_required.retain(|name| !HARMLESS.contains(&name.as_str()));
        if let Some(name) = root.extensions_required.iter().find(|name| !known(name)) {
            return Err(BuildError::new("glTF", "a file without extensions that must be decoded", name));
        }
        // Validation looks up the positions' accessor before it has checked its number.
        let accessors = root.accessors.len();
        let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let mut named = primitives.flat_map(|primitive| primitive.attributes.values());
        if let Some(index) = named.find(|index| index.value() >= accessors) {
            let (want, have) = (format!("accessors below {accessors}"), format!("{}", index.value()));
            return Err(BuildError::new("glTF, attributes of a primitive", want, have));
        }
        let document = Document::from_json(root).map_err(wrong)?;
        let buffers = document
            .buffers()
            .map(|buffer| open_buffer(&buffer, &mut blob, read))
            .collect::<BuildResult<Vec<_>>>()?;
        Ok(Self { document, buffers })
    }
}

/// Extensions that the parser itself takes.
fn known(name: &str) -> bool {
    name.starts_with("KHR_materials_") || name == "KHR_lights_punctual"
}

fn open_buffer(
    buffer: &gltf::Buffer,
    blob: &mut Option<Vec<u8>>,
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> BuildResult<Vec<u8>> {
    let place = format!("buffer {}", buffer.index());
    let bytes = match buffer.source() {
        Source::Bin => {
            blob.take().ok_or_else(|| BuildError::new(&place, "the binary chunk of a .glb", "none"))?
        }
        Source::Uri(uri) if uri.starts_with("data:") => match Data::from_source(buffer.source(), None) {
            Ok(data) => data.0,
            Err(error) => return Err(BuildError::new(place, "base64 data", error.to_string())),
        },
        Source::Uri(uri) => {
            read(uri).map_err(|error| BuildError::new(&place, format!("the file {uri:?}"), error))?
        }
    };
    if bytes.len() < buffer.length() {
        let (want, have) = (format!("{} bytes", buffer.length()), format!("{}", bytes.len()));
        return Err(BuildError::new(place, want, have));
    }
    Ok(bytes)
}
