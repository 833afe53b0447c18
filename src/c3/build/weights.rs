//! Weights: from what a file gives to 256 units shared among allowed bones.

use std::collections::BTreeSet;

use super::character::{Bone, Vertex};
use super::error::{BuildError, BuildResult, Notes};

/// What a vertex's weights sum to. \[seed 003\]
pub const WHOLE: u16 = 256;

/// Largest distance of a file's weights from a sum of 1 that is taken for rounding.
const SUM_ROUNDING: f64 = 0.01;

/// The bones that a skin may use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Allowed {
    /// Every bone.
    #[default]
    All,
    /// These, and bones from a number on: what a donor's skin uses, and bones added behind its own.
    Donor {
        /// Bones that the donor's skin uses.
        skinned: BTreeSet<u16>,
        /// Number of the donor's bones.
        bones: u16,
    },
}

impl Allowed {
    /// Whether a skin may use a bone.
    pub fn holds(&self, bone: u16) -> bool {
        match self {
            Self::All => true,
            Self::Donor { skinned, bones } => bone >= *bones || skinned.contains(&bone),
        }
    }

    /// The bone itself or its nearest allowed ancestor.
    pub fn nearest(&self, bones: &[Bone], bone: u16) -> Option<u16> {
        std::iter::successors(Some(bone), |&bone| bones.get(usize::from(bone))?.parent)
            .find(|&bone| self.holds(bone))
    }
}

/// The bones of a vertex with their shares of [`WHOLE`], the heaviest first; of equals the lower number.
///
/// The same bone named twice counts once with the sum. Weights that do not sum to 1 are shared out in
/// proportion.
///
/// # Errors
/// When no weight is left; the error names the vertex.
pub fn shares(
    vertex: &Vertex,
    bones: &[Bone],
    allowed: &Allowed,
    notes: &mut Notes,
) -> BuildResult<Vec<(u16, u16)>> {
    let total: f64 = vertex.influences.iter().map(|(_, weight)| weight).sum();
    if total > 0.0 && (total - 1.0).abs() > SUM_ROUNDING {
        notes.add("weights that do not sum to 1 are shared out in proportion", &vertex.origin);
    }
    let mut sums: Vec<(u16, f64)> = Vec::new();
    for &(bone, weight) in vertex.influences.iter().filter(|(_, weight)| *weight > 0.0) {
        let Some(nearest) = allowed.nearest(bones, bone) else {
            let what =
                format!("weights on {} are dropped: no allowed bone above it", bones[usize::from(bone)].name);
            notes.add(what, &vertex.origin);
            continue;
        };
        if nearest != bone {
            let name = |bone: u16| &bones[usize::from(bone)].name;
            let what = format!(
                "weights on {} (bone {bone}) move to {} (bone {nearest}), the nearest that the donor's skin uses",
                name(bone),
                name(nearest)
            );
            notes.add(what, &vertex.origin);
        }
        match sums.iter_mut().find(|(known, _)| *known == nearest) {
            Some((_, sum)) => *sum += weight,
            None => sums.push((nearest, weight)),
        }
    }
    let shares = largest_remainder(&sums);
    if shares.is_empty() {
        return Err(BuildError::new(vertex.origin.to_string(), "at least one bone with weight", "none"));
    }
    Ok(shares)
}

/// Shares of [`WHOLE`] in proportion to weights above 0, none of them 0: each gets the whole units of its
/// exact share, and the units left over go to the largest remainders (of equals to the heavier weight,
/// then to the lower bone). \[seed 003\]
pub fn largest_remainder(weights: &[(u16, f64)]) -> Vec<(u16, u16)> {
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    if !(total > 0.0 && total.is_finite()) {
        return Vec::new();
    }
    let mut parts: Vec<(u16, f64, u16)> = weights
        .iter()
        .map(|&(bone, weight)| {
            let exact = weight / total * f64::from(WHOLE);
            (bone, exact, exact.floor() as u16)
        })
        .collect();
    let given: u16 = parts.iter().map(|(_, _, units)| units).sum();
    parts.sort_by(|(a, x, _), (b, y, _)| {
        let remainder = |exact: &f64| exact - exact.floor();
        remainder(y).total_cmp(&remainder(x)).then(y.total_cmp(x)).then(a.cmp(b))
    });
    let left = usize::from(WHOLE.saturating_sub(given));
    let count = parts.len();
    for n in 0..left {
        parts[n % count].2 += 1;
    }
    let mut shares: Vec<(u16, u16)> = parts.into_iter().map(|(bone, _, units)| (bone, units)).collect();
    shares.retain(|(_, units)| *units > 0);
    shares.sort_by(|(a, x), (b, y)| y.cmp(x).then(a.cmp(b)));
    shares
}

#[cfg(test)]
mod tests {
    use super::super::character::{Origin, Rest};
    use super::*;
    use crate::affine::Trs;
    use proptest::prelude::*;

    fn vertex(influences: &[(u16, f64)]) -> Vertex {
        Vertex {
            position: [0.0; 3],
            normal: [0.0; 3],
            colour: [255; 4],
            texture: None,
            influences: influences.to_vec(),
            origin: Origin { part: "mesh 'a', primitive 0".into(), vertex: 7 },
        }
    }

    /// Bone 0 above 1 above 2, and 3 alone.
    fn bones() -> Vec<Bone> {
        let bone =
            |name: &str, parent| Bone { name: name.into(), parent, local: Rest::Components(Trs::IDENTITY) };
        vec![bone("hips", None), bone("knee", Some(0)), bone("toe", Some(1)), bone("hat", None)]
    }

    #[test]
    fn remainders_decide_who_gets_the_last_units() {
        assert_eq!(largest_remainder(&[(4, 1.0), (2, 1.0), (9, 1.0)]), [(2, 86), (4, 85), (9, 85)]);
        assert_eq!(largest_remainder(&[(0, 0.999), (1, 0.001)]), [(0, 256)]);
        assert_eq!(largest_remainder(&[(0, 0.5), (1, 0.0)]), [(0, 256)]);
        assert!(largest_remainder(&[]).is_empty());
    }

    #[test]
    fn a_bone_named_twice_counts_once_and_a_short_sum_is_shared_out() {
        let mut notes = Notes::default();
        let shares =
            shares(&vertex(&[(1, 0.1), (0, 0.1), (1, 0.2)]), &bones(), &Allowed::All, &mut notes).unwrap();
        assert_eq!(shares, [(1, 192), (0, 64)]);
        assert!(notes.sentences().next().unwrap().starts_with("weights that do not sum to 1"));
    }

    #[test]
    fn a_bone_that_the_donor_does_not_skin_gives_its_weight_to_the_nearest_above() {
        let allowed = Allowed::Donor { skinned: BTreeSet::from([0]), bones: 4 };
        let mut notes = Notes::default();
        let moved = shares(&vertex(&[(2, 0.5), (0, 0.5)]), &bones(), &allowed, &mut notes).unwrap();
        assert_eq!(moved, [(0, 256)]);
        assert_eq!(
            notes.sentences().next().unwrap(),
            "weights on toe (bone 2) move to hips (bone 0), the nearest that the donor's skin uses: \
             mesh 'a', primitive 0, vertex 7"
        );
        let error = shares(&vertex(&[(3, 1.0)]), &bones(), &allowed, &mut notes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "mesh 'a', primitive 0, vertex 7: want at least one bone with weight, have none"
        );
    }

    #[test]
    fn bones_added_behind_the_donors_are_allowed() {
        let allowed = Allowed::Donor { skinned: BTreeSet::from([0]), bones: 3 };
        assert!(allowed.holds(3) && !allowed.holds(2));
    }

    proptest! {
        #[test]
        fn shares_sum_to_the_whole_and_stay_within_a_unit(
            weights in proptest::collection::vec(1e-6..1.0f64, 1..20),
        ) {
            let weights: Vec<(u16, f64)> = (0..).zip(weights).collect();
            let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
            let shares = largest_remainder(&weights);
            prop_assert_eq!(shares.iter().map(|(_, units)| units).sum::<u16>(), WHOLE);
            for (bone, weight) in weights {
                let units = shares.iter().find(|(known, _)| *known == bone).map_or(0, |(_, units)| *units);
                prop_assert!((f64::from(units) - weight / total * 256.0).abs() < 1.0);
            }
        }
    }
}
