//! Where an instruction lies: the tables of functions that are asked, and what they answer.

use super::access::Routine;
use crate::c3::games::Game;
use crate::gekko::executable::{Symbol, SymbolTable};

/// Where a table comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A map that somebody gave.
    Map,
    /// The built-in table of a game.
    BuiltIn(Game),
}

impl Source {
    /// `map`, or the game's identifier.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::BuiltIn(game) => game.id(),
        }
    }
}

/// Where a program counter lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Function.
    pub function: String,
    /// Bytes from its first instruction.
    pub offset: u32,
    /// Its size in bytes; 0 where the table does not say, and then the instruction may lie behind it.
    pub size: u32,
    /// The table that knows it.
    pub source: Source,
    /// Another table's name for a function that this one only numbers.
    pub alias: Option<(String, Source)>,
}

impl Place {
    /// The part of the skinning code, where it is one.
    pub fn routine(&self) -> Option<Routine> {
        let alias = self.alias.as_ref().and_then(|(name, _)| Routine::named(name));
        Routine::named(&self.function).or(alias)
    }

    /// The game whose code it is, where a built-in table knows.
    pub fn game(&self) -> Option<Game> {
        match (self.source, &self.alias) {
            (Source::BuiltIn(game), _) => Some(game),
            (Source::Map, Some((_, Source::BuiltIn(game)))) => Some(*game),
            _ => None,
        }
    }
}

/// Tables of functions, in the order in which they are asked.
#[derive(Debug, Clone, Default)]
pub struct Tables(Vec<(Source, SymbolTable)>);

/// Farthest behind the start of a function of unknown size that an instruction is still taken for one of its own.
const REACH: u32 = 0x1000;

impl Tables {
    /// A map, if there is one, before the built-in tables of one game or of all.
    pub fn new(map: Option<SymbolTable>, game: Option<Game>) -> Self {
        let games = Game::ALL.into_iter().filter(|one| game.is_none_or(|game| game == *one));
        let built_in = games.map(|game| (Source::BuiltIn(game), game.symbols()));
        Self(map.map(|map| (Source::Map, map)).into_iter().chain(built_in).collect())
    }

    /// Whether a map is among them.
    pub fn has_map(&self) -> bool {
        self.0.iter().any(|(source, _)| *source == Source::Map)
    }

    /// The games whose tables are asked.
    pub fn games(&self) -> impl Iterator<Item = Game> + '_ {
        self.0.iter().filter_map(|(source, _)| match source {
            Source::BuiltIn(game) => Some(*game),
            Source::Map => None,
        })
    }

    /// The function that holds an instruction: one that is known to, else one of unknown size that may.
    pub fn find(&self, pc: u32) -> Option<Place> {
        let certain = self.0.iter().find_map(|(source, table)| Some((*source, table.find(pc)?)));
        let likely =
            || self.0.iter().find_map(|(source, table)| Some((*source, table.find_near(pc, REACH)?)));
        let (source, (symbol, offset)) = certain.or_else(likely)?;
        let (function, size) = (symbol.name.clone(), symbol.size);
        Some(Place { function, offset, size, source, alias: self.alias(source, symbol) })
    }

    /// What a built-in table calls a function that a map names by its address alone, as tools do that look for
    /// functions by themselves (`zz_80523e0c_`).
    fn alias(&self, source: Source, symbol: &Symbol) -> Option<(String, Source)> {
        let numbered = symbol.name.to_ascii_lowercase().contains(&format!("{:08x}", symbol.address));
        if source != Source::Map || !numbered {
            return None;
        }
        self.0.iter().filter(|(other, _)| *other != Source::Map).find_map(|(other, table)| {
            let (known, offset) = table.find(symbol.address)?;
            (offset == 0).then(|| (known.name.clone(), *other))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> Tables {
        Tables::new(Some(SymbolTable::parse(text)), None)
    }

    #[test]
    fn a_map_comes_first_and_the_built_in_tables_fill_in() {
        let tables = map("80523e0c 0000010c 80523e0c 0 MyKernel\n");
        let place = tables.find(0x8052_3EC4).unwrap();
        assert_eq!((place.function.as_str(), place.source, place.routine()), ("MyKernel", Source::Map, None));
        let place = tables.find(0x8052_EC90).unwrap();
        assert_eq!((place.source, place.routine()), (Source::BuiltIn(Game::Sluggers), Some(Routine::Draw)));
    }

    #[test]
    fn a_function_that_a_map_only_numbers_keeps_its_name() {
        for name in ["zz_80523e0c_", "FUN_80523e0c", "fn_80523E0C"] {
            let place = map(&format!("80523e0c 0000010c 80523e0c 0 {name}\n")).find(0x8052_3EC4).unwrap();
            assert_eq!(place.function, name);
            assert_eq!((place.routine(), place.game()), (Some(Routine::OneBone), Some(Game::Sluggers)));
        }
    }

    #[test]
    fn a_function_of_unknown_size_may_hold_what_follows_it() {
        let tables = Tables::new(None, Some(Game::Superstar));
        let place = tables.find(0x800B_C3B8).unwrap();
        assert_eq!((place.function.as_str(), place.offset, place.size), ("DOVARender", 0x2F4, 0));
        assert_eq!(tables.find(0x8020_0000), None);
    }
}
