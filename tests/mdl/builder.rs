//! Writes small faces: one body part and model, any meshes, flexes, rules and eyeballs.

/// A face to be written.
#[derive(Debug, Clone)]
pub struct Face {
    pub version: i32,
    pub flags: u32,
    pub scale: f32,
    pub checksum: u32,
    pub vvd_checksum: u32,
    /// Name, min, max.
    pub controllers: Vec<(&'static str, f32, f32)>,
    pub flexdescs: Vec<String>,
    /// Flexdesc, then opcode and operand bits.
    pub rules: Vec<(i32, Vec<(i32, u32)>)>,
    pub ui: Vec<Ui>,
    /// Flexdescs of mouths.
    pub mouths: Vec<i32>,
    pub meshes: Vec<Mesh>,
    pub eyeballs: Vec<Eyeball>,
    pub bones: Vec<Bone>,
    /// Bone and weight, by vertex of all meshes; vertices beyond follow the first bone.
    pub influences: Vec<Vec<(i8, f32)>>,
}

#[derive(Debug, Clone, Copy)]
pub struct Bone {
    pub name: &'static str,
    pub parent: i32,
    /// `poseToBone`.
    pub from_pose: [[f32; 4]; 3],
}

/// A UI entry: byte offsets from the first controller.
#[derive(Debug, Clone)]
pub struct Ui {
    pub name: &'static str,
    pub targets: [i32; 3],
    pub remap: u8,
    pub stereo: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Mesh {
    pub vertices: Vec<[f32; 3]>,
    pub flexes: Vec<Flex>,
    /// `numLODVertexes[0]` when it is not the number of vertices.
    pub lod_count: Option<i32>,
}

#[derive(Debug, Clone)]
pub struct Flex {
    pub flexdesc: i32,
    pub pair: i32,
    pub targets: [f32; 4],
    pub kind: u8,
    pub anims: Vec<Anim>,
}

#[derive(Debug, Clone, Copy)]
pub struct Anim {
    pub index: u16,
    pub speed: u8,
    pub side: u8,
    pub delta: [u16; 3],
    pub normal_delta: [u16; 3],
    pub wrinkle: i16,
}

#[derive(Debug, Clone)]
pub struct Eyeball {
    pub bone: i32,
    pub origin: [f32; 3],
    pub z_offset: f32,
    pub radius: f32,
    pub up: [f32; 3],
    pub forward: [f32; 3],
    pub upper: [i32; 3],
    pub lower: [i32; 3],
    pub upper_targets: [f32; 3],
    pub lower_targets: [f32; 3],
    pub upper_lid: i32,
    pub lower_lid: i32,
    pub non_facs: bool,
}

/// The bits of a half float.
pub fn half(value: f32) -> u16 {
    half::f16::from_f32(value).to_bits()
}

/// CONST.
pub fn constant(value: f32) -> (i32, u32) {
    (1, value.to_bits())
}

impl Anim {
    /// A current, one-sided move by half floats.
    pub fn of(index: u16, delta: [f32; 3]) -> Self {
        Self { index, speed: 255, side: 0, delta: delta.map(half), normal_delta: [0; 3], wrinkle: 0 }
    }
}

impl Bone {
    /// A bone at the model's origin.
    pub const ROOT: Self = Self {
        name: "head",
        parent: -1,
        from_pose: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
    };
}

impl Flex {
    /// A flex with the usual targets.
    pub fn of(flexdesc: i32, anims: Vec<Anim>) -> Self {
        Self { flexdesc, pair: 0, targets: [0.0, 1.0, 10.0, 11.0], kind: 0, anims }
    }
}

impl Eyeball {
    /// An eye at the origin that looks along x, with the lid flexdescs 1, 2, 3 (upper) and none below.
    pub fn upper_only() -> Self {
        Self {
            bone: 0,
            origin: [0.0; 3],
            z_offset: 0.0,
            radius: 1.0,
            up: [0.0, 0.0, 1.0],
            forward: [1.0, 0.0, 0.0],
            upper: [1, 2, 3],
            lower: [1, 2, 3],
            upper_targets: [-0.5, 0.0, 0.5],
            lower_targets: [-0.5, 0.0, 0.5],
            upper_lid: 0,
            lower_lid: -1,
            non_facs: false,
        }
    }
}

impl Default for Face {
    /// One controller, one flexdesc that follows it, four vertices of which the first two move.
    fn default() -> Self {
        let vertices = (0..4u8).map(|x| [f32::from(x), 0.0, 0.0]).collect();
        let anims = vec![Anim::of(0, [0.5, 0.0, 0.0]), Anim::of(1, [0.0, 0.25, 0.0])];
        Self {
            version: 48,
            flags: 0,
            scale: 0.0,
            checksum: 7,
            vvd_checksum: 7,
            controllers: vec![("smile", 0.0, 1.0)],
            flexdescs: vec!["smile".to_owned()],
            rules: vec![(0, vec![(2, 0)])],
            ui: Vec::new(),
            mouths: Vec::new(),
            meshes: vec![Mesh { vertices, flexes: vec![Flex::of(0, anims)], lod_count: None }],
            eyeballs: Vec::new(),
            bones: vec![Bone::ROOT],
            influences: Vec::new(),
        }
    }
}

/// Bytes under construction, with names that are placed last.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    /// Base of the structure, field of the offset, name.
    names: Vec<(usize, usize, String)>,
}

impl Writer {
    fn reserve(&mut self, size: usize) -> usize {
        let at = self.bytes.len();
        self.bytes.resize(at + size, 0);
        at
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn int(&mut self, at: usize, value: impl TryInto<i32, Error: std::fmt::Debug>) {
        self.put(at, &value.try_into().unwrap().to_le_bytes());
    }

    fn floats(&mut self, at: usize, values: &[f32]) {
        for (index, value) in values.iter().enumerate() {
            self.put(at + 4 * index, &value.to_le_bytes());
        }
    }

    fn name(&mut self, base: usize, at: usize, name: &str) {
        self.names.push((base, at, name.to_owned()));
    }

    fn finish(mut self) -> Vec<u8> {
        for (base, at, name) in std::mem::take(&mut self.names) {
            let place = self.reserve(name.len() + 1);
            self.put(place, name.as_bytes());
            self.int(at, place - base);
        }
        let length = self.bytes.len();
        self.int(76, length);
        self.bytes
    }
}

impl Face {
    /// The `.mdl`.
    pub fn mdl(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.reserve(408);
        out.put(0, b"IDST");
        out.int(4, self.version);
        out.put(8, &self.checksum.to_le_bytes());
        out.put(12, b"face.mdl");
        out.put(152, &self.flags.to_le_bytes());
        out.floats(392, &[self.scale]);
        self.bones(&mut out);
        self.inputs(&mut out);
        self.rules(&mut out);
        self.body(&mut out);
        out.finish()
    }

    fn table(out: &mut Writer, header: usize, count: usize, size: usize) -> usize {
        let at = out.reserve(count * size);
        out.int(header, count);
        out.int(header + 4, at);
        at
    }

    fn bones(&self, out: &mut Writer) {
        let table = Self::table(out, 156, self.bones.len(), 216);
        for (index, bone) in self.bones.iter().enumerate() {
            let at = table + 216 * index;
            out.name(at, at, bone.name);
            out.int(at + 4, bone.parent);
            for (row, values) in bone.from_pose.iter().enumerate() {
                out.floats(at + 96 + 16 * row, values);
            }
        }
    }

    fn inputs(&self, out: &mut Writer) {
        let at = Self::table(out, 260, self.flexdescs.len(), 4);
        for (index, name) in self.flexdescs.iter().enumerate() {
            out.name(at + 4 * index, at + 4 * index, name);
        }
        let controllers = Self::table(out, 268, self.controllers.len(), 20);
        for (index, (name, min, max)) in self.controllers.iter().enumerate() {
            let at = controllers + 20 * index;
            out.name(at, at, "phoneme");
            out.name(at, at + 4, name);
            out.int(at + 8, -1);
            out.floats(at + 12, &[*min, *max]);
        }
        let at = Self::table(out, 384, self.ui.len(), 20);
        for (index, ui) in self.ui.iter().enumerate() {
            let at = at + 20 * index;
            out.name(at, at, ui.name);
            for (slot, target) in ui.targets.iter().enumerate() {
                out.int(at + 4 + 4 * slot, controllers as i64 + i64::from(*target) - at as i64);
            }
            out.put(at + 16, &[ui.remap, u8::from(ui.stereo)]);
        }
        let at = Self::table(out, 292, self.mouths.len(), 20);
        for (index, flexdesc) in self.mouths.iter().enumerate() {
            out.int(at + 20 * index + 16, *flexdesc);
        }
    }

    fn rules(&self, out: &mut Writer) {
        let at = Self::table(out, 276, self.rules.len(), 12);
        for (index, (flexdesc, ops)) in self.rules.iter().enumerate() {
            let rule = at + 12 * index;
            let ops_at = out.reserve(8 * ops.len());
            out.int(rule, *flexdesc);
            out.int(rule + 4, ops.len());
            out.int(rule + 8, ops_at - rule);
            for (number, (opcode, operand)) in ops.iter().enumerate() {
                out.int(ops_at + 8 * number, *opcode);
                out.put(ops_at + 8 * number + 4, &operand.to_le_bytes());
            }
        }
    }

    fn body(&self, out: &mut Writer) {
        let part = Self::table(out, 232, 1, 16);
        out.name(part, part, "body");
        let model = out.reserve(148);
        out.int(part + 4, 1);
        out.int(part + 8, 1);
        out.int(part + 12, model - part);
        out.put(model, b"face.smd");
        out.int(model + 80, self.vertices().count());
        let meshes = out.reserve(116 * self.meshes.len());
        out.int(model + 72, self.meshes.len());
        out.int(model + 76, meshes - model);
        let mut offset = 0;
        for (index, mesh) in self.meshes.iter().enumerate() {
            write_mesh(out, meshes + 116 * index, mesh, offset);
            offset += mesh.vertices.len();
        }
        let eyes = out.reserve(172 * self.eyeballs.len());
        out.int(model + 100, self.eyeballs.len());
        out.int(model + 104, eyes - model);
        for (index, eye) in self.eyeballs.iter().enumerate() {
            write_eyeball(out, eyes + 172 * index, eye);
        }
    }

    fn vertices(&self) -> impl Iterator<Item = [f32; 3]> + '_ {
        self.meshes.iter().flat_map(|mesh| mesh.vertices.iter().copied())
    }

    /// The `.vvd`, whose normals all point along z.
    pub fn vvd(&self) -> Vec<u8> {
        let mut out = Writer::default();
        let count = self.vertices().count();
        out.reserve(64);
        out.put(0, b"IDSV");
        out.int(4, 4);
        out.put(8, &self.vvd_checksum.to_le_bytes());
        out.int(12, 1);
        (0..8).for_each(|lod| out.int(16 + 4 * lod, count));
        out.int(52, 64);
        out.int(56, 64);
        for (index, position) in self.vertices().enumerate() {
            let at = out.reserve(48);
            let influences = self.influences.get(index).map_or(&[(0, 1.0)][..], Vec::as_slice);
            for (lane, (bone, weight)) in influences.iter().enumerate() {
                out.floats(at + 4 * lane, &[*weight]);
                out.put(at + 12 + lane, &bone.to_le_bytes());
            }
            out.put(at + 15, &[influences.len() as u8]);
            out.floats(at + 16, &position);
            out.floats(at + 28, &[0.0, 0.0, 1.0]);
        }
        out.bytes
    }
}

fn write_mesh(out: &mut Writer, at: usize, mesh: &Mesh, offset: usize) {
    out.int(at + 8, mesh.vertices.len());
    out.int(at + 12, offset);
    for lod in 0..8 {
        out.int(at + 52 + 4 * lod, mesh.vertices.len());
    }
    if let Some(count) = mesh.lod_count {
        out.int(at + 52, count);
    }
    let flexes = out.reserve(60 * mesh.flexes.len());
    out.int(at + 16, mesh.flexes.len());
    out.int(at + 20, flexes - at);
    for (index, flex) in mesh.flexes.iter().enumerate() {
        let at = flexes + 60 * index;
        out.int(at, flex.flexdesc);
        out.floats(at + 4, &flex.targets);
        out.int(at + 20, flex.anims.len());
        out.int(at + 28, flex.pair);
        out.put(at + 32, &[flex.kind]);
        let size = if flex.kind == 1 { 18 } else { 16 };
        let anims = out.reserve(size * flex.anims.len());
        out.int(at + 24, anims - at);
        for (number, anim) in flex.anims.iter().enumerate() {
            let at = anims + size * number;
            out.put(at, &anim.index.to_le_bytes());
            out.put(at + 2, &[anim.speed, anim.side]);
            for (axis, bits) in anim.delta.iter().chain(&anim.normal_delta).enumerate() {
                out.put(at + 4 + 2 * axis, &bits.to_le_bytes());
            }
            if size == 18 {
                out.put(at + 16, &anim.wrinkle.to_le_bytes());
            }
        }
    }
}

fn write_eyeball(out: &mut Writer, at: usize, eye: &Eyeball) {
    out.int(at + 4, eye.bone);
    out.floats(at + 8, &eye.origin);
    out.floats(at + 20, &[eye.z_offset, eye.radius]);
    out.floats(at + 28, &eye.up);
    out.floats(at + 40, &eye.forward);
    out.floats(at + 60, &[1.0]);
    for index in 0..3 {
        out.int(at + 68 + 4 * index, eye.upper[index]);
        out.int(at + 80 + 4 * index, eye.lower[index]);
    }
    out.floats(at + 92, &eye.upper_targets);
    out.floats(at + 104, &eye.lower_targets);
    out.int(at + 116, eye.upper_lid);
    out.int(at + 120, eye.lower_lid);
    out.put(at + 140, &[u8::from(eye.non_facs)]);
}
