//! What is computed once, at load: the bones in their order and the inverse of the pose they were bound in.

use super::control::{build, build_inverse};
use super::matrix::Matrix;
use super::{Library, LoadOptions, Order};
use crate::bytes::ReadResult;
use crate::c3::format::act::{Act, Control, NO_OBJECT, Visit};

/// A bone as the runtime keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bone {
    /// Number of its record in the file.
    pub record: usize,
    /// Bone id: what tracks name.
    pub id: u16,
    /// Place of the parent in the bone array.
    pub parent: Option<usize>,
    /// The submesh that it carries, if it owns one.
    pub display_object: Option<u16>,
    /// Whether it follows its parent.
    pub inherits: bool,
    /// Its own transform.
    pub control: Control,
}

/// A loaded skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    /// The bone array: what skinning entries and all matrix lists index.
    pub bones: Vec<Bone>,
    /// The array's places in the order of the walk, parents first.
    pub walk: Vec<usize>,
    /// Whether skin matrices are built.
    pub has_skin: bool,
    /// Per bone, what undoes the pose it was bound in.
    pub orientation_inverse: Vec<Matrix>,
    /// Bones whose inverse hangs on memory that the library never wrote: nobody can know it, and the
    /// identity stands in for the missing matrix.
    pub undefined: Vec<usize>,
    /// Which library builds the matrices.
    pub library: Library,
}

impl Skeleton {
    /// Loads a skeleton as the library does.
    ///
    /// # Errors
    /// When the library would refuse the file (version, number of bones), or when links or controls
    /// do not lie in it.
    pub fn load(act: &Act, options: &LoadOptions) -> ReadResult<Self> {
        act.require_version()?;
        let visits = act.walk()?;
        let place = |visit: usize| match options.order {
            Order::PreOrder => visit,
            Order::Table => visits[visit].record,
        };
        let walk: Vec<usize> = (0..visits.len()).map(place).collect();
        let mut by_place: Vec<(usize, &Visit)> = walk.iter().copied().zip(&visits).collect();
        by_place.sort_by_key(|&(place, _)| place);
        let bones = by_place
            .into_iter()
            .map(|(_, visit)| {
                let record = &act.bones[visit.record];
                Ok(Bone {
                    record: visit.record,
                    id: record.id,
                    parent: visit.parent.map(place),
                    display_object: (record.display_object != NO_OBJECT).then_some(record.display_object),
                    inherits: record.inherits(),
                    control: act.control(record)?,
                })
            })
            .collect::<ReadResult<Vec<Bone>>>()?;
        let mut skeleton = Self {
            orientation_inverse: vec![Matrix::IDENTITY; bones.len()],
            bones,
            walk,
            has_skin: options.skin.unwrap_or(act.has_skin()),
            undefined: Vec::new(),
            library: options.library,
        };
        if skeleton.has_skin {
            skeleton.invert_orientations();
        }
        Ok(skeleton)
    }

    /// The walk keeps one matrix a list of siblings and assigns it at inheriting bones only, so children
    /// of another bone get what an earlier sibling of their parent left there, or nothing at all.
    /// \[listing\]
    fn invert_orientations(&mut self) {
        // By list of siblings: [0] the roots, [n + 1] the children of n. `None` was never written.
        let mut lists: Vec<Option<Matrix>> = vec![None; self.bones.len() + 1];
        // Places whose matrix comes from such a list.
        let mut undefined = vec![false; self.bones.len() + 1];
        for &place in &self.walk {
            let bone = &self.bones[place];
            if !bone.inherits {
                self.orientation_inverse[place] = build_inverse(&bone.control);
                continue;
            }
            let list = bone.parent.map_or(0, |parent| parent + 1);
            let (incoming, from_nothing) = match bone.parent {
                None => (Matrix::IDENTITY, false),
                Some(parent) => {
                    let parents_list = self.bones[parent].parent.map_or(0, |above| above + 1);
                    let incoming = lists[parents_list];
                    (incoming.unwrap_or(Matrix::IDENTITY), incoming.is_none() || undefined[parents_list])
                }
            };
            let orientation = incoming.concat(&build(&bone.control, self.library));
            lists[list] = Some(orientation);
            undefined[list] = from_nothing;
            if from_nothing {
                self.undefined.push(place);
            }
            if let Some(inverse) = orientation.inverse() {
                self.orientation_inverse[place] = inverse;
            }
        }
        self.undefined.sort_unstable();
    }
}
