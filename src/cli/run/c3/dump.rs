//! Ranges of memory that a run writes to files.

use std::path::PathBuf;

use crate::c3::outcome::Outcome;
use crate::c3::runtime::simulation::Simulation;
use crate::cli::CliError;
use crate::cli::machine::parse_address;

/// A range of memory to write to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dump {
    start: u32,
    length: u32,
    file: PathBuf,
    /// After which frame; after the last one unless it is named.
    frame: Option<u32>,
}

/// Reads `START:LENGTH:FILE[@FRAME]`.
pub(super) fn parse_dump(text: &str) -> Result<Dump, String> {
    let mut parts = text.splitn(3, ':');
    let mut next = || parts.next().filter(|part| !part.is_empty());
    let (Some(start), Some(length), Some(rest)) = (next(), next(), next()) else {
        return Err(format!("want START:LENGTH:FILE or START:LENGTH:FILE@FRAME, have {text:?}"));
    };
    let at = rest.rsplit_once('@').and_then(|(file, frame)| Some((file, frame.parse().ok()?)));
    let (file, frame) = match at {
        Some((file, frame)) if !file.is_empty() => (file, Some(frame)),
        _ => (rest, None),
    };
    Ok(Dump { start: parse_address(start)?, length: parse_address(length)?, file: file.into(), frame })
}

/// The dumps of a run: those of a frame are written when it has run.
pub(super) struct Dumps<'d> {
    wanted: &'d [Dump],
    written: Vec<bool>,
    error: Option<CliError>,
}

impl<'d> Dumps<'d> {
    /// # Errors
    /// When a frame is named that will not run.
    pub(super) fn new(dumps: &'d [Dump], frames: u32) -> Result<Self, CliError> {
        if let Some(frame) = dumps.iter().filter_map(|dump| dump.frame).find(|&frame| frame >= frames) {
            return Err(CliError(format!(
                "--dump: want a frame below {frames} (--frames; the first is 0), have {frame}"
            )));
        }
        Ok(Self { wanted: dumps, written: vec![false; dumps.len()], error: None })
    }

    /// Writes what is wanted after the frame that has just run.
    pub(super) fn after_frame(&mut self, outcome: &Outcome) {
        let frame = outcome.simulation.frames().checked_sub(1);
        self.write(&outcome.simulation, |dump| dump.frame.is_some() && dump.frame == frame);
    }

    /// Writes what is wanted after the last frame.
    ///
    /// # Errors
    /// When memory or a file does not take a dump, or the run ended before its frame.
    pub(super) fn finish(mut self, outcome: &Outcome) -> Result<(), CliError> {
        self.write(&outcome.simulation, |dump| dump.frame.is_none());
        if let Some(error) = self.error {
            return Err(error);
        }
        match self.wanted.iter().zip(&self.written).find(|(_, written)| !**written) {
            Some((dump, _)) => Err(CliError(format!(
                "--dump: want frame {} for {}, have a run that ended after {} frames",
                dump.frame.unwrap_or_default(),
                dump.file.display(),
                outcome.simulation.frames()
            ))),
            None => Ok(()),
        }
    }

    fn write(&mut self, simulation: &Simulation, wanted: impl Fn(&Dump) -> bool) {
        for (dump, written) in self.wanted.iter().zip(&mut self.written).filter(|(dump, _)| wanted(dump)) {
            *written = true;
            if let (Err(error), None) = (dump.write(simulation), &self.error) {
                self.error = Some(error);
            }
        }
    }
}

impl Dump {
    fn write(&self, simulation: &Simulation) -> Result<(), CliError> {
        let bytes = simulation.machine.memory(self.start, self.length).ok_or_else(|| {
            CliError(format!(
                "--dump: want {:#x} bytes of memory at {:#010x}, have none there",
                self.length, self.start
            ))
        })?;
        std::fs::write(&self.file, bytes).map_err(|error| CliError::file(&self.file, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_is_a_range_a_file_and_perhaps_a_frame() {
        let parsed = |text: &str| {
            parse_dump(text)
                .map(|dump| (dump.start, dump.length, dump.file.display().to_string(), dump.frame))
        };
        let want = |file: &str, frame| Ok((0x8000_0000, 0x20, file.to_owned(), frame));
        assert_eq!(parsed("0x80000000:0x20:after.bin"), want("after.bin", None));
        assert_eq!(parsed("0x80000000:32:a:b@c.bin@3"), want("a:b@c.bin", Some(3)));
        assert_eq!(parsed("0x80000000:32:me@home"), want("me@home", None));
        for wrong in ["0x80000000:0x20", "0x80000000:0x20:", "x:1:f", ""] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
