//! Where an instruction lies: the tables of functions that are asked, and what they answer.

use std::collections::HashMap;

use super::access::Routine;
use crate::c3::games::Game;
use crate::gekko::executable::{Symbol, SymbolTable};
use crate::gekko::fault::Site;

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
        let known = |game: Game| match &map {
            Some(map) => not_contradicted(&game.symbols(), map),
            None => game.symbols(),
        };
        let built_in: Vec<_> = games.map(|game| (Source::BuiltIn(game), known(game))).collect();
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

    /// What a built-in table calls a function to which a map gives another name: one of its own, or its address
    /// alone, as tools do that look for functions by themselves (`zz_80523e0c_`).
    fn alias(&self, source: Source, symbol: &Symbol) -> Option<(String, Source)> {
        if source != Source::Map {
            return None;
        }
        self.0.iter().filter(|(other, _)| *other != Source::Map).find_map(|(other, table)| {
            let (known, offset) = table.find(symbol.address)?;
            (offset == 0 && known.name != symbol.name && is_same(known, symbol))
                .then(|| (known.name.clone(), *other))
        })
    }

    /// Where an instruction lies that a run names by a game's built-in table: where the map has its function. Nothing
    /// where the map has something else there.
    pub fn address_of(&self, site: Site, game: Game) -> Option<u32> {
        let pc = site.pc?;
        let built_in = game.symbols();
        let Some((function, offset)) = built_in.find(pc) else { return Some(pc) };
        let of = |wanted: Source| self.0.iter().find(|(source, _)| *source == wanted).map(|(_, table)| table);
        let named = of(Source::Map).and_then(|map| map.iter().find(|symbol| symbol.name == function.name));
        if let Some(symbol) = named {
            return Some(symbol.address.wrapping_add(offset));
        }
        // Without a map every address is the table's, whichever game was asked for.
        let stands = of(Source::BuiltIn(game)).is_none_or(|table| table.find(pc).is_some());
        stands.then_some(pc)
    }
}

/// Whether a function of a map is one of a built-in table that begins where it does.
fn is_same(known: &Symbol, symbol: &Symbol) -> bool {
    let numbered = symbol.name.to_ascii_lowercase().contains(&format!("{:08x}", symbol.address));
    known.name == symbol.name || numbered || known.size == symbol.size
}

/// The functions of a built-in table that a map does not place elsewhere, nor puts others over. A table of which a map
/// has nothing at its place is another game's, or another release's.
fn not_contradicted(table: &SymbolTable, map: &SymbolTable) -> SymbolTable {
    let by_name: HashMap<&str, u32> =
        map.iter().map(|symbol| (symbol.name.as_str(), symbol.address)).collect();
    let contradicts = |known: &Symbol| {
        let elsewhere = by_name.get(known.name.as_str()).is_some_and(|address| *address != known.address);
        let at = map.find(known.address);
        elsewhere || at.is_some_and(|(symbol, offset)| offset != 0 || !is_same(known, symbol))
    };
    let agrees = |known: &Symbol| {
        map.find(known.address).is_some_and(|(symbol, offset)| offset == 0 && is_same(known, symbol))
    };
    let other_game = table.iter().any(contradicts) && !table.iter().any(agrees);
    table.iter().filter(|known| !other_game && !contradicts(known)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> Tables {
        Tables::new(Some(SymbolTable::parse(text)), None)
    }

    #[test]
    fn a_map_comes_first_and_the_built_in_tables_fill_in() {
        let tables = map("80523e0c 00000100 80523e0c 0 Other\n8052e99c 000005d0 8052e99c 0 DORender\n");
        let place = tables.find(0x8052_3EC4).unwrap();
        assert_eq!((place.function.as_str(), place.source, place.routine()), ("Other", Source::Map, None));
        let place = map("80523e0c 0000010c 80523e0c 0 MyKernel\n").find(0x8052_EC90).unwrap();
        assert_eq!((place.source, place.routine()), (Source::BuiltIn(Game::Sluggers), Some(Routine::Draw)));
    }

    #[test]
    fn a_map_that_has_a_function_elsewhere_leaves_the_built_in_table_out() {
        let tables = map("80600000 0000010c 80600000 0 SKN1Vecs16Norms16\n");
        assert_eq!(tables.find(0x8052_3EC4), None);
        assert_eq!(tables.find(0x8052_EC90), None, "another release");
        let site = Site { function: "one-bone", offset: 0xB8, pc: Some(0x8052_3EC4) };
        assert_eq!(tables.address_of(site, Game::Sluggers), Some(0x8060_00B8));
        let over = map("80523e00 00000200 80523e00 0 Other\n8052e99c 000005d0 8052e99c 0 DORender\n");
        assert_eq!(over.address_of(site, Game::Sluggers), None, "something else lies there");
        assert_eq!(over.find(0x8052_EC90).unwrap().source, Source::Map);
        assert_eq!(Tables::new(None, None).address_of(site, Game::Sluggers), Some(0x8052_3EC4));
    }

    #[test]
    fn a_function_that_a_map_only_numbers_keeps_its_name() {
        for name in ["zz_80523e0c_", "FUN_80523e0c", "fn_80523E0C", "MyKernel"] {
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
