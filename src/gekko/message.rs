//! Dolphin's messages read back: what [`super::fault::Fault::message`] words, in every era's wording.

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A transfer of the locked cache whose memory address does not exist.
    Transfer,
}

/// A message as read from a log.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Message {
    /// What failed.
    pub kind: MessageKind,
    /// The address.
    pub address: u32,
    /// The instruction, where the message names it.
    pub pc: Option<u32>,
    /// The return address, where the message names it.
    pub link: Option<u32>,
    /// Whether the address translated: "Unable to resolve" says that it did, "Invalid" that it did not.
    pub translated: bool,
    /// The builds that word it so.
    pub era: &'static str,
    /// The words themselves, without what the log puts before them.
    pub text: String,
}

/// A way of saying it, in lower case.
struct Phrase {
    words: &'static str,
    kind: MessageKind,
    translated: bool,
    /// The word behind which the address stands; else it comes next.
    before_address: Option<&'static str>,
}

const fn phrase(words: &'static str, kind: MessageKind, translated: bool) -> Phrase {
    Phrase { words, kind, translated, before_address: None }
}

const fn range(words: &'static str) -> Phrase {
    Phrase { words, kind: MessageKind::Transfer, translated: false, before_address: Some("bytes") }
}

/// Where one phrase begins another, the longer one comes first.
const PHRASES: [Phrase; 10] = [
    phrase("invalid read from to", MessageKind::Read, false),
    phrase("invalid write to to", MessageKind::Write, false),
    phrase("invalid read from", MessageKind::Read, false),
    phrase("invalid write to", MessageKind::Write, false),
    phrase("unable to resolve read address", MessageKind::Read, true),
    phrase("unable to resolve write address", MessageKind::Write, true),
    phrase("unknown pointer", MessageKind::Transfer, false),
    range("invalid range in copytoemu"),
    range("invalid range in copyfromemu"),
    range("oversized range in getpointerforrange"),
];

/// Longest log that is read, in lines; a runaway loop writes the same line without end.
const LINE_LIMIT: usize = 1_000_000;

/// Every message of a pasted text or a whole log, in order, repeats included. A line may hold several, and
/// one that was wrapped before its PC goes on in the next.
pub fn messages(log: &str) -> impl Iterator<Item = Message> + '_ {
    let mut lines = log.lines().take(LINE_LIMIT).peekable();
    let of_next_line = move || {
        let line = lines.next()?;
        let found = messages_of(line);
        let unfinished = found.last().is_some_and(|message| message.pc.is_none());
        match lines.next_if(|next| unfinished && starts_with_pc(next)) {
            Some(rest) => Some(messages_of(&format!("{line} {rest}"))),
            None => Some(found),
        }
    };
    std::iter::from_fn(of_next_line).flatten()
}

/// The first message of a line.
pub fn message(line: &str) -> Option<Message> {
    messages_of(line).into_iter().next()
}

fn starts_with_pc(line: &str) -> bool {
    line.trim_start().get(..2).is_some_and(|start| start.eq_ignore_ascii_case("pc"))
}

fn messages_of(line: &str) -> Vec<Message> {
    let lower = line.to_ascii_lowercase();
    let mut found: Vec<(usize, &Phrase)> = PHRASES
        .iter()
        .flat_map(|phrase| lower.match_indices(phrase.words).map(move |(at, _)| (at, phrase)))
        .collect();
    // The sort is stable: of two phrases at one place the longer one stays first.
    found.sort_by_key(|&(at, _)| at);
    found.dedup_by_key(|&mut (at, _)| at);
    let ends = found.iter().skip(1).map(|&(at, _)| at).chain([line.len()]);
    let pieces = found.iter().zip(ends);
    pieces.filter_map(|(&(at, phrase), end)| phrase.read(&line[at..end], &lower[at..end])).collect()
}

impl Phrase {
    /// The message that begins with this phrase; `lower` is the text in lower case.
    fn read(&self, text: &str, lower: &str) -> Option<Message> {
        let words = Words(&lower[self.words.len()..]);
        let advice = lower.contains("would have crashed on real hardware");
        let address = match self.before_address {
            Some(word) => words.number_after(word),
            None => words.first_number(self.translated),
        }?;
        Some(Message {
            kind: self.kind,
            address,
            pc: words.number_after("pc"),
            link: words.number_after("lr"),
            translated: self.translated,
            era: era(text, (self.translated, address), advice, self.kind),
            text: text.trim_end().to_owned(),
        })
    }
}

/// Which builds use these words. \[machine.md A2\]
fn era(text: &str, (translated, address): (bool, u32), advice: bool, kind: MessageKind) -> &'static str {
    let in_locked_cache = (0xE000_0000..0xE100_0000).contains(&address);
    match kind {
        MessageKind::Transfer => "any",
        _ if advice => "since August 2025",
        _ if text.starts_with("Invalid Read") || text.starts_with("Invalid Write") => "2015",
        _ if translated && in_locked_cache => "since 2016",
        _ if translated => "any",
        _ if in_locked_cache => "5.0 and before",
        _ => "up to August 2025",
    }
}

/// The words of a text: letters and digits, whatever stands between them.
#[derive(Clone, Copy)]
struct Words<'t>(&'t str);

impl<'t> Words<'t> {
    fn iter(self) -> impl Iterator<Item = &'t str> {
        let words = self.0.split(|character: char| !character.is_ascii_alphanumeric() && character != '?');
        words.filter(|word| !word.is_empty())
    }

    /// The number that comes first, but for words that only lead to it. Only where numbers are `short` can one be
    /// letters alone.
    fn first_number(self, short: bool) -> Option<u32> {
        let word = self.iter().find(|word| !LEADING.contains(word))?;
        let is_number = short || word.bytes().any(|byte| byte.is_ascii_digit());
        number(word).filter(|_| is_number)
    }

    /// The number that follows a word.
    fn number_after(self, name: &str) -> Option<u32> {
        let mut words = self.iter().skip_while(move |word| *word != name).skip(1);
        words.find(|word| !LEADING.contains(word)).and_then(number)
    }
}

/// Words that lead to a number.
const LEADING: [&str; 6] = ["address", "to", "from", "at", "is", "pc"];

/// A hexadecimal number, with or without `0x`.
fn number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    (digits.len() <= 8).then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gekko::fault::{DolphinEra, Fault, FaultKind, Site};
    use proptest::prelude::*;

    #[test]
    fn the_seeds_messages_are_read() {
        let read = message("Invalid read from 0xe0040000, PC = 0x80523ec4 ").unwrap();
        assert_eq!((read.kind, read.address, read.pc), (MessageKind::Read, 0xE004_0000, Some(0x8052_3EC4)));
        assert_eq!(read.text, "Invalid read from 0xe0040000, PC = 0x80523ec4");
        let bare = message("invalid read from e0040000 PC 80523ec4").unwrap();
        assert_eq!((bare.address, bare.pc), (read.address, read.pc));
    }

    #[test]
    fn a_line_of_a_log_is_read() {
        let line = r"31:02:117 Core\PowerPC\MMU.cpp:260 E[MASTER]: Warning: Unable to resolve read address fff004d4 PC 812003c4";
        let read = message(line).unwrap();
        assert_eq!((read.address, read.pc, read.translated), (0xFFF0_04D4, Some(0x8120_03C4), true));
    }

    #[test]
    fn the_oldest_and_the_other_words_are_read() {
        let oldest = message("Invalid Read from to 0x00000008, PC = 0x804ff694 ").unwrap();
        assert_eq!((oldest.address, oldest.era), (8, "2015"));
        let pointer = message("Unknown Pointer 0x04000000 PC 0x80597b1c LR 0x805237ac").unwrap();
        assert_eq!(pointer.kind, MessageKind::Transfer);
        assert_eq!((pointer.pc, pointer.link), (Some(0x8059_7B1C), Some(0x8052_37AC)));
        assert_eq!(message("Loaded game RMBE01"), None);
    }

    #[test]
    fn the_words_about_ranges_are_read() {
        for line in [
            "Invalid range in CopyToEmu. 1000 bytes to 0x04000000",
            "Invalid range in CopyFromEmu. 1000 bytes from 0x04000000",
            "Oversized range in GetPointerForRange. 1000 bytes at 0x04000000",
        ] {
            let read = message(&format!("Core/HW/Memmap.cpp:515 E[MASTER]: {line}")).unwrap();
            let facts = (read.kind, read.address, read.pc, read.text.as_str());
            assert_eq!(facts, (MessageKind::Transfer, 0x0400_0000, None, line));
        }
    }

    #[test]
    fn several_messages_of_a_line_are_read_and_one_over_two_lines() {
        let line =
            "Invalid read from 0xe0040000, PC = 0x80523ec4 Unable to resolve write address 10 PC 80100048";
        let read: Vec<_> = messages(line).map(|read| (read.address, read.pc)).collect();
        assert_eq!(read, [(0xE004_0000, Some(0x8052_3EC4)), (0x10, Some(0x8010_0048))]);
        let wrapped = "Invalid read from 0xe0040000,\r\n  PC = 0x80523ec4\r\nPC of nothing 1";
        let read: Vec<_> = messages(wrapped).map(|read| (read.address, read.pc)).collect();
        assert_eq!(read, [(0xE004_0000, Some(0x8052_3EC4))]);
    }

    #[test]
    fn an_instruction_that_is_not_named_is_not_made_up() {
        let pc = |line: &str| message(line).map(|read| (read.address, read.pc));
        assert_eq!(pc("Invalid read from 0x00000088, PC = 0x????????   (frame +0x0)"), Some((0x88, None)));
        assert_eq!(pc("Unable to resolve read address 88 PC ????????; 10 faults"), Some((0x88, None)));
        assert_eq!(pc("Invalid read from 0x00000088 in the PCM code, 80523ec4"), Some((0x88, None)));
        assert_eq!(
            pc("Invalid read from 0x00000088 PC: 80523EC4 LR: 80000000"),
            Some((0x88, Some(0x8052_3EC4)))
        );
        assert_eq!(pc("Invalid read from a pointer, PC = 0x80523ec4"), None);
        assert_eq!(pc("Invalid read from 0x1234567890"), None);
    }

    #[test]
    fn the_address_tells_which_builds_say_it_so() {
        let era = |line: &str| message(line).unwrap().era;
        assert_eq!(era("Invalid read from 0xe0040000, PC = 0x80523ec4"), "5.0 and before");
        assert_eq!(era("Invalid read from 0x00000000, PC = 0x8052ec90"), "up to August 2025");
        assert_eq!(era("Unable to resolve read address e0040000 PC 80523ec4"), "since 2016");
        assert_eq!(era("Unable to resolve read address fff004d4 PC 812003c4"), "any");
    }

    proptest! {
        #[test]
        fn what_a_fault_says_is_read_back(
            address: u32, pc: u32, translated: bool, write: bool, era in 0usize..4, before in "[ -~]{0,20}",
        ) {
            let fault = Fault {
                kind: if write { FaultKind::Write } else { FaultKind::Read },
                address,
                size: 4,
                translated,
                site: Site { function: "one-bone", offset: 0, pc: Some(pc) },
                marker: None,
            };
            let log = format!("{}{}", before.replace(['n', 'N'], ""), fault.message(DolphinEra::ALL[era]));
            let read = messages(&log).next().unwrap();
            prop_assert_eq!((read.address, read.pc, read.translated), (address, Some(pc), translated));
        }

        #[test]
        fn any_text_is_read_to_its_end(text in "\\PC{0,200}") {
            let _ = messages(&text).count();
        }
    }
}
