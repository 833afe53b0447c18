//! Names for addresses: the symbols of a program, and map files.

use std::collections::BTreeMap;

/// A named address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Name as the file has it.
    pub name: String,
    /// Its address.
    pub address: u32,
    /// Its size in bytes, 0 where unknown.
    pub size: u32,
}

/// Symbols in order of their addresses.
#[derive(Debug, Clone, Default)]
pub struct SymbolTable {
    by_address: BTreeMap<u32, Symbol>,
    /// The largest size: how far before an instruction the function that holds it can begin.
    widest: u32,
}

impl SymbolTable {
    /// Adds a function; the later of two at one address wins, but one of unknown size over none that is known.
    pub fn add(&mut self, symbol: Symbol) {
        self.widest = self.widest.max(symbol.size);
        let known = self.by_address.get(&symbol.address).is_some_and(|other| other.size > 0);
        if symbol.size > 0 || !known {
            self.by_address.insert(symbol.address, symbol);
        }
    }

    /// The function that holds an instruction, and the offset in it: of several, one in another, the one that
    /// begins last. One of unknown size holds none.
    pub fn find(&self, pc: u32) -> Option<(&Symbol, u32)> {
        let before = self.by_address.range(..=pc).rev().map(|(&address, symbol)| (symbol, pc - address));
        let mut near = before.take_while(|&(_, offset)| offset < self.widest);
        near.find(|(symbol, offset)| *offset < symbol.size)
    }

    /// A function of unknown size that begins at most `reach` bytes before an instruction, with no other between.
    pub fn find_near(&self, pc: u32, reach: u32) -> Option<(&Symbol, u32)> {
        let (&address, symbol) = self.by_address.range(..=pc).next_back()?;
        let offset = pc - address;
        (symbol.size == 0 && offset <= reach).then_some((symbol, offset))
    }

    /// Every symbol, lowest address first.
    pub fn iter(&self) -> impl Iterator<Item = &Symbol> {
        self.by_address.values()
    }

    /// How many symbols there are.
    pub fn len(&self) -> usize {
        self.by_address.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    /// Reads a map: Dolphin's (`address size address number name`) or CodeWarrior's (`offset size address
    /// [file offset] alignment name object`). Lines of neither form are passed over.
    pub fn parse(map: &str) -> Self {
        map.lines().filter_map(map_line).collect()
    }
}

impl FromIterator<Symbol> for SymbolTable {
    fn from_iter<I: IntoIterator<Item = Symbol>>(symbols: I) -> Self {
        let mut table = Self::default();
        for symbol in symbols {
            table.add(symbol);
        }
        table
    }
}

fn map_line(line: &str) -> Option<Symbol> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let hex = |index: usize| words.get(index).and_then(|word| u32::from_str_radix(word, 16).ok());
    let (first, size, address) = (hex(0)?, hex(1)?, hex(2)?);
    let code = |address: u32| (0x8000_0000..0x9800_0000).contains(&address);
    let dolphin = first == address;
    let name = words.get(name_index(&words, dolphin)..).filter(|words| !words.is_empty())?;
    // Dolphin's names may hold spaces; CodeWarrior's end where the object's name begins.
    let name = if dolphin { name.join(" ") } else { name[0].to_owned() };
    (code(address) && !name.starts_with('.')).then_some(Symbol { name, address, size })
}

/// Which word of a line is the name's first: before it stand a number (Dolphin), or a file offset of eight
/// digits, where there is one, and an alignment (CodeWarrior). Names can look like hexadecimal numbers (`add`).
fn name_index(words: &[&str], dolphin: bool) -> usize {
    let follows = |index: usize| words.len() > index + 1;
    let is =
        |index: usize, digits: fn(u8) -> bool| words.get(index).is_some_and(|word| word.bytes().all(digits));
    let has_offset = !dolphin && follows(3) && words[3].len() == 8 && is(3, |byte| byte.is_ascii_hexdigit());
    let number = if has_offset { 4 } else { 3 };
    if follows(number) && is(number, |byte| byte.is_ascii_digit()) { number + 1 } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn maps_of_both_kinds_are_read() {
        let dolphin = ".text section layout\n80523e0c 0000010c 80523e0c 0 SKN1 Vecs\n";
        let (symbol, offset) =
            SymbolTable::parse(dolphin).find(0x8052_3EC4).map(|(s, o)| (s.clone(), o)).unwrap();
        assert_eq!((symbol.name.as_str(), offset), ("SKN1 Vecs", 0xB8));
        let codewarrior = "  Starting        Virtual\n  address  Size   address\n\
            00000000 0000dc 80003100 00000100  4 __start \tos.a __start.c\n\
            000000dc 000010 800031dc  4 memcpy \tlib.a mem.c\n\
            UNUSED   000040 ........ unused lib.a\n\
            00000000 000200 80003000  1 .init \tx.o\n";
        let table = SymbolTable::parse(codewarrior);
        assert_eq!(table.len(), 2);
        assert_eq!(table.find(0x8000_31E0).unwrap().0.name, "memcpy");
        assert_eq!(table.find(0x8000_3104).unwrap().0.name, "__start");
    }

    #[test]
    fn names_that_look_like_numbers_are_names() {
        for line in [
            "80100000 00000020 80100000 0 add",
            "80100000 00000020 80100000 add",
            "00000000 000020 80100000 00000100  4 add \tmath.o",
            "00000000 000020 80100000  4 add \tmath.o",
        ] {
            let table = SymbolTable::parse(line);
            assert_eq!(
                table.find(0x8010_0004).map(|(symbol, _)| symbol.name.as_str()),
                Some("add"),
                "{line}"
            );
        }
    }

    #[test]
    fn functions_in_one_another_and_of_no_size_are_told_apart() {
        let map = "80100000 00001000 80100000 0 outer\n80100100 00000010 80100100 0 inner\n\
            80100200 00000000 80100200 0 label\n80200000 00000000 80200000 0 open\n\
            80300000 fffffff0 80300000 0 endless\n80100000 00000000 80100000 0 other\n";
        let table = SymbolTable::parse(map);
        let found = |pc| table.find(pc).map(|(symbol, offset)| (symbol.name.as_str(), offset));
        assert_eq!(found(0x8010_0104), Some(("inner", 4)));
        assert_eq!(found(0x8010_0120), Some(("outer", 0x120)));
        assert_eq!(found(0x8010_0204), Some(("outer", 0x204)));
        assert_eq!(found(0x8010_1000), None);
        assert_eq!(found(0xFFFF_0000), Some(("endless", 0x7FCF_0000)));
        assert_eq!(found(0x8020_0004), None);
        let near = |pc| table.find_near(pc, 0x100).map(|(symbol, offset)| (symbol.name.as_str(), offset));
        assert_eq!([near(0x8020_0004), near(0x8020_0200)], [Some(("open", 4)), None]);
        assert_eq!(near(0x8010_1000), None, "a label in a function");
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd_for_a_map(text: String, numbers: [u32; 3]) {
            let [first, size, address] = numbers;
            let _ = SymbolTable::parse(&text);
            let line = format!("{first:08x} {size:08x} {address:08x} {text}");
            for symbol in SymbolTable::parse(&line).iter() {
                prop_assert_eq!((symbol.address, symbol.size), (address, size));
            }
        }
    }
}
