//! A model made ready to be deformed again and again: chosen models, vertices at rest, deltas decoded.

use super::deform::Vertices;
use super::delta::DeltaReader;
use super::options::Options;
use crate::bytes::{ReadError, ReadResult};
use crate::mdl::format::Mdl;
use crate::mdl::format::mesh::{BodyPart, Flex, Mesh, Model};
use crate::mdl::format::vvd::{VERTEX_SIZE, Vertex, Vvd};

/// How many times the vertex pool all meshes together may take. Compilers give each vertex to one.
const POOL_LIMIT: usize = 4;
/// Vertices that all meshes together may always take, however few there are: 32 MiB of them.
const ALWAYS: usize = (32 << 20) / VERTEX_SIZE as usize;

/// A face at rest.
#[derive(Debug, Clone)]
pub struct Face<'a> {
    /// The model as read.
    pub mdl: &'a Mdl,
    /// The chosen model of each body part.
    pub parts: Vec<FacePart<'a>>,
    /// Vertices at rest, all meshes in a row.
    pub rest: Vertices,
    /// The same vertices as stored, for their bone weights.
    pub stored: Vec<Vertex>,
}

/// The chosen model of a body part.
#[derive(Debug, Clone)]
pub struct FacePart<'a> {
    /// The body part's place in the file.
    pub body_part: usize,
    /// The chosen model's place in it.
    pub model_index: usize,
    /// The chosen model.
    pub model: &'a Model,
    /// Its meshes; empty when no vertices were given.
    pub meshes: Vec<FaceMesh>,
}

/// A mesh in the row of vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceMesh {
    /// `body part / model / mesh number`.
    pub name: String,
    /// First vertex in the row.
    pub first: usize,
    /// Number of vertices.
    pub count: usize,
    /// In file order. Flexes of flexdescs that do not exist are left out.
    pub flexes: Vec<FaceFlex>,
}

/// A flex, decoded.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceFlex {
    /// The flexdesc followed.
    pub flexdesc: usize,
    /// The other side's.
    pub pair: Option<usize>,
    /// Ramp.
    pub targets: [f32; 4],
    /// Vertices moved.
    pub anims: Vec<FaceAnim>,
}

/// A vertex animation, decoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaceAnim {
    /// Vertex in the row.
    pub vertex: usize,
    /// 1 for the current weight, 0 for the delayed.
    pub speed: f32,
    /// 0 for the flexdesc, 1 for the pair.
    pub side: f32,
    /// Position delta in units.
    pub delta: [f32; 3],
    /// Normal delta.
    pub normal_delta: [f32; 3],
    /// Wrinkle delta.
    pub wrinkle: f32,
}

impl<'a> Face<'a> {
    /// Prepares the models that the body number picks; without vertices only weights can be computed.
    ///
    /// # Errors
    /// When a mesh's vertices do not lie in the VVD, or the level of detail does not exist.
    pub fn new(mdl: &'a Mdl, vvd: Option<&Vvd>, options: &Options) -> ReadResult<Self> {
        let parts = mdl.body_parts.iter().enumerate();
        let chosen = parts.filter_map(|(at, part)| Some((at, chosen(part, options.body)?)));
        Self::of(mdl, vvd, options, chosen)
    }

    /// Prepares every model of every body part at once, to look at them and not to draw them.
    ///
    /// # Errors
    /// As [`Face::new`].
    pub fn whole(mdl: &'a Mdl, vvd: Option<&Vvd>) -> ReadResult<Self> {
        let parts = mdl.body_parts.iter().enumerate();
        let all = parts.flat_map(|(at, part)| (0..part.models.len()).map(move |model| (at, model)));
        Self::of(mdl, vvd, &Options::default(), all)
    }

    /// Prepares models given by body part and place in it.
    fn of(
        mdl: &'a Mdl,
        vvd: Option<&Vvd>,
        options: &Options,
        models: impl Iterator<Item = (usize, usize)>,
    ) -> ReadResult<Self> {
        let mut face = Self { mdl, parts: Vec::new(), rest: Vertices::default(), stored: Vec::new() };
        let pool = vvd.map(|vvd| vvd.pool(options.lod)).transpose()?;
        let layout = Layout::new(mdl, options.lod);
        let deltas = DeltaReader::new(&mdl.header, options.delta);
        for (body_part, model_index) in models {
            let part = &mdl.body_parts[body_part];
            let model = &part.models[model_index];
            let mut meshes = Vec::new();
            for (index, mesh) in model.meshes.iter().enumerate() {
                let Some(pool) = &pool else { break };
                let name = format!("{} / {} / {index}", part.name, model.name);
                let range = layout.range(body_part, model_index, index);
                let first = face.append(pool, range, mesh, &name)?;
                let count = face.stored.len() - first;
                let gate = mesh.lod_vertex_counts.get(options.lod).copied().unwrap_or(0);
                let active = count.min(usize::try_from(gate).unwrap_or(0));
                meshes.push(FaceMesh {
                    flexes: flexes(mdl, mesh, deltas, first, active),
                    name,
                    first,
                    count,
                });
            }
            face.parts.push(FacePart { body_part, model_index, model, meshes });
        }
        Ok(face)
    }

    /// Meshes of all parts, in the order of their vertices.
    pub fn meshes(&self) -> impl Iterator<Item = &FaceMesh> {
        self.parts.iter().flat_map(|part| &part.meshes)
    }

    /// Adds a mesh's vertices to the row; the first one's place.
    fn append(&mut self, pool: &[Vertex], range: Range, mesh: &Mesh, name: &str) -> ReadResult<usize> {
        let slice = usize::try_from(range.first)
            .ok()
            .zip(usize::try_from(range.count).ok())
            .and_then(|(first, count)| pool.get(first..first.checked_add(count)?));
        let slice = slice.ok_or_else(|| {
            ReadError::new(
                format!("vertices of mesh '{name}'"),
                mesh.offset + 8,
                format!("{} vertices from {}", range.count, range.first),
                format!("{} in the VVD", pool.len()),
            )
        })?;
        if self.stored.len() + slice.len() > (pool.len() * POOL_LIMIT).max(ALWAYS) {
            return Err(ReadError::new(
                format!("vertices of mesh '{name}'"),
                mesh.offset + 8,
                format!("meshes that together take the VVD's {} vertices once", pool.len()),
                format!("{} so far", self.stored.len() + slice.len()),
            ));
        }
        let first = self.stored.len();
        self.stored.extend_from_slice(slice);
        self.rest.positions.extend(slice.iter().map(|vertex| vertex.position));
        self.rest.normals.extend(slice.iter().map(|vertex| vertex.normal));
        self.rest.tangents.extend(slice.iter().filter_map(|vertex| vertex.tangent));
        self.rest.wrinkle.resize(self.stored.len(), 0.0);
        self.rest.flexed.resize(self.stored.len(), false);
        Ok(first)
    }
}

/// The model a body number picks: (number / base) modulo the number of models.
pub fn chosen(part: &BodyPart, body: u32) -> Option<usize> {
    let base = u32::try_from(part.base).unwrap_or(1).max(1);
    (body / base).checked_rem(part.models.len() as u32).map(|index| index as usize)
}

/// A run of vertices in the pool of a level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// First vertex.
    pub first: i64,
    /// Number of vertices.
    pub count: i64,
}

/// Where each mesh's vertices lie in the pool. At the finest level of detail the file says so; at a
/// coarser one as the root, meshes keep their order and close up. `[I]`
#[derive(Debug, Clone)]
pub struct Layout(Vec<Vec<Vec<Range>>>);

impl Layout {
    /// The layout at a level of detail.
    pub fn new(mdl: &Mdl, lod: usize) -> Self {
        let mut next = 0;
        let mut range = |model: &Model, mesh: &Mesh| {
            if lod == 0 {
                let first =
                    i64::from(model.vertex_index) / VERTEX_SIZE as i64 + i64::from(mesh.vertex_offset);
                return Range { first, count: i64::from(mesh.vertex_count) };
            }
            let count = i64::from(mesh.lod_vertex_counts.get(lod).copied().unwrap_or(0));
            next += count;
            Range { first: next - count, count }
        };
        let mut model = |model: &Model| model.meshes.iter().map(|mesh| range(model, mesh)).collect();
        Self(mdl.body_parts.iter().map(|part| part.models.iter().map(&mut model).collect()).collect())
    }

    /// The run of a mesh of the model that was laid out.
    pub fn range(&self, body_part: usize, model: usize, mesh: usize) -> Range {
        self.0[body_part][model][mesh]
    }
}

/// A mesh's flexes, vertices counted from `first` in the row; only the `active` first vertices move.
fn flexes(mdl: &Mdl, mesh: &Mesh, deltas: DeltaReader, first: usize, active: usize) -> Vec<FaceFlex> {
    let desc = |index: i32| usize::try_from(index).ok().filter(|&at| at < mdl.flexdescs.len());
    let decode = |flex: &Flex| {
        let anims = flex.anims.iter().filter(|anim| usize::from(anim.index) < active);
        anims
            .map(|anim| FaceAnim {
                vertex: first + usize::from(anim.index),
                speed: f32::from(anim.speed) / 255.0,
                side: f32::from(anim.side) / 255.0,
                delta: deltas.values(anim.delta),
                normal_delta: deltas.values(anim.normal_delta),
                wrinkle: deltas.wrinkle(anim.wrinkle_delta),
            })
            .collect()
    };
    let known = mesh.flexes.iter().filter_map(|flex| Some((desc(flex.flexdesc)?, flex)));
    known
        .map(|(flexdesc, flex)| FaceFlex {
            flexdesc,
            pair: if flex.pair == 0 { None } else { desc(flex.pair) },
            targets: flex.targets,
            anims: decode(flex),
        })
        .collect()
}
