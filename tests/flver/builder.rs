//! Writes FLVER files for tests: every field can be set to what no exporter would write.

/// A FLVER file to be.
#[derive(Debug, Clone)]
pub struct Model {
    pub version: u32,
    pub unicode: bool,
    pub bounds: [[f32; 3]; 2],
    pub index_bits: u8,
    pub modifier: u16,
    pub dummies: Vec<Dummy>,
    pub nodes: Vec<Node>,
    pub meshes: Vec<Mesh>,
    pub face_sets: Vec<FaceSet>,
    pub buffers: Vec<Buffer>,
    pub layouts: Vec<Vec<Member>>,
    pub skeleton: Vec<([i16; 4], i32)>,
}

#[derive(Debug, Clone)]
pub struct Dummy {
    pub position: [f32; 3],
    pub colour: [u8; 4],
    pub forward: [f32; 3],
    pub upward: [f32; 3],
    pub reference: i16,
    pub parent: i16,
    pub attach: i16,
    pub flags: [u8; 2],
}

#[derive(Debug, Clone)]
pub struct Node {
    pub name: &'static str,
    pub translation: [f32; 3],
    pub rotation: [f32; 3],
    pub scale: [f32; 3],
    /// Parent, first child, next sibling, previous sibling.
    pub links: [i16; 4],
    pub bounds: [[f32; 3]; 2],
    pub flags: u32,
    pub reserved: u8,
}

#[derive(Debug, Clone, Default)]
pub struct Mesh {
    pub dynamic: u8,
    pub material: i32,
    pub node_index: i32,
    pub palette: Vec<i32>,
    pub face_sets: Vec<i32>,
    pub buffers: Vec<i32>,
}

#[derive(Debug, Clone)]
pub struct FaceSet {
    pub flags: u32,
    pub strip: bool,
    pub bits: u32,
    pub indices: Vec<u32>,
}

#[derive(Debug, Clone)]
pub struct Buffer {
    pub layout: i32,
    pub stride: u32,
    pub number: u32,
    pub bytes: Vec<u8>,
}

/// Stream word, type, semantic, index; the offset is the running sum unless set.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub stream: u32,
    pub packing: u32,
    pub semantic: u32,
    pub index: u32,
    pub offset: Option<u32>,
}

pub fn member(semantic: u32, packing: u32, index: u32) -> Member {
    Member { stream: 0, packing, semantic, index, offset: None }
}

pub const NO_BOUNDS: [[f32; 3]; 2] = [[f32::MAX; 3], [f32::MIN; 3]];

pub fn node(name: &'static str, translation: [f32; 3], links: [i16; 4]) -> Node {
    Node {
        name,
        translation,
        rotation: [0.0; 3],
        scale: [1.0; 3],
        links,
        bounds: NO_BOUNDS,
        flags: 0,
        reserved: 0,
    }
}

pub fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A vertex of the skinned layout: position, normal up, bone indices, weights.
pub fn skinned_vertex(position: [f32; 3], bones: [u8; 4], weights: [u8; 4]) -> Vec<u8> {
    [&floats(&position)[..], &[127, 254, 127, 0], &bones, &weights].concat()
}

/// A vertex of the static layout: position, normal up with its W.
pub fn static_vertex(position: [f32; 3], w: u8) -> Vec<u8> {
    [&floats(&position)[..], &[127, 254, 127, w]].concat()
}

impl Model {
    /// A model without a fault: three nodes, a skinned and a static triangle, a dummy point; version 0x2001A.
    pub fn sound() -> Self {
        let mut root = node("Root", [0.0, 1.0, 0.0], [-1, 1, -1, -1]);
        root.scale = [2.0; 3];
        let skinned = [
            skinned_vertex([0.0, 0.0, 0.0], [1, 0, 0, 0], [255, 0, 0, 0]),
            skinned_vertex([1.0, 0.0, 0.0], [1, 2, 0, 0], [128, 127, 0, 0]),
            skinned_vertex([0.0, 1.0, 0.0], [2, 0, 0, 0], [255, 0, 0, 0]),
        ];
        let rigid = [
            static_vertex([0.0, 0.0, 0.0], 0),
            static_vertex([1.0, 0.0, 0.0], 1),
            static_vertex([0.0, 1.0, 0.0], 2),
        ];
        let face_set = FaceSet { flags: 0, strip: false, bits: 16, indices: vec![0, 1, 2] };
        let layouts = vec![
            vec![member(0, 2, 0), member(3, 0x11, 0), member(2, 0x11, 0), member(1, 0x13, 0)],
            vec![member(0, 2, 0), member(3, 0x11, 0)],
        ];
        let mesh = |dynamic, number| Mesh {
            dynamic,
            face_sets: vec![number],
            buffers: vec![number],
            ..Mesh::default()
        };
        Self {
            version: 0x2001A,
            unicode: true,
            // World: Root twice as large at (0, 1, 0); Arm at (1, 1, 0), Leg at (0, 0, 1).
            // Skinned vertices as stored; static ones at (0, 1, 0), (3, 1, 0), (0, 2, 1).
            bounds: [[0.0; 3], [3.0, 2.0, 1.0]],
            index_bits: 0,
            modifier: 0,
            dummies: vec![Dummy {
                position: [0.0, 0.0, 1.0],
                colour: [255; 4],
                forward: [0.0, 0.0, -1.0],
                upward: [0.0, 1.0, 0.0],
                reference: 7,
                parent: 1,
                attach: 2,
                flags: [1, 1],
            }],
            nodes: vec![
                root,
                node("Arm", [0.5, 0.0, 0.0], [0, -1, 2, -1]),
                node("Leg", [0.0, -0.5, 0.5], [0, -1, -1, 1]),
            ],
            meshes: vec![mesh(1, 0), mesh(0, 1)],
            face_sets: vec![face_set.clone(), face_set],
            buffers: vec![
                Buffer { layout: 0, stride: 24, number: 0, bytes: skinned.concat() },
                Buffer { layout: 1, stride: 16, number: 0, bytes: rigid.concat() },
            ],
            layouts,
            skeleton: vec![([-1, 1, -1, -1], 0), ([0, -1, 2, -1], 1), ([0, -1, -1, 1], 2)],
        }
    }

    /// The file.
    pub fn write(&self) -> Vec<u8> {
        Writer { model: self, out: Vec::new() }.write()
    }
}

struct Writer<'a> {
    model: &'a Model,
    out: Vec<u8>,
}

/// Offsets of the parts that the tables point at.
#[derive(Default)]
struct Parts {
    node_names: Vec<u32>,
    material_name: u32,
    lists: Vec<[u32; 3]>,
    members: Vec<u32>,
    bones: u32,
    data: u32,
    indices: Vec<u32>,
    vertices: Vec<u32>,
}

impl Writer<'_> {
    /// Tables have a fixed size, so a first pass finds the offsets and a second writes them.
    fn write(mut self) -> Vec<u8> {
        self.tables(&Parts {
            node_names: vec![0; self.model.nodes.len()],
            lists: vec![[0; 3]; self.model.meshes.len()],
            members: vec![0; self.model.layouts.len()],
            indices: vec![0; self.model.face_sets.len()],
            vertices: vec![0; self.model.buffers.len()],
            ..Parts::default()
        });
        let parts = self.parts();
        let tail = self.out.clone();
        self.out.clear();
        self.tables(&parts);
        let tables = self.out.len();
        self.out.extend(&tail[tables..]);
        self.out
    }

    fn u32s(&mut self, values: &[u32]) {
        for value in values {
            self.out.extend(value.to_le_bytes());
        }
    }

    fn i32s(&mut self, values: &[i32]) {
        self.u32s(&values.iter().map(|value| *value as u32).collect::<Vec<_>>());
    }

    fn i16s(&mut self, values: &[i16]) {
        for value in values {
            self.out.extend(value.to_le_bytes());
        }
    }

    fn floats(&mut self, values: &[f32]) {
        self.out.extend(floats(values));
    }

    fn here(&self) -> u32 {
        self.out.len() as u32
    }

    fn tables(&mut self, parts: &Parts) {
        self.header(parts.data);
        let model = self.model;
        for dummy in &model.dummies {
            self.floats(&dummy.position);
            self.out.extend(dummy.colour);
            self.floats(&dummy.forward);
            self.i16s(&[dummy.reference, dummy.parent]);
            self.floats(&dummy.upward);
            self.i16s(&[dummy.attach]);
            self.out.extend(dummy.flags);
            self.u32s(&[0; 4]);
        }
        self.u32s(&[parts.material_name, parts.material_name, 0, 0, 0, 0, 0, 0]);
        for (node, name) in model.nodes.iter().zip(&parts.node_names) {
            self.node(node, *name);
        }
        for (mesh, lists) in model.meshes.iter().zip(&parts.lists) {
            self.u32s(&[u32::from(mesh.dynamic)]);
            self.i32s(&[mesh.material, 0, 0, mesh.node_index]);
            self.u32s(&[mesh.palette.len() as u32, 0, lists[0]]);
            self.u32s(&[mesh.face_sets.len() as u32, lists[1], mesh.buffers.len() as u32, lists[2]]);
        }
        for (face_set, offset) in model.face_sets.iter().zip(&parts.indices) {
            self.u32s(&[face_set.flags, u32::from(face_set.strip), face_set.indices.len() as u32, *offset]);
            if model.version > 0x20007 {
                self.u32s(&[0, 0, face_set.bits, 0]);
            }
        }
        for (buffer, offset) in model.buffers.iter().zip(&parts.vertices) {
            let count = buffer.bytes.len() as u32 / buffer.stride.max(1);
            self.u32s(&[buffer.number, buffer.layout as u32, buffer.stride, count, 0, 0]);
            self.u32s(&[buffer.bytes.len() as u32, *offset]);
        }
        for (layout, offset) in model.layouts.iter().zip(&parts.members) {
            self.u32s(&[layout.len() as u32, 0, 0, *offset]);
        }
        if model.version >= 0x2001A {
            let count = model.skeleton.len() as i16;
            self.i16s(&[count, count]);
            self.u32s(&[parts.bones, parts.bones, 0, 0, 0, 0, 0]);
        }
    }

    fn header(&mut self, data: u32) {
        let model = self.model;
        let count = |length: usize| length as u32;
        self.out.extend(b"FLVER\0L\0");
        self.u32s(&[model.version, data, 0, count(model.dummies.len()), 1, count(model.nodes.len())]);
        self.u32s(&[count(model.meshes.len()), count(model.buffers.len())]);
        self.floats(&model.bounds.concat());
        self.u32s(&[0, 0]);
        self.out.extend([model.index_bits, u8::from(model.unicode), 0, 0, 0, 0, 0, 0]);
        self.u32s(&[count(model.face_sets.len()), count(model.layouts.len()), 0, 0, 0, 0]);
        self.u32s(&[u32::from(model.modifier) << 16, 0, 0, 0, 0, 0]);
    }

    fn node(&mut self, node: &Node, name: u32) {
        let [parent, child, next, previous] = node.links;
        self.floats(&node.translation);
        self.u32s(&[name]);
        self.floats(&node.rotation);
        self.i16s(&[parent, child]);
        self.floats(&node.scale);
        self.i16s(&[next, previous]);
        self.floats(&node.bounds[0]);
        self.u32s(&[node.flags]);
        self.floats(&node.bounds[1]);
        self.out.extend([node.reserved; 52]);
    }

    fn parts(&mut self) -> Parts {
        let model = self.model;
        let mut parts = Parts::default();
        for layout in &model.layouts {
            parts.members.push(self.here());
            self.members(layout);
        }
        parts.bones = self.here();
        for (links, node) in &model.skeleton {
            self.i16s(links);
            self.i32s(&[*node, 0]);
        }
        for mesh in &model.meshes {
            let mut lists = [0; 3];
            for (offset, list) in lists.iter_mut().zip([&mesh.palette, &mesh.face_sets, &mesh.buffers]) {
                *offset = self.here();
                self.i32s(list);
            }
            parts.lists.push(lists);
        }
        for node in &model.nodes {
            let name = self.string(node.name);
            parts.node_names.push(name);
        }
        parts.material_name = self.string("Skin");
        parts.data = self.here();
        for face_set in &model.face_sets {
            parts.indices.push(self.here() - parts.data);
            for index in &face_set.indices {
                let bytes = if face_set.bits == 0 { u32::from(model.index_bits) } else { face_set.bits } / 8;
                self.out.extend(&index.to_le_bytes()[..bytes as usize]);
            }
        }
        for buffer in &model.buffers {
            parts.vertices.push(self.here() - parts.data);
            self.out.extend(&buffer.bytes);
        }
        parts
    }

    fn members(&mut self, layout: &[Member]) {
        let mut sum = 0;
        for member in layout {
            let offset = member.offset.unwrap_or(sum);
            self.u32s(&[member.stream, offset, member.packing, member.semantic, member.index]);
            sum += match member.packing {
                _ if member.stream >> 16 == 0x8000 => 0,
                1 | 0x16 | 0x18 | 0x1A | 0x2E => 8,
                2 => 12,
                3 => 16,
                _ => 4,
            };
        }
    }

    fn string(&mut self, text: &str) -> u32 {
        let offset = self.here();
        if self.model.unicode {
            self.out.extend(text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        } else {
            self.out.extend(text.bytes().chain([0]));
        }
        offset
    }
}
