//! A glTF document under construction: objects with one buffer behind their accessors.

use gltf::binary::Glb;
use gltf::json::accessor::{ComponentType, GenericComponentType, Type};
use gltf::json::buffer::{Target, View};
use gltf::json::validation::{Checked, USize64};
use gltf::json::{self, Accessor, Index, Root, Value};

use crate::export::ExportError;

/// A document and its buffer.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// The objects.
    pub root: Root,
    buffer: Vec<u8>,
}

/// What the elements of an accessor are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elements {
    /// Vector, matrix or scalar.
    pub shape: Type,
    /// Type of a component.
    pub component: ComponentType,
    /// What the bytes are used for, where that has a name.
    pub target: Option<Target>,
}

impl Elements {
    /// Floats of a vertex attribute.
    pub fn attribute(shape: Type) -> Self {
        Self { shape, component: ComponentType::F32, target: Some(Target::ArrayBuffer) }
    }

    /// Floats that are no vertex attribute.
    pub fn floats(shape: Type) -> Self {
        Self { shape, component: ComponentType::F32, target: None }
    }
}

impl Document {
    /// An accessor over new bytes: `count` elements.
    pub fn accessor(&mut self, elements: Elements, count: usize, bytes: &[u8]) -> Index<Accessor> {
        // Every accessor starts at a multiple of its component's size.
        while !self.buffer.len().is_multiple_of(4) {
            self.buffer.push(0);
        }
        let view = self.root.push(View {
            buffer: Index::new(0),
            byte_length: USize64::from(bytes.len()),
            byte_offset: Some(USize64::from(self.buffer.len())),
            byte_stride: None,
            name: None,
            target: elements.target.map(Checked::Valid),
            extensions: None,
            extras: None,
        });
        self.buffer.extend_from_slice(bytes);
        self.root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: USize64::from(count),
            component_type: Checked::Valid(GenericComponentType(elements.component)),
            extensions: None,
            extras: None,
            type_: Checked::Valid(elements.shape),
            min: None,
            max: None,
            name: None,
            normalized: false,
            sparse: None,
        })
    }

    /// An accessor over floats.
    pub fn floats<const N: usize>(&mut self, elements: Elements, rows: &[[f32; N]]) -> Index<Accessor> {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(elements, rows.len(), &bytes)
    }

    /// The same, with the lowest and highest value of every component, which positions and times need.
    pub fn bounded<const N: usize>(&mut self, elements: Elements, rows: &[[f32; N]]) -> Index<Accessor> {
        let index = self.floats(elements, rows);
        let edge = |pick: fn(f32, f32) -> f32| -> Option<Value> {
            let first = *rows.first()?;
            let edge = rows.iter().fold(first, |edge, row| std::array::from_fn(|at| pick(edge[at], row[at])));
            Some(Value::from(edge.to_vec()))
        };
        let accessor = &mut self.root.accessors[index.value()];
        (accessor.min, accessor.max) = (edge(f32::min), edge(f32::max));
        index
    }

    /// The bytes of the .glb.
    ///
    /// # Errors
    /// When they are too many for one file, or the library refuses the document.
    pub fn finish(mut self) -> Result<Vec<u8>, ExportError> {
        // The header, the two chunks' headers and the JSON must fit as well.
        if u32::try_from(self.buffer.len()).map_or(true, |length| length > u32::MAX / 2) {
            return Err(ExportError::TooLarge);
        }
        self.root.asset.generator = Some(format!("skinsim {}", env!("CARGO_PKG_VERSION")));
        self.root.push(json::Buffer {
            byte_length: USize64::from(self.buffer.len()),
            name: None,
            uri: None,
            extensions: None,
            extras: None,
        });
        let text =
            json::serialize::to_vec(&self.root).map_err(|error| ExportError::Gltf(error.to_string()))?;
        let header = gltf::binary::Header { magic: *b"glTF", version: 2, length: 0 };
        let glb = Glb { header, json: text.into(), bin: Some(self.buffer.into()) };
        glb.to_vec().map_err(|error| ExportError::Gltf(error.to_string()))
    }
}

/// Names of morph targets, where other programs look for them.
pub(super) fn target_names(names: &[String]) -> json::Extras {
    serde_json::value::to_raw_value(&serde_json::json!({ "targetNames": names })).ok()
}
