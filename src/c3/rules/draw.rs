//! Primitive lists: what the graphics processor is told to draw.

mod descriptors;

use std::collections::BTreeMap;
use std::ops::Range;

use self::descriptors::Descriptors;
use super::codes;
use super::found::Found;
use super::subject::Subject;
use crate::c3::format::gpl::{
    ArrayKind, Attribute, CommandKind, DisplayList, Gpl, Layout, Primitive, STEP_LIMIT, Submesh,
    VERSION_APRIL_2001, VERSION_OLD, Vertex,
};
use crate::finding::{Effect, Place, Severity};

/// Vectors of the library's built-in table, for layouts without a normal array. \[listing\]
const BUILT_IN_NORMALS: u32 = 252;

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(gpl) = subject.gpl() else { return };
    let mut budget = STEP_LIMIT;
    let mut descriptors = Descriptors::default();
    let is_known = is_known(subject, gpl.header.version);
    for submesh in &gpl.submeshes {
        let Some(layout) = &submesh.layout else { continue };
        for what in layout.display_lists(gpl.header.version) {
            let list = List { subject, gpl, submesh, layout, what };
            if is_known {
                list.check(&mut budget, &mut descriptors, found);
            } else {
                list.check_unread(found);
            }
        }
    }
    descriptors.tell(found);
}

/// Whether a version word says which states set the vertex descriptor: without it no list can be read.
fn is_known(subject: &Subject, version: u32) -> bool {
    match version {
        VERSION_APRIL_2001 => true,
        VERSION_OLD | 0 => subject.model.block.is_none(),
        _ => false,
    }
}

/// A primitive list under check.
struct List<'s, 'm, 'a> {
    subject: &'s Subject<'m, 'a>,
    gpl: &'m Gpl<'a>,
    submesh: &'m Submesh,
    layout: &'m Layout,
    what: DisplayList,
}

/// What a walk over a list met.
#[derive(Default)]
struct Walk {
    draws: usize,
    /// Indices past the end of an attribute's array.
    past_end: BTreeMap<Attribute, PastEnd>,
    /// Whether it ended at something that is no command.
    broken_off: bool,
    /// The bytes of the last command that does something.
    last: Range<u64>,
    /// Offset of the first byte that is not zero behind padding that follows a primitive.
    trailing: Option<u64>,
}

/// Indices past the end of an array.
#[derive(Debug, Default)]
struct PastEnd {
    /// The largest.
    worst: u16,
    times: usize,
    /// Where the first lies in the GPL: it, and the command that has it.
    first: u64,
    command: u64,
    /// Vertex of that command.
    vertex: u64,
}

impl List<'_, '_, '_> {
    fn name(&self) -> String {
        format!("submesh {} primitive list of state {}", self.submesh.index, self.what.state)
    }

    fn place(&self, offset: u64) -> Place {
        self.subject.gpl_place(offset).entry(self.name())
    }

    fn check(&self, budget: &mut usize, descriptors: &mut Descriptors, found: &mut Vec<Found>) {
        // Of a list that lies elsewhere nothing is known but that.
        if self.what.offset >= self.gpl.view().len() {
            return;
        }
        let walk = if self.line_offset() == 0 {
            self.walk(budget, found)
        } else {
            let own = self.walk(budget, &mut Vec::new());
            self.unaligned(budget, own.weight(), found);
            own
        };
        let (severity, idle) = walk.weight();
        self.length(&walk, found);
        descriptors.note(self, severity, idle);
        if self.line_offset() != 0 {
            return;
        }
        for (attribute, PastEnd { worst, times, first, command, vertex }) in &walk.past_end {
            let count = self.count(*attribute).unwrap_or(0);
            let text = format!(
                "{times} {attribute} ind{} up to {worst}, the array has {count}; the first is that of vertex {vertex} \
                 of the primitive at {command:#x} of the GPL",
                if *times == 1 { "ex" } else { "ices" }
            );
            let help = "correct the indices, or the array's count";
            let finding = Found::new(&codes::PRIMITIVE_INDEX, self.place(*first), text, help);
            found.push(finding.spoils("what lies behind the array is drawn"));
        }
        // What is cut off is taken for nothing, and a list that is said to reach past the end is no list there.
        let is_held = self.what.offset + u64::from(self.what.size) <= self.gpl.view().len();
        if let Some(offset) = walk.trailing.filter(|offset| is_held && *offset < self.cut()) {
            let text = format!(
                "the bytes from {offset:#x} of the GPL on, behind the last primitive's padding, are not zero"
            );
            let help = "fill the list up with zeroes";
            found.push(Found::new(&codes::PRIMITIVE_TRAILING_DATA, self.place(offset), text, help));
        }
    }

    /// Of a list that cannot be read, where it lies and how long it is.
    fn check_unread(&self, found: &mut Vec<Found>) {
        let walk = Walk { broken_off: true, ..Walk::default() };
        self.unaligned(&mut 0, walk.weight(), found);
        self.length(&walk, found);
    }

    /// How far into a cache line it begins.
    fn line_offset(&self) -> u64 {
        (self.gpl.view().base() + self.what.offset) % 32
    }

    /// Where the processor stops reading it, as an offset in the GPL.
    fn cut(&self) -> u64 {
        self.what.offset + u64::from(self.what.size & !31)
    }

    /// A list that begins inside a line is read from the start of that line on: whatever its commands are taken
    /// for then is this one mistake's doing.
    fn unaligned(&self, budget: &mut usize, (severity, idle): (Severity, &str), found: &mut Vec<Found>) {
        let into_line = self.line_offset();
        if into_line == 0 || self.what.offset < into_line {
            return;
        }
        let read = List { what: self.what.read(self.gpl.view().base()), ..*self };
        let mut met = Vec::new();
        let walk = read.walk(budget, &mut met);
        let start = self.what.offset;
        let text =
            format!("the list begins at {start:#x} of the GPL, {into_line} bytes into a cache line{idle}");
        let help = "begin every list on a multiple of 32 bytes: the processor drops the low bits";
        let place = self.place(self.what.pointer).field("primitive list");
        let finding = Found::new(&codes::PRIMITIVE_LIST_UNALIGNED, place, text, help);
        let mut effect = "the list is read from the line before on".to_owned();
        if let Some(first) = met.first() {
            effect = format!("{effect}: {}", first.finding.text);
        } else if !walk.past_end.is_empty() {
            effect = format!("{effect}: what lies behind arrays is drawn");
        }
        found.push(idles(finding, severity, &effect));
    }

    /// The processor drops the low bits of a length: what counts is what lies in the bytes that are cut off.
    fn length(&self, walk: &Walk, found: &mut Vec<Found>) {
        if self.what.size.is_multiple_of(32) {
            return;
        }
        let (severity, idle) = walk.weight();
        let (size, cut) = (self.what.size, self.cut());
        let is_whole = severity == Severity::Error && !walk.broken_off && walk.last.end <= cut;
        let idle = if is_whole {
            format!("; all that it draws lies in the first {:#x}", size & !31)
        } else {
            idle.to_owned()
        };
        let text = format!("the list has {size:#x} bytes{idle}");
        let help = "pad every list with zeroes to a multiple of 32 bytes";
        let place = self.place(self.what.pointer + 4).field("size");
        let finding = Found::new(&codes::PRIMITIVE_LIST_LENGTH, place, text, help);
        if is_whole {
            found.push(finding.severity(Severity::Warning).harmless());
            return;
        }
        let effect = if walk.last.contains(&cut) && walk.last.start != cut {
            "the end of the list is not drawn, and what is sent next is taken for the rest of its last command"
        } else {
            "the end of the list is not drawn"
        };
        found.push(idles(finding, severity, effect));
    }

    /// How many elements an attribute's indices can select from.
    fn count(&self, attribute: Attribute) -> Option<u32> {
        let array = self.layout.array(attribute);
        match attribute {
            Attribute::PositionMatrix => None,
            // Of a header that cannot be read the count is not known.
            _ if array.is_none() && self.is_unread(attribute) => None,
            Attribute::Normal if array.is_none_or(|array| array.array == 0) => Some(BUILT_IN_NORMALS),
            _ => Some(array.map_or(0, |array| u32::from(array.count))),
        }
    }

    /// Whether the layout points at the header of an attribute's array, and the header is not there.
    fn is_unread(&self, attribute: Attribute) -> bool {
        let [position, colour, texture, lighting, _] = self.layout.pointers;
        let pointer = match attribute {
            Attribute::Position => position,
            Attribute::Normal => lighting,
            Attribute::Colour(_) => colour,
            Attribute::Texture(channel) if channel < self.layout.texture_channels => texture,
            Attribute::PositionMatrix | Attribute::Texture(_) => 0,
        };
        pointer != 0
    }

    fn walk(&self, budget: &mut usize, found: &mut Vec<Found>) -> Walk {
        let mut walk = Walk::default();
        let mut padded = false;
        for command in self.gpl.commands(self.layout, &self.what) {
            if *budget == 0 {
                break;
            }
            let command = match command {
                Ok(command) => command,
                Err(error) => {
                    self.broken_off(&error, padded, &mut walk, found);
                    break;
                }
            };
            *budget = budget.saturating_sub(command.steps());
            match command.kind {
                CommandKind::Nop => padded |= walk.draws > 0,
                CommandKind::Register(_) => walk.note(padded, command.offset..command.end),
                CommandKind::Draw(primitive) => {
                    walk.note(padded, command.offset..command.end);
                    walk.draws += 1;
                    for vertex in (0..).zip(primitive.vertices()) {
                        self.indices(vertex, &primitive, command.offset, &mut walk);
                    }
                }
            }
        }
        walk
    }

    fn indices(
        &self,
        (ordinal, vertex): (u64, Vertex),
        primitive: &Primitive,
        command: u64,
        walk: &mut Walk,
    ) {
        for attribute in Attribute::ALL {
            let (Some(index), Some(count)) = (vertex.index(attribute), self.count(attribute)) else {
                continue;
            };
            if u32::from(index) >= count {
                let past = walk.past_end.entry(attribute).or_insert_with(|| {
                    let first = primitive.index_offset(ordinal, attribute) - self.gpl.view().base();
                    PastEnd { first, command, vertex: ordinal, ..PastEnd::default() }
                });
                past.worst = past.worst.max(index);
                past.times += 1;
            }
        }
    }

    fn broken_off(
        &self,
        error: &crate::bytes::ReadError,
        padded: bool,
        walk: &mut Walk,
        found: &mut Vec<Found>,
    ) {
        let offset = error.offset.saturating_sub(self.gpl.view().base());
        if padded {
            walk.note_trailing(true, offset);
            return;
        }
        walk.broken_off = true;
        // What does not exist is an opcode; everything else ends behind the list's end.
        let unknown = error.have.starts_with("opcode");
        let code = if unknown { &codes::PRIMITIVE_OPCODE } else { &codes::PRIMITIVE_OVERRUN };
        let text = format!("{}: want {}, have {}", error.what, error.want, error.have);
        let help = if unknown {
            "a list holds primitives, register loads and zeroes; check the vertex descriptor it is read with"
        } else {
            "correct the vertex count, the list's length or the vertex descriptor"
        };
        let what =
            if unknown { "drawing stops at the command" } else { "what lies behind the list is drawn" };
        found.push(Found::new(code, self.place(offset), text, help).spoils(what));
    }
}

/// What a list's mistake does, unless nothing is drawn from it.
fn idles(finding: Found, severity: Severity, what: &str) -> Found {
    if severity == Severity::Error { finding.spoils(what) } else { finding.severity(severity) }
}

impl Walk {
    /// How bad a mistake of the list is, and what a text says of a list without primitives.
    const fn weight(&self) -> (Severity, &'static str) {
        match self.draws {
            0 if !self.broken_off => (Severity::Warning, "; nothing is drawn from it"),
            _ => (Severity::Error, ""),
        }
    }

    /// A command that does something.
    fn note(&mut self, padded: bool, bytes: Range<u64>) {
        self.note_trailing(padded, bytes.start);
        self.last = bytes;
    }

    fn note_trailing(&mut self, padded: bool, offset: u64) {
        if padded {
            self.trailing.get_or_insert(offset);
        }
    }
}

/// Texture channels must name a palette where the block brings no textures of its own.
pub fn palette_names(subject: &Subject, found: &mut Vec<Found>) {
    let (Some(gpl), Some(block)) = (subject.gpl(), &subject.model.block) else { return };
    if block.section(crate::c3::format::block::SectionKind::Tex).is_some() {
        return;
    }
    for submesh in &gpl.submeshes {
        for texture in submesh.layout.iter().flat_map(|layout| &layout.textures) {
            let ArrayKind::Texture(channel) = texture.kind else { continue };
            let name = texture.palette_name_offset().map(|offset| gpl.view().u8(offset, "palette name"));
            if matches!(name, Some(Ok(first)) if first != 0) {
                continue;
            }
            let text = format!("submesh {} texture channel {channel} has no palette name", submesh.index);
            let help = "name the palette: a model without TEX section finds its textures by it";
            let place = subject.gpl_place(u64::from(texture.offset) + 8).field("palette name");
            let crashes = Effect::Faults("the game crashes when it draws the model first".to_owned());
            found.push(Found::new(&codes::PALETTE_NAME_EMPTY, place, text, help).always(crashes));
        }
    }
}
