//! Poses as text for people: the first frame in full, of later ones only the bones that moved.

use std::fmt::Write;

use super::{FrameReport, PoseReport, Rows};
use crate::printable::printable;
use crate::report::text;

impl PoseReport {
    /// A line about the skeleton, then frame by frame a block a bone.
    pub fn text(&self) -> String {
        let (model, count) = (printable(&self.model), self.bone_ids.len());
        let mut out = format!("{model}   {count} bones in {}", self.order_words());
        match &self.animation {
            None => out.push_str(", at rest\n"),
            Some(played) => {
                let name = played.name.as_ref().map_or_else(String::new, |name| format!(" {name:?}"));
                let _ = writeln!(
                    out,
                    "\n{}   sequence {}{name} from time {}, {} a tick",
                    printable(&played.file),
                    played.sequence,
                    played.start.0,
                    played.speed.0
                );
            }
        }
        for &bone in &self.undefined {
            let _ = writeln!(out, "bone {bone}: its bind pose hangs on memory the library never wrote");
        }
        let mut before: Option<&FrameReport> = None;
        for frame in &self.frames {
            self.frame(frame, before, &mut out);
            before = Some(frame);
        }
        if !self.findings.is_empty() {
            out.push('\n');
        }
        for finding in &self.findings {
            out.push_str(&text::finding(finding));
        }
        out
    }

    fn order_words(&self) -> &'static str {
        if self.order == "table" { "table order" } else { "pre-order" }
    }

    fn frame(&self, frame: &FrameReport, before: Option<&FrameReport>, out: &mut String) {
        let heading = if self.animation.is_some() { "tick" } else { "frame" };
        let _ = writeln!(out, "\n{heading} {}", frame.tick.unwrap_or_default());
        let mut still = 0;
        for bone in 0..self.bone_ids.len() {
            let matrices =
                |frame: &FrameReport| (frame.forward.get(bone).copied(), frame.skin.get(bone).copied());
            if before.is_some_and(|before| matrices(before) == matrices(frame)) {
                still += 1;
                continue;
            }
            self.bone(frame, bone, out);
        }
        if still > 0 {
            let _ = writeln!(out, "  {still} of {} bones as in the frame before", self.bone_ids.len());
        }
    }

    fn bone(&self, frame: &FrameReport, bone: usize, out: &mut String) {
        let _ = write!(out, "  bone {bone}  id {}  record {}", self.bone_ids[bone], self.file_index[bone]);
        if let Some(Some(clock)) = frame.clocks.get(bone) {
            let _ = write!(out, "  time {}", clock.0);
        }
        out.push('\n');
        let skin = frame.skin.get(bone);
        for row in 0..3 {
            let label = if row == 0 { "forward" } else { "" };
            let _ = write!(out, "    {label:<7} {}", cells(&frame.forward[bone], row));
            if let Some(skin) = skin {
                let label = if row == 0 { "skin" } else { "" };
                let _ = write!(out, "   {label:<4} {}", cells(skin, row));
            }
            out.push('\n');
        }
    }
}

/// A row in columns; the JSON has every digit.
fn cells(matrix: &Rows, row: usize) -> String {
    let cell = |number: &super::Number| {
        // Rounding noise around zero would only distract.
        let value = if number.0.abs() < 5e-6 { 0.0 } else { number.0 };
        format!("{value:>11.5}")
    };
    matrix[row].iter().map(cell).collect()
}
