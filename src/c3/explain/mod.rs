//! From a pasted Dolphin message to what was executing, what that means, and which entry did it.

use crate::c3::games::Game;
use crate::gekko::message::{Message, MessageKind, messages};

pub mod access;
pub mod candidates;
mod cause;
mod hit;
mod loops;
mod meaning;
pub mod place;
mod structures;
pub mod suspect;
pub mod verdict;

use access::{Access, Routine};
use place::{Place, Source, Tables};

/// Different messages of one log that are explained; a runaway loop makes as many as one lets it.
const MESSAGE_LIMIT: usize = 32;
/// Where Dolphin's locked cache ends.
pub const LOCKED_CACHE_END: u32 = 0xE004_0000;
/// One message, explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The message.
    pub message: Message,
    /// How often the log has it.
    pub times: usize,
    /// The messages that the same loop went on with.
    pub followed: Option<Followed>,
    /// What was executing, where a table knows.
    pub place: Option<Place>,
    /// The caller, where the message names it and a table knows.
    pub caller: Option<Place>,
    /// Whether a map was given that holds no function there.
    pub not_in_map: bool,
    /// The part of the skinning code, where it is one.
    pub routine: Option<Routine>,
    /// The access, where it is known.
    pub access: Option<Access>,
    /// What it means and what causes it, a sentence each.
    pub meaning: Vec<String>,
}

/// What a log holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explained {
    /// Different messages in the order in which they come first.
    pub explanations: Vec<Explanation>,
    /// Messages that are not among them: there were too many different ones.
    pub left_out: usize,
}

/// Messages that a loop went on with: nobody stops a game that reads past the end, word by word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Followed {
    /// How many.
    pub count: usize,
    /// The last address.
    pub last: u32,
}

/// Farthest from each other that two accesses of one loop lie: the longest kernel. [listing]
const LOOP_SIZE: u32 = 0x220;
/// Farthest that one turn's access lies from the one before: a vertex.
const TURN: u32 = 12;

/// Explains every different message of a log, in the order in which they come first. `pc` is the instruction of
/// messages that name none.
pub fn explain(log: &str, tables: &Tables, pc: Option<u32>) -> Explained {
    let mut explained = Explained::default();
    for message in messages(log) {
        if explained.explanations.last().is_some_and(|last| last.is_restated(&message)) {
            continue;
        }
        let message = Message { pc: message.pc.or(pc), ..message };
        let of = |one: &Explanation| one.is_of(&message) || one.goes_on_with(&message);
        match explained.explanations.iter().position(of) {
            Some(index) => explained.explanations[index].take(&message),
            None if explained.explanations.len() < MESSAGE_LIMIT => {
                explained.explanations.push(Explanation::new(message, tables));
            }
            None => explained.left_out += 1,
        }
    }
    explained
}

impl Explanation {
    fn new(message: Message, tables: &Tables) -> Self {
        let place = message.pc.and_then(|pc| tables.find(pc));
        let caller = message.link.and_then(|link| tables.find(link));
        let not_in_map = message.pc.is_some()
            && tables.has_map()
            && place.as_ref().is_none_or(|place| place.source != Source::Map);
        let routine = place.as_ref().and_then(Place::routine);
        let listed = routine.zip(place.as_ref()).filter(|(routine, place)| routine.is_listed(place.size));
        let access = listed.and_then(|(routine, place)| routine.access(place.offset));
        let mut one = Self {
            message,
            times: 1,
            followed: None,
            place,
            caller,
            not_in_map,
            routine,
            access,
            meaning: Vec::new(),
        };
        one.meaning = meaning::of(&one);
        one
    }

    /// The game whose code was executing, where a built-in table knows.
    pub fn game(&self) -> Option<Game> {
        self.place.as_ref().and_then(Place::game)
    }

    /// Whether a kernel's loop ran off the end of Dolphin's locked cache, at its first access past it or later.
    pub fn runs_off(&self) -> bool {
        (LOCKED_CACHE_END..0xE100_0000).contains(&self.message.address)
            && self.message.kind != MessageKind::Transfer
    }

    /// Whether a message says once more, in other words, which transfer failed: of one, Dolphin says first where
    /// and then how much. \[machine.md A2\]
    fn is_restated(&self, next: &Message) -> bool {
        let (kind, address) = (self.message.kind, self.message.address);
        kind == MessageKind::Transfer
            && (next.kind, next.address) == (kind, address)
            && self.message.pc.is_some()
            && next.pc.is_none()
    }

    fn is_of(&self, other: &Message) -> bool {
        let key = |message: &Message| (message.address, message.pc, message.kind);
        key(&self.message) == key(other)
    }

    /// Whether a message is the next of a loop that this one began.
    fn goes_on_with(&self, next: &Message) -> bool {
        let last = self.followed.map_or(self.message.address, |followed| followed.last);
        let step = next.address.wrapping_sub(last);
        let near = |(one, other): (u32, u32)| one.abs_diff(other) < LOOP_SIZE;
        next.kind == self.message.kind
            && (0xE000_0000..0xE100_0000).contains(&last)
            && step <= TURN
            && self.message.pc.zip(next.pc).is_some_and(near)
    }

    fn take(&mut self, message: &Message) {
        if self.is_of(message) {
            self.times += 1;
        } else {
            let count = self.followed.map_or(0, |followed| followed.count) + 1;
            self.followed = Some(Followed { count, last: message.address });
        }
    }
}
