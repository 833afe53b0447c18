//! The first difference of two traces, with what stands around it.
//!
//! Traces of one engine are compared line by line. Of a model's trace and a processor's what both list
//! is compared: accesses of the kernels, transfers, the clear, and faults. The order of accesses in the
//! rest of the frame is the compiler's, and the model claims none.

use std::fmt;

use super::{Engine, MAGIC};

/// Functions whose accesses the model lists instruction by instruction.
const LISTED: [&str; 6] = ["one-bone", "two-bone", "accumulate", "clear", "load-blocks", "store-blocks"];
/// Lines shown before the difference, and lines shown of each side from there on.
const CONTEXT: usize = 4;
const SHOWN: usize = 6;
/// How far the sides are searched for where they meet again, and lines that must agree there.
const SEARCHED: usize = 400;
const MEETING: usize = 3;

/// Why a file is no trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: want {want}, have {have:?}")]
pub struct TraceError {
    /// Line, from 1.
    pub line: usize,
    /// What was expected.
    pub want: &'static str,
    /// What is there, its start.
    pub have: String,
}

/// A trace that was read: the engine, and every line with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace<'t> {
    /// Who executed it.
    pub engine: Engine,
    lines: Vec<(usize, &'t str)>,
}

impl<'t> Trace<'t> {
    /// Reads a trace.
    ///
    /// # Errors
    /// When the text does not start as a trace does, or a line has too few columns.
    pub fn read(text: &'t str) -> Result<Self, TraceError> {
        let error =
            |line: usize, want, have: &str| TraceError { line, want, have: have.chars().take(60).collect() };
        let first = text.lines().next().unwrap_or_default();
        if first != MAGIC {
            return Err(error(1, MAGIC, first));
        }
        let engines = [Engine::Model, Engine::Cpu];
        let header =
            |engine: &Engine| text.lines().any(|line| line.strip_prefix("# engine ") == Some(engine.name()));
        let engine = engines
            .into_iter()
            .find(header)
            .ok_or_else(|| error(2, "a line `# engine model` or `# engine cpu`", ""))?;
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#')) {
            let columns = line.split_ascii_whitespace().count();
            if line.starts_with("frame ") && columns == 2 || columns >= 6 {
                lines.push((number, line));
            } else {
                return Err(error(number, "`frame N` or at least six columns", line));
            }
        }
        Ok(Self { engine, lines })
    }
}

/// What of a line is compared with a trace of the other engine; none where only one of them has it.
fn common(line: &str) -> Option<String> {
    let columns: Vec<&str> = line.split_ascii_whitespace().collect();
    let function = columns.get(1).and_then(|place| place.split('+').next()).unwrap_or_default();
    let listed = LISTED.contains(&function);
    match columns[0] {
        "frame" => Some(line.to_owned()),
        "load" | "store" | "zero-line" | "store-line" | "flush-line" | "dma-load" | "dma-store" if listed => {
            Some(line.to_owned())
        }
        // Entries of faults, and places nobody has listed, are left out.
        "fault" => {
            Some(format!("fault {} {}", if listed { columns[1] } else { "-" }, columns[4..].join(" ")))
        }
        _ => None,
    }
}

/// One side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Line of the file at which it starts, from 1; one past the last where the trace has ended.
    pub line: usize,
    /// Its lines from there on, some of them.
    pub lines: Vec<String>,
    /// Lines that only this side has before both agree again, where they do.
    pub alone: Option<usize>,
}

/// The first difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Lines before it, which are the same.
    pub before: Vec<String>,
    /// The first trace from there on.
    pub first: Side,
    /// The second.
    pub second: Side,
}

/// A line as it is compared and as it is shown.
struct Compared<'t> {
    key: String,
    number: usize,
    text: &'t str,
}

fn compared<'t>(trace: &Trace<'t>, whole: bool) -> Vec<Compared<'t>> {
    let key = |line: &str| if whole { Some(line.to_owned()) } else { common(line) };
    let line = |&(number, text): &(usize, &'t str)| Some(Compared { key: key(text)?, number, text });
    trace.lines.iter().filter_map(line).collect()
}

/// The first difference of two traces, if there is one.
pub fn first_difference(first: &Trace, second: &Trace) -> Option<Difference> {
    let whole = first.engine == second.engine;
    let (a, b) = (compared(first, whole), compared(second, whole));
    let same = a.iter().zip(&b).take_while(|(a, b)| a.key == b.key).count();
    if same == a.len() && same == b.len() {
        return None;
    }
    let meeting = meeting(&a[same..], &b[same..]);
    let side = |lines: &[Compared], alone: Option<usize>| Side {
        line: lines
            .get(same)
            .map_or_else(|| lines.last().map_or(1, |line| line.number + 1), |line| line.number),
        lines: lines[same..]
            .iter()
            .take(alone.unwrap_or(SHOWN).clamp(1, SHOWN))
            .map(|line| line.text.to_owned())
            .collect(),
        alone,
    };
    Some(Difference {
        before: a[same.saturating_sub(CONTEXT)..same].iter().map(|line| line.text.to_owned()).collect(),
        first: side(&a, meeting.map(|(a, _)| a)),
        second: side(&b, meeting.map(|(_, b)| b)),
    })
}

/// How many lines each side has alone before some agree again: the fewest together.
fn meeting(a: &[Compared], b: &[Compared]) -> Option<(usize, usize)> {
    let agree = |from_a: usize, from_b: usize| {
        let (rest_a, rest_b) = (a.get(from_a..).unwrap_or_default(), b.get(from_b..).unwrap_or_default());
        let both = rest_a.len().min(rest_b.len()).min(MEETING);
        let ended = rest_a.is_empty() && rest_b.is_empty();
        ended || both > 0 && (0..both).all(|at| rest_a[at].key == rest_b[at].key)
    };
    (0..=SEARCHED)
        .flat_map(|sum| (0..=sum).map(move |from_a| (from_a, sum - from_a)))
        .filter(|&(from_a, from_b)| from_a <= a.len() && from_b <= b.len())
        .find(|&(from_a, from_b)| agree(from_a, from_b))
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "first difference: line {} of the first, line {} of the second",
            self.first.line, self.second.line
        )?;
        for line in &self.before {
            writeln!(f, "  {line}")?;
        }
        for (mark, side) in [('-', &self.first), ('+', &self.second)] {
            let all = side.alone.unwrap_or(usize::MAX);
            for line in side.lines.iter().take(all) {
                writeln!(f, "{mark} {line}")?;
            }
            if side.lines.is_empty() {
                writeln!(f, "{mark} (the trace ends here)")?;
            } else if all > side.lines.len() {
                writeln!(f, "{mark} …")?;
            }
        }
        match (self.first.alone, self.second.alone) {
            (Some(0), Some(extra)) => writeln!(f, "the second has {extra} more; then they agree again"),
            (Some(extra), Some(0)) => writeln!(f, "the first has {extra} more; then they agree again"),
            (Some(one), Some(other)) => {
                writeln!(f, "{one} of the first against {other} of the second; then they agree again")
            }
            _ => writeln!(f, "they do not agree again within {SEARCHED} lines"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(engine: &str, lines: &[&str]) -> String {
        format!("{MAGIC}\n# engine {engine}\nframe 0\n{}\n", lines.join("\n"))
    }

    fn load(number: u32) -> String {
        format!("load one-bone+0x34 80523e40 SK1[0] e00000{number:02x} 4 00000000")
    }

    fn difference(a: &str, b: &str) -> Option<Difference> {
        first_difference(&Trace::read(a).unwrap(), &Trace::read(b).unwrap())
    }

    #[test]
    fn missing_extra_and_changed_lines_are_told_apart() {
        let lines: Vec<String> = (0..20).map(load).collect();
        let all: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (whole, missing) = (text("model", &all), text("model", &[&all[..9], &all[10..]].concat()));
        assert_eq!(difference(&whole, &whole), None);
        let found = difference(&whole, &missing).unwrap();
        assert_eq!((found.first.alone, found.second.alone, found.first.line), (Some(1), Some(0), 13));
        assert!(found.to_string().contains("the first has 1 more"), "{found}");
        assert!(difference(&missing, &whole).unwrap().to_string().contains("the second has 1 more"));
        let cut = text("model", &all[..19]);
        assert!(difference(&whole, &cut).unwrap().to_string().contains("(the trace ends here)"));
        let changed = whole.replace("e0000009 4 00000000", "e0000009 4 00000001");
        assert!(difference(&whole, &changed).unwrap().to_string().contains("1 of the first against 1"));
    }

    #[test]
    fn between_engines_what_both_list_is_compared() {
        let (one, two) = (load(1), load(2));
        let frame = "load frame+0x10 805236ac - 80a00000 4 00000000";
        let instruction = "ins one-bone+0x34 80523e40 SK1[0] e1047000 psq_l f8, 0x0(r4), 0, qr7";
        let model = text("model", &["load frame - - 80a00004 2 0001", &one, &two]);
        assert_eq!(difference(&model, &text("cpu", &[frame, instruction, &one, &two])), None);
        for other in [vec![frame, &one], vec![&one, &two, &two], vec![&two, &one]] {
            assert!(difference(&model, &text("cpu", &other)).is_some());
        }
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_line() {
        assert_eq!(Trace::read("hello").unwrap_err().line, 1);
        assert!(Trace::read(MAGIC).is_err());
        assert_eq!(Trace::read(&text("cpu", &["load x"])).unwrap_err().line, 4);
    }
}
