//! glTF files made by hand.

use serde_json::{Value, json};

/// A document and its binary chunk.
pub struct Document {
    pub json: Value,
    pub bin: Vec<u8>,
}

impl Document {
    pub fn new() -> Self {
        let json = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": [],
            "skins": [], "accessors": [], "bufferViews": [], "buffers": [{"byteLength": 0}]
        });
        Self { json, bin: Vec::new() }
    }

    pub fn push(&mut self, list: &str, value: Value) -> usize {
        if self.json.get(list).is_none() {
            self.json[list] = json!([]);
        }
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    pub fn view(&mut self, bytes: &[u8], stride: Option<usize>) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let mut view = json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()});
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        self.bin.extend(bytes);
        self.push("bufferViews", view)
    }

    pub fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes, None);
        self.push(
            "accessors",
            json!({"bufferView": view, "componentType": component, "type": kind, "count": count}),
        )
    }

    pub fn floats(&mut self, rows: &[f32], kind: &str) -> usize {
        let size = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = rows.iter().flat_map(|value| value.to_le_bytes()).collect();
        let accessor = self.accessor(&bytes, 5126, kind, rows.len() / size);
        if kind == "VEC3" {
            self.json["accessors"][accessor]["min"] = json!([-1e9, -1e9, -1e9]);
            self.json["accessors"][accessor]["max"] = json!([1e9, 1e9, 1e9]);
        }
        if kind == "SCALAR" {
            self.json["accessors"][accessor]["min"] = json!([rows[0]]);
            self.json["accessors"][accessor]["max"] = json!([rows[rows.len() - 1]]);
        }
        accessor
    }

    pub fn shorts(&mut self, rows: &[u16], kind: &str, count: usize) -> usize {
        let bytes: Vec<u8> = rows.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(&bytes, 5123, kind, count)
    }

    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"][0]["byteLength"] = json!(self.bin.len());
        // Empty arrays are not valid glTF.
        json.as_object_mut().unwrap().retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        let mut text = serde_json::to_vec(&json).unwrap();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bin = self.bin.clone();
        bin.resize(bin.len().next_multiple_of(4), 0);
        let mut bytes = b"glTF\x02\0\0\0".to_vec();
        bytes.extend((28 + text.len() as u32 + bin.len() as u32).to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(b"JSON");
        bytes.extend(&text);
        bytes.extend((bin.len() as u32).to_le_bytes());
        bytes.extend(b"BIN\0");
        bytes.extend(&bin);
        bytes
    }
}

/// A square tube of rings one unit apart along y, skinned to a chain of three joints; nodes 1, 2 and 3
/// under node 0, the mesh on node 4.
pub struct Tube {
    pub document: Document,
    pub positions: Vec<[f32; 3]>,
    pub joints: Vec<[u16; 4]>,
    pub weights: Vec<[f32; 4]>,
    pub indices: Vec<u16>,
}

const RINGS: usize = 9;

impl Tube {
    pub fn new() -> Self {
        let (mut positions, mut joints, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for ring in 0..RINGS {
            for corner in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
                positions.push([corner[0] * 0.7, ring as f32, corner[1] * 0.7]);
                joints.push([0, 1, 2, 0]);
                let at = ring as f32 / (RINGS - 1) as f32;
                let part = |center: f32| (1.0 - 2.0 * (at - center).abs()).max(0.0);
                weights.push([part(0.0), part(0.5), part(1.0), 0.0]);
            }
        }
        let mut indices = Vec::new();
        for ring in 0..RINGS as u16 - 1 {
            for side in 0..4 {
                let (a, b) = (4 * ring + side, 4 * ring + (side + 1) % 4);
                indices.extend([a, a + 4, b, b, a + 4, b + 4]);
            }
        }
        let mut document = Document::new();
        document.json["nodes"] = json!([
            {"name": "above", "children": [1]},
            {"name": "a", "children": [2]},
            {"name": "b", "children": [3], "translation": [0.0, 4.0, 0.0]},
            {"name": "c", "translation": [0.0, 4.0, 0.0]},
            {"name": "tube", "mesh": 0, "skin": 0}
        ]);
        document.json["scenes"][0]["nodes"] = json!([0, 4]);
        Self { document, positions, joints, weights, indices }
    }

    pub fn node(&mut self, index: usize) -> &mut Value {
        &mut self.document.json["nodes"][index]
    }

    /// Writes positions, joints, weights and indices as a primitive.
    pub fn primitive(&mut self) -> Value {
        let position = self.document.floats(self.positions.as_flattened(), "VEC3");
        let joints = self.document.shorts(self.joints.as_flattened(), "VEC4", self.joints.len());
        let weights = self.document.floats(self.weights.as_flattened(), "VEC4");
        let indices = self.document.shorts(&self.indices, "SCALAR", self.indices.len());
        json!({"attributes": {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights}, "indices": indices})
    }

    /// Inverse bind matrices of the joints as they stand.
    pub fn bind(&mut self) {
        self.document.push("skins", json!({"joints": [1, 2, 3]}));
        let bytes = self.document.glb();
        let document = gltf::Gltf::from_slice(&bytes).map(|gltf| gltf.document).unwrap();
        let reference = crate::reference::node_globals(&document);
        let mut cells = Vec::new();
        for node in [1, 2, 3] {
            let inverse = crate::reference::inverse(&reference[node]);
            for (column, last) in [0.0, 0.0, 0.0, 1.0].into_iter().enumerate() {
                cells.extend(inverse.map(|row| row[column] as f32));
                cells.push(last);
            }
        }
        let accessor = self.document.floats(&cells, "MAT4");
        self.document.json["skins"][0]["inverseBindMatrices"] = json!(accessor);
    }

    /// An animation of one channel.
    pub fn animate(&mut self, node: usize, path: &str, times: &[f32], values: &[f32], interpolation: &str) {
        let input = self.document.floats(times, "SCALAR");
        let output = self.document.floats(values, if path == "rotation" { "VEC4" } else { "VEC3" });
        if self.document.json.get("animations").is_none() {
            self.document.json["animations"] = json!([{"name": "move", "channels": [], "samplers": []}]);
        }
        let animation = &mut self.document.json["animations"][0];
        let samplers = animation["samplers"].as_array_mut().unwrap();
        samplers.push(json!({"input": input, "output": output, "interpolation": interpolation}));
        let sampler = samplers.len() - 1;
        let channel = json!({"sampler": sampler, "target": {"node": node, "path": path}});
        animation["channels"].as_array_mut().unwrap().push(channel);
    }

    /// The file with one primitive, bound where the joints stand.
    pub fn finish(mut self) -> Vec<u8> {
        let primitive = self.primitive();
        self.document.push("meshes", json!({"primitives": [primitive]}));
        self.bind();
        self.document.glb()
    }
}
