//! One frame of skinning, in the order in which the library does it. [listing]
//!
//! ```text
//! GQR7 ← s16, header shift
//! SK1 list    load ahead · reorder · one-bone kernel in place · store lines
//! SK2 list    load ahead · reorder · two-bone kernel in place · store lines
//! SKAcc list  clear lines · accumulate kernel into memory · store cleared lines · flush by index
//! ```
//!
//! Everything the code reads from memory is read here from the machine's memory at the same moment.

use super::code::GameCode;
use super::header::HeaderAt;
use super::journal::{Journal, Stage};
use super::kernels::{VERTEX_GQR, WEIGHT_GQR};
use crate::c3::format::skn::List;
use crate::gekko::bus::Bus;
use crate::gekko::machine::Access;
use crate::gekko::quantize::Gqr;

mod accumulate;
mod bulk;
mod direct;
mod transfers;

/// How the memClr range is cleared. [open for Sluggers]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClearForm {
    /// Whole lines by `dcbz`, as the library's listing has it.
    #[default]
    Dcbz,
    /// Exactly the bytes of the range, as seed 003 guesses.
    Bytes,
}

/// Where the frame finds what it works on, and which code it is.
#[derive(Debug, Clone, Copy)]
pub struct FrameInput {
    /// Address of the SKN header.
    pub skn: u32,
    /// Address of the array of bone pointers.
    pub bones: u32,
    /// The game whose code runs.
    pub code: GameCode,
    /// How memClr clears.
    pub clear: ClearForm,
}

/// GQR type bits of s16.
const GQR_S16: u32 = 7;
/// GQR type bits of u8.
const GQR_U8: u32 = 4;
/// Scale of a weight byte.
const WEIGHT_SCALE: u32 = 8;

/// Executes one frame.
///
/// # Errors
/// [`crate::gekko::machine::Halt`] when execution ended early; the journal says where and why.
pub fn frame<B: Bus>(bus: &mut B, input: &FrameInput, journal: &mut Journal) -> Access<()> {
    let result = run_lists(bus, input, journal);
    journal.finish(bus.machine());
    result
}

fn run_lists<B: Bus>(bus: &mut B, input: &FrameInput, journal: &mut Journal) -> Access<()> {
    let header = HeaderAt(input.skn);
    journal.enter(bus.machine(), Stage::Sk1, None);
    set_quantization(bus, header)?;
    if header.count(bus, List::Sk1)? != 0 {
        direct::sk1(bus, input, journal)?;
    }
    journal.enter(bus.machine(), Stage::Sk2, None);
    if header.count(bus, List::Sk2)? != 0 {
        direct::sk2(bus, input, journal)?;
    }
    journal.enter(bus.machine(), Stage::SkAcc, None);
    if header.count(bus, List::SkAcc)? != 0 {
        accumulate::clear(bus, input, journal)?;
        accumulate::skacc(bus, input, journal)?;
        accumulate::store_cleared(bus, input, journal)?;
        accumulate::flush(bus, input, journal)?;
    }
    Ok(())
}

/// GQR7 := s16 at the header's shift; only six bits of it count. GQR0 and GQR6 were set at load time.
fn set_quantization<B: Bus>(bus: &mut B, header: HeaderAt) -> Access<()> {
    let shift = header.shift(bus)?;
    let machine = bus.machine();
    machine.gqr[0] = Gqr::default();
    machine.gqr[WEIGHT_GQR] = Gqr::both(GQR_U8, WEIGHT_SCALE);
    machine.gqr[VERTEX_GQR] = Gqr::both(GQR_S16, u32::from(shift));
    Ok(())
}
