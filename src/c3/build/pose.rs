//! Where a character's bones stand at a moment of an animation, in double precision.

use super::character::{Animation, Bone, Channel, Curve, Rest, Track};
use crate::affine::{Affine, Trs, normalized};

impl<const N: usize> Channel<N> {
    /// The keys around a time and how far it lies between them; before the first and behind the last key
    /// the value stays.
    fn around(&self, time: f64) -> Option<(&[f64; N], &[f64; N], f64)> {
        let after = self.keys.partition_point(|(key, _)| *key <= time);
        let (start, p) = self.keys.get(after.saturating_sub(1))?;
        match self.keys.get(after) {
            Some((end, q)) if after > 0 => Some((p, q, (time - start) / (end - start))),
            _ => Some((p, p, 0.0)),
        }
    }
}

impl Channel<3> {
    /// The value at a time.
    pub fn at(&self, time: f64) -> Option<[f64; 3]> {
        let (p, q, u) = self.around(time)?;
        Some(match self.curve {
            Curve::Step => *p,
            Curve::Linear => std::array::from_fn(|axis| p[axis] + u * (q[axis] - p[axis])),
        })
    }
}

impl Channel<4> {
    /// The rotation at a time, the short way round.
    pub fn at(&self, time: f64) -> Option<[f64; 4]> {
        let (p, q, u) = self.around(time)?;
        Some(match self.curve {
            Curve::Step => *p,
            Curve::Linear => slerp(*p, *q, u),
        })
    }
}

fn slerp(p: [f64; 4], q: [f64; 4], u: f64) -> [f64; 4] {
    let dot: f64 = p.iter().zip(q).map(|(a, b)| a * b).sum();
    let sign = if dot < 0.0 { -1.0 } else { 1.0 };
    let angle = dot.abs().min(1.0).acos();
    let (a, b) = if angle < 1e-9 {
        (1.0 - u, u)
    } else {
        (((1.0 - u) * angle).sin() / angle.sin(), (u * angle).sin() / angle.sin())
    };
    normalized(std::array::from_fn(|part| a * p[part] + sign * b * q[part]))
}

impl Track {
    /// The transform at a time.
    pub fn at(&self, time: f64) -> Affine {
        let Rest::Components(rest) = self.rest else { return self.rest.affine() };
        let translation = self.translation.as_ref().and_then(|channel| channel.at(time));
        let rotation = self.rotation.as_ref().and_then(|channel| channel.at(time));
        let scale = self.scale.as_ref().and_then(|channel| channel.at(time));
        Trs {
            translation: translation.unwrap_or(rest.translation),
            rotation: rotation.unwrap_or(rest.rotation),
            scale: scale.unwrap_or(rest.scale),
        }
        .affine()
    }

    /// The times of all keys, ascending.
    pub fn times(&self) -> Vec<f64> {
        fn of<const N: usize>(channel: Option<&Channel<N>>) -> impl Iterator<Item = f64> + '_ {
            channel.into_iter().flat_map(|channel| channel.keys.iter().map(|(time, _)| *time))
        }
        let mut times: Vec<f64> = of(self.translation.as_ref())
            .chain(of(self.rotation.as_ref()))
            .chain(of(self.scale.as_ref()))
            .collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }
}

/// Every bone's transform to the scene, given each one's transform to its parent.
pub fn globals(bones: &[Bone], local: impl Fn(usize) -> Affine) -> Vec<Affine> {
    let mut globals: Vec<Affine> = Vec::with_capacity(bones.len());
    for (index, bone) in bones.iter().enumerate() {
        let above = bone.parent.map_or(Affine::IDENTITY, |parent| globals[usize::from(parent)]);
        globals.push(above.after(&local(index)));
    }
    globals
}

/// Every bone's skin matrix at a time; the identity where the rest pose flattens space.
pub fn skin(bones: &[Bone], animation: &Animation, time: f64) -> Vec<Affine> {
    let mut tracks: Vec<Option<&Track>> = vec![None; bones.len()];
    for track in &animation.tracks {
        tracks[usize::from(track.bone)] = Some(track);
    }
    let posed =
        globals(bones, |bone| tracks[bone].map_or(bones[bone].local.affine(), |track| track.at(time)));
    let rest = globals(bones, |bone| bones[bone].local.affine());
    posed
        .iter()
        .zip(&rest)
        .map(|(posed, rest)| rest.inverse().map_or(Affine::IDENTITY, |inverse| posed.after(&inverse)))
        .collect()
}
