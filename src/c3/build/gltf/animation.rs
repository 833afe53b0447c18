//! Animations: channels of the nodes that are bones, cubic splines as straight pieces.

use std::collections::BTreeMap;

use gltf::animation::{Interpolation, Property};

use super::accessor::Accessors;
use super::nodes::Nodes;
use super::skeleton::{Skeleton, prefixed};
use crate::affine::{Trs, normalized};
use crate::c3::build::character::{Animation, Channel, Curve, Rest, Track};
use crate::c3::build::error::{BuildError, BuildResult, Notes};

/// Largest distance of a straight piece from the cubic spline it stands for, in parts of the range of
/// the channel's values.
const SPLINE_ERROR: f64 = 1e-4;
/// How often a piece of a spline is halved at most.
const SPLINE_DEPTH: u32 = 9;

/// Which nodes any animation moves.
pub fn animated(document: &gltf::Document) -> Vec<bool> {
    let mut animated = vec![false; document.nodes().count()];
    for channel in document.animations().flat_map(|animation| animation.channels().collect::<Vec<_>>()) {
        if channel.target().property() != Property::MorphTargetWeights {
            animated[channel.target().node().index()] = true;
        }
    }
    animated
}

/// Reads the animations of the bones.
///
/// # Errors
/// When a channel's times do not ascend or its values do not match them.
pub fn read(
    document: &gltf::Document,
    accessors: &mut Accessors,
    nodes: &Nodes,
    skeleton: &Skeleton,
    notes: &mut Notes,
) -> BuildResult<Vec<Animation>> {
    let mut animations = Vec::new();
    for animation in document.animations() {
        let name = animation.name().map_or_else(|| format!("animation {}", animation.index()), str::to_owned);
        let mut reader = Reader { accessors, skeleton, notes, tracks: BTreeMap::new(), end: 0.0 };
        if !skeleton.stands_at_rest {
            for bone in 0..skeleton.rest.len() as u16 {
                reader.track(bone);
            }
        }
        for channel in animation.channels() {
            reader.channel(&channel, &name, nodes)?;
        }
        let tracks: Vec<Track> = reader.tracks.into_values().collect();
        if !tracks.is_empty() {
            animations.push(Animation { name, duration: reader.end, tracks });
        }
    }
    if !skeleton.stands_at_rest {
        animations.push(standing(skeleton));
        notes.add(
            "the nodes do not stand where the skin binds them: the bind pose is the rest pose, and the \
             nodes' own pose is the animation 'rest pose'",
            "",
        );
    }
    Ok(animations)
}

/// The pose in which the nodes stand, as an animation of one moment.
fn standing(skeleton: &Skeleton) -> Animation {
    let track = |(bone, rest): (u16, &Rest)| Track {
        bone,
        rest: *rest,
        translation: None,
        rotation: None,
        scale: None,
    };
    Animation {
        name: "rest pose".to_owned(),
        duration: 0.0,
        tracks: (0..).zip(&skeleton.stand).map(track).collect(),
    }
}

struct Reader<'r, 'f> {
    accessors: &'r mut Accessors<'f>,
    skeleton: &'r Skeleton,
    notes: &'r mut Notes,
    tracks: BTreeMap<u16, Track>,
    end: f64,
}

impl Reader<'_, '_> {
    fn track(&mut self, bone: u16) -> &mut Track {
        let rest = self.skeleton.stand[usize::from(bone)];
        self.tracks.entry(bone).or_insert(Track {
            bone,
            rest,
            translation: None,
            rotation: None,
            scale: None,
        })
    }

    fn channel(&mut self, channel: &gltf::animation::Channel, name: &str, nodes: &Nodes) -> BuildResult<()> {
        let (node, property) = (channel.target().node().index(), channel.target().property());
        let place = format!("animation '{name}', {}", nodes.names[node]);
        if property == Property::MorphTargetWeights {
            self.notes.add("animated morph weights are left out: a bank moves bones only", place);
            return Ok(());
        }
        let times = self.times(channel, &place)?;
        self.end = self.end.max(times.last().copied().unwrap_or(0.0));
        let Some(&bone) = self.skeleton.bones.get(&node) else {
            self.notes.add("animated nodes that are not bones are left out", place);
            return Ok(());
        };
        let prefix = self.skeleton.prefixes[usize::from(bone)];
        let moved = |part: Trs| prefixed(&prefix, &part);
        match property {
            Property::Translation => {
                let channel = self.keys::<3>(channel, &times, &place)?;
                let placed = |translation| moved(Trs { translation, ..Trs::IDENTITY }).translation;
                self.track(bone).translation = Some(map(channel, placed));
            }
            Property::Rotation => {
                let mut channel = self.keys::<4>(channel, &times, &place)?;
                channel.keys.iter_mut().for_each(|(_, value)| *value = normalized(*value));
                let placed = |rotation| moved(Trs { rotation, ..Trs::IDENTITY }).rotation;
                self.track(bone).rotation = Some(map(channel, placed));
            }
            Property::Scale | Property::MorphTargetWeights => {
                let channel = self.keys::<3>(channel, &times, &place)?;
                let placed = |scale| moved(Trs { scale, ..Trs::IDENTITY }).scale;
                self.track(bone).scale = Some(map(channel, placed));
            }
        }
        Ok(())
    }

    fn times(&mut self, channel: &gltf::animation::Channel, place: &str) -> BuildResult<Vec<f64>> {
        let rows = self.accessors.rows::<1>(&channel.sampler().input(), &format!("{place}, times"))?;
        let times: Vec<f64> = rows.into_iter().map(|[time]| time).collect();
        if times.is_empty() {
            return Err(BuildError::new(place, "at least one key", "none"));
        }
        let falls = times.windows(2).find(|pair| pair[1] <= pair[0]);
        match falls {
            Some(pair) => {
                let have = format!("{} after {}", pair[1], pair[0]);
                Err(BuildError::new(place, "times that ascend", have))
            }
            None if times[0] < 0.0 => {
                Err(BuildError::new(place, "times of 0 or more", format!("{}", times[0])))
            }
            None => Ok(times),
        }
    }

    fn keys<const N: usize>(
        &mut self,
        channel: &gltf::animation::Channel,
        times: &[f64],
        place: &str,
    ) -> BuildResult<Channel<N>> {
        let sampler = channel.sampler();
        let rows = self.accessors.rows::<N>(&sampler.output(), &format!("{place}, values"))?;
        let cubic = sampler.interpolation() == Interpolation::CubicSpline;
        let want = times.len() * if cubic { 3 } else { 1 };
        if rows.len() != want {
            return Err(BuildError::new(place, format!("{want} values"), format!("{}", rows.len())));
        }
        let curve = match sampler.interpolation() {
            Interpolation::Step => Curve::Step,
            _ => Curve::Linear,
        };
        let keys = if cubic { spline(times, &rows) } else { times.iter().copied().zip(rows).collect() };
        Ok(Channel { curve, keys })
    }
}

fn map<const N: usize>(channel: Channel<N>, to: impl Fn([f64; N]) -> [f64; N]) -> Channel<N> {
    let keys = channel.keys.into_iter().map(|(time, value)| (time, to(value))).collect();
    Channel { curve: channel.curve, keys }
}

/// Straight pieces that stay within [`SPLINE_ERROR`] of a cubic spline, whose rows are in-tangent, value
/// and out-tangent in turn.
fn spline<const N: usize>(times: &[f64], rows: &[[f64; N]]) -> Vec<(f64, [f64; N])> {
    let values = || rows.iter().skip(1).step_by(3);
    let spread = |part: usize| {
        let (least, most) = values().fold((f64::MAX, f64::MIN), |(least, most), value| {
            (least.min(value[part]), most.max(value[part]))
        });
        most - least
    };
    let tolerance = SPLINE_ERROR * (0..N).map(spread).fold(1e-9, f64::max);
    let mut keys = vec![(times[0], rows[1])];
    for (n, pair) in times.windows(2).enumerate() {
        let piece = Piece { start: pair[0], span: pair[1] - pair[0], rows: &rows[3 * n + 1..3 * n + 5] };
        piece.halve((0.0, 1.0), SPLINE_DEPTH, tolerance, &mut keys);
    }
    keys
}

/// A piece of a spline: value, out-tangent, in-tangent, value.
struct Piece<'r, const N: usize> {
    start: f64,
    span: f64,
    rows: &'r [[f64; N]],
}

impl<const N: usize> Piece<'_, N> {
    fn at(&self, u: f64) -> [f64; N] {
        let (u2, u3) = (u * u, u * u * u);
        let [p, out, into, q] = [0, 1, 2, 3].map(|row| self.rows[row]);
        std::array::from_fn(|part| {
            (2.0 * u3 - 3.0 * u2 + 1.0) * p[part]
                + (u3 - 2.0 * u2 + u) * self.span * out[part]
                + (3.0 * u2 - 2.0 * u3) * q[part]
                + (u3 - u2) * self.span * into[part]
        })
    }

    /// Adds the end of `from..to`, after as many keys before it as straight pieces need.
    fn halve(&self, (from, to): (f64, f64), depth: u32, tolerance: f64, keys: &mut Vec<(f64, [f64; N])>) {
        let (p, q) = (self.at(from), self.at(to));
        let far = [0.25, 0.5, 0.75].into_iter().any(|u| {
            let value = self.at(from + u * (to - from));
            (0..N).any(|part| (p[part] + u * (q[part] - p[part]) - value[part]).abs() > tolerance)
        });
        if far && depth > 0 {
            let middle = f64::midpoint(from, to);
            self.halve((from, middle), depth - 1, tolerance, keys);
            self.halve((middle, to), depth - 1, tolerance, keys);
        } else {
            keys.push((self.start + to * self.span, q));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_pieces_stay_near_the_spline() {
        let rows = [[0.0], [0.0], [9.0], [-4.0], [1.0], [0.0]];
        let keys = spline(&[0.5, 2.5], &rows);
        assert!(keys.len() > 10 && keys.len() <= 513);
        assert_eq!((keys[0], keys[keys.len() - 1]), ((0.5, [0.0]), (2.5, [1.0])));
        let piece = Piece { start: 0.5, span: 2.0, rows: &rows[1..5] };
        for pair in keys.windows(2) {
            let middle = f64::midpoint(pair[0].0, pair[1].0);
            let exact = piece.at((middle - 0.5) / 2.0)[0];
            assert!((f64::midpoint(pair[0].1[0], pair[1].1[0]) - exact).abs() <= 1.1e-4);
        }
    }
}
