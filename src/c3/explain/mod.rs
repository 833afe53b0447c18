//! From a pasted Dolphin message to what was executing, what that means, and which entry did it.

use crate::c3::games::Game;
use crate::gekko::executable::SymbolTable;
use crate::gekko::message::{Message, MessageKind, messages};

pub mod access;
pub mod candidates;

use access::{Access, Routine};

/// Different messages of one log that are explained; a runaway loop makes as many as one lets it.
const MESSAGE_LIMIT: usize = 32;
/// Where Dolphin's locked cache ends.
pub const LOCKED_CACHE_END: u32 = 0xE004_0000;
/// The read at which Super Sluggers stops when no bone owns a rigid submesh. \[JAWS\]
const UNOWNED_SUBMESH: (u32, u32) = (8, 0x804F_F694);

/// Where a program counter lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Function.
    pub function: String,
    /// Bytes from its first instruction.
    pub offset: u32,
    /// Whose function it is: a game's identifier, or `map`.
    pub source: &'static str,
}

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

/// Explains every different message of a log, in the order in which they come first.
pub fn explain(log: &str, tables: &[(&'static str, SymbolTable)]) -> Explained {
    let mut explained = Explained::default();
    for message in messages(log) {
        let of = |one: &Explanation| one.is_of(&message) || one.goes_on_with(&message);
        match explained.explanations.iter().position(of) {
            Some(index) => explained.explanations[index].take(&message),
            None if explained.explanations.len() < MESSAGE_LIMIT => {
                explained.explanations.push(explanation(message, tables));
            }
            None => explained.left_out += 1,
        }
    }
    explained
}

impl Explanation {
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
            && runs_off(last)
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

/// The built-in tables: one game's, or every game's.
pub fn built_in(game: Option<Game>) -> Vec<(&'static str, SymbolTable)> {
    let games = Game::ALL.into_iter().filter(|one| game.is_none_or(|game| game == *one));
    games.map(|game| (game.id(), game.symbols())).collect()
}

fn explanation(message: Message, tables: &[(&'static str, SymbolTable)]) -> Explanation {
    let place = message.pc.and_then(|pc| {
        tables.iter().find_map(|(source, table)| {
            let (symbol, offset) = table.find(pc)?;
            Some(Place { function: symbol.name.clone(), offset, source })
        })
    });
    let routine = place.as_ref().and_then(|place| Routine::named(&place.function));
    let access = routine.zip(place.as_ref()).and_then(|(routine, place)| routine.access(place.offset));
    let meaning = meaning(&message, routine, access);
    Explanation { message, times: 1, followed: None, place, routine, access, meaning }
}

fn meaning(message: &Message, routine: Option<Routine>, access: Option<Access>) -> Vec<String> {
    let mut meaning = address_meaning(message.address);
    let cause = match (routine, access) {
        (Some(Routine::OneBone | Routine::TwoBone), Some(Access::NextVertex(_)))
            if runs_off(message.address) =>
        {
            "The loop did not end: an entry of 0 or 1 vertices makes its counter wrap to 2^32 turns. Pad the entry \
             to 3 vertices by repeating its first (`skinsim repair`)."
        }
        (Some(Routine::Accumulate), Some(Access::NextVertex(_) | Access::Index | Access::Weight))
            if runs_off(message.address) =>
        {
            "The loop did not end: an SKAcc entry of 0 vertices makes its counter wrap to 2^32 turns. Remove the entry."
        }
        (
            Some(Routine::OneBone | Routine::TwoBone | Routine::Accumulate),
            Some(Access::Matrix | Access::SecondMatrix),
        ) => "The bone has no matrix there: the entry's bone number is not below the skeleton's bone count.",
        (Some(Routine::Accumulate), Some(Access::Destination | Access::Store)) => {
            "A destination index or base of an SKAcc entry leads outside memory."
        }
        (Some(Routine::Draw), Some(Access::StateList)) => {
            "The display-state list was overwritten: the store of an SK1 or SK2 entry moves whole cache lines, and \
             its last one reached the list behind the position array. Reserve the array up to the end of the last \
             stored line (`skinsim repair`)."
        }
        (Some(Routine::Draw), _) => {
            "A structure that the display code reads in every frame was overwritten or never right: run `skinsim \
             check` on the model."
        }
        (Some(Routine::Clear), _) => "The clear range leads outside memory.",
        (Some(Routine::Flush), _) => "A flush index leads outside memory.",
        _ if message.kind == MessageKind::Transfer && message.pc.is_none() => {
            "A transfer of the locked cache names memory that does not exist: CopyToEmu would store an entry's results, \
             CopyFromEmu load its source, weights or indices. The message before it names the instruction."
        }
        _ if message.kind == MessageKind::Transfer => {
            "A transfer of the locked cache names memory that does not exist: an entry's source, weights, indices or \
             destination leads outside the model."
        }
        (Some(Routine::Transfer), _) => "An array of an entry leads outside memory.",
        _ if (message.address, message.pc.unwrap_or(0)) == UNOWNED_SUBMESH => {
            "No bone owns a rigid submesh: every submesh but the skinned one needs a bone whose GEO ID names it."
        }
        _ => return meaning,
    };
    meaning.push(cause.to_owned());
    meaning
}

fn runs_off(address: u32) -> bool {
    (0xE000_0000..0xE100_0000).contains(&address)
}

fn address_meaning(address: u32) -> Vec<String> {
    let words = match address {
        LOCKED_CACHE_END => {
            "0xe0040000 is where the 256 KiB end that Dolphin keeps for the locked cache. A console's ends at 0xe0004000."
        }
        0xE000_0000..0xE100_0000 => "The address lies in the block of the locked cache.",
        0..0x1000 => "The address is a null pointer, or a field of a structure at a null pointer.",
        _ => return Vec::new(),
    };
    vec![words.to_owned()]
}
