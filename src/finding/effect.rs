//! What a broken rule does on one target.

use schemars::JsonSchema;
use serde::Serialize;

/// What a broken rule does on one target. In JSON `kind` with `what`, the words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(into = "Told")]
pub enum Effect {
    /// Nothing: the frames went through it and show none.
    None,
    /// None that is shown, and no frame could have: it proves nothing harmless.
    Unshown(Unshown, String),
    /// Wrong vertices: which, by how much.
    WrongOutput(String),
    /// Bytes of a neighbouring structure are overwritten: which.
    Overwrites(String),
    /// A fault: its message.
    Faults(String),
    /// Memory the graphics processor reads before the cache wrote it back.
    Stale(String),
}

/// Why no frame shows an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unshown {
    /// Every frame faults before the game comes to it.
    NotReached,
    /// Every frame ends with a fault before its output can be compared.
    EndedEarly,
    /// No frame could be run.
    NoFrame,
    /// Frames do not do what the finding is about.
    NotExercised,
}

impl Effect {
    /// The words of [`Effect::None`].
    pub const NONE_SHOWN: &str = "no effect shown";

    /// The finding lies behind this fault in the frame.
    pub fn not_reached(fault: &str) -> Self {
        Self::Unshown(
            Unshown::NotReached,
            format!("the game does not reach this, it faults before: {}", one_line(fault)),
        )
    }

    /// This fault ends every frame before its output can be compared.
    pub fn ended_early(fault: &str) -> Self {
        Self::Unshown(
            Unshown::EndedEarly,
            format!("none shown before the frame ends with a fault: {}", one_line(fault)),
        )
    }

    /// No frame could be run, for this reason.
    pub fn no_frame(reason: &str) -> Self {
        Self::Unshown(Unshown::NoFrame, format!("no frame could be run: {reason}"))
    }

    /// Frames do not do what the finding is about, as this sentence says.
    pub fn not_exercised(why: impl Into<String>) -> Self {
        Self::Unshown(Unshown::NotExercised, why.into())
    }

    /// How bad it is: a fault before bytes of another structure, wrong vertices, late ones, and what no frame shows.
    pub fn rank(&self) -> u8 {
        match self {
            Effect::None => 0,
            Effect::Unshown(..) => 1,
            Effect::Stale(_) => 2,
            Effect::WrongOutput(_) => 3,
            Effect::Overwrites(_) => 4,
            Effect::Faults(_) => 5,
        }
    }

    /// Whether it does harm: an effect that is none, or that nothing shows, does not.
    pub fn is_harm(&self) -> bool {
        !matches!(self, Effect::None | Effect::Unshown(..))
    }
}

/// A fault's message without the gap before its place in the code.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The kinds of effects that reports tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    /// None that a frame shows; `because` where that does not mean harmless.
    None,
    /// Wrong vertices.
    WrongOutput,
    /// Another structure is overwritten.
    Overwrites,
    /// A fault.
    Faults,
    /// Old memory is drawn.
    Stale,
}

/// An effect as reports tell it.
#[derive(Debug, Serialize, JsonSchema)]
struct Told {
    /// What kind of effect.
    kind: Kind,
    /// The effect in words.
    what: String,
    /// Why no frame shows an effect, where that does not mean that there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<Unshown>,
}

impl From<Effect> for Told {
    fn from(effect: Effect) -> Self {
        let told = |kind, what| Self { kind, what, because: None };
        match effect {
            Effect::None => told(Kind::None, Effect::NONE_SHOWN.to_owned()),
            Effect::Unshown(because, what) => Self { because: Some(because), ..told(Kind::None, what) },
            Effect::WrongOutput(what) => told(Kind::WrongOutput, what),
            Effect::Overwrites(what) => told(Kind::Overwrites, what),
            Effect::Faults(what) => told(Kind::Faults, what),
            Effect::Stale(what) => told(Kind::Stale, what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_has_its_kind_and_words() {
        let json = |effect: Effect| serde_json::to_value(effect).unwrap();
        assert_eq!(json(Effect::None), serde_json::json!({ "kind": "none", "what": "no effect shown" }));
        assert_eq!(
            json(Effect::Stale("2 slots".to_owned())),
            serde_json::json!({ "kind": "stale", "what": "2 slots" })
        );
        assert_eq!(
            json(Effect::not_reached("Invalid read   (one-bone kernel +0xb8)")),
            serde_json::json!({
                "kind": "none",
                "what": "the game does not reach this, it faults before: Invalid read (one-bone kernel +0xb8)",
                "because": "not-reached",
            })
        );
    }

    #[test]
    fn what_no_frame_shows_is_no_harm() {
        assert!(!Effect::None.is_harm() && !Effect::no_frame("there is no SKN").is_harm());
        assert!(Effect::Faults(String::new()).is_harm());
    }
}
