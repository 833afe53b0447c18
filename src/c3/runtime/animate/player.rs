//! An actor played frame after frame: tick, then build, as the game's frame does it.

use super::{Bank, Ease, TickError};
use crate::bytes::ReadResult;
use crate::c3::runtime::pose::{Actor, Pose};

/// How a sequence is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Play {
    /// Number of the sequence in the bank.
    pub sequence: usize,
    /// Every bone's clock at the first tick.
    pub start: f32,
    /// What each tick adds to the clocks.
    pub speed: f32,
    /// Which ease curve.
    pub ease: Ease,
}

/// An actor at rest or playing a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Player {
    /// The actor.
    pub actor: Actor,
    playing: Option<(Bank, Ease)>,
}

impl Player {
    /// An actor that stays as it is.
    pub fn rest(actor: Actor) -> Self {
        Self { actor, playing: None }
    }

    /// An actor bound to a sequence.
    ///
    /// # Errors
    /// When the sequence is not in the bank.
    pub fn animated(mut actor: Actor, bank: Bank, play: Play) -> ReadResult<Self> {
        actor.bind(&bank, play.sequence, play.start)?;
        actor.set_speed(play.speed);
        Ok(Self { actor, playing: Some((bank, play.ease)) })
    }

    /// Whether a sequence is playing.
    pub fn is_animated(&self) -> bool {
        self.playing.is_some()
    }

    /// The next frame: every bone's track is sampled and its clock advanced, then the matrices are built.
    ///
    /// # Errors
    /// When a track cannot be sampled.
    pub fn frame(&mut self) -> Result<Pose, Box<TickError>> {
        if let Some((bank, ease)) = &mut self.playing {
            self.actor.tick(bank, *ease)?;
        }
        Ok(self.actor.build())
    }
}
