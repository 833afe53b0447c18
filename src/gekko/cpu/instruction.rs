//! An instruction, decoded once: the word, which instruction it is, and which unit executes it.

use powerpc::{Extensions, Ins, Opcode};

/// The part of the interpreter that executes an instruction: one match per unit, so that none grows
/// past a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Unknown,
    Add,
    Multiply,
    Logical,
    Shift,
    Compare,
    LoadInteger,
    StoreInteger,
    LoadMultiple,
    LoadFloat,
    StoreFloat,
    Branch,
    Condition,
    FloatArithmetic,
    FloatMultiplyAdd,
    FloatMove,
    FloatStatus,
    PairedArithmetic,
    PairedMultiplyAdd,
    PairedMove,
    PairedCompare,
    PairedMemory,
    Cache,
    System,
}

/// A decoded instruction.
#[derive(Debug, Clone, Copy)]
pub struct Instruction {
    /// The instruction word.
    pub code: u32,
    pub(super) op: Opcode,
    pub(super) unit: Unit,
}

impl Instruction {
    /// Decodes a word with the instruction set of Gekko and Broadway.
    pub fn decode(code: u32) -> Self {
        let op = Opcode::detect(code, Extensions::gekko_broadway());
        Self { code, op, unit: unit(op) }
    }

    /// The instruction as an assembler writes it.
    pub fn text(code: u32) -> String {
        Ins::new(code, Extensions::gekko_broadway()).simplified().to_string()
    }

    #[inline]
    const fn field(self, shift: u32) -> usize {
        ((self.code >> shift) & 31) as usize
    }

    /// rD, rS, frD, frS, crbD, BO or TO.
    #[inline]
    pub(super) const fn d(self) -> usize {
        self.field(21)
    }

    /// rA, frA, crbA or BI.
    #[inline]
    pub(super) const fn a(self) -> usize {
        self.field(16)
    }

    /// rB, frB, crbB, SH or NB.
    #[inline]
    pub(super) const fn b(self) -> usize {
        self.field(11)
    }

    /// frC or MB.
    #[inline]
    pub(super) const fn c(self) -> usize {
        self.field(6)
    }

    /// ME.
    #[inline]
    pub(super) const fn mask_end(self) -> usize {
        self.field(1)
    }

    /// The condition register field written by a comparison.
    #[inline]
    pub(super) const fn crf_d(self) -> usize {
        self.field(21) >> 2
    }

    /// The condition register (or FPSCR) field read by a field move.
    #[inline]
    pub(super) const fn crf_s(self) -> usize {
        self.field(16) >> 2
    }

    /// The sign-extended 16-bit immediate or displacement.
    #[inline]
    pub(super) const fn simm(self) -> u32 {
        self.code as i16 as i32 as u32
    }

    /// The zero-extended 16-bit immediate.
    #[inline]
    pub(super) const fn uimm(self) -> u32 {
        self.code & 0xffff
    }

    /// Rc: record into CR0 or CR1.
    #[inline]
    pub(super) const fn rc(self) -> bool {
        self.code & 1 != 0
    }

    /// OE: record overflow.
    #[inline]
    pub(super) const fn oe(self) -> bool {
        self.code & 0x400 != 0
    }

    /// The number of a special purpose or time base register, its halves swapped back.
    #[inline]
    pub(super) const fn spr(self) -> usize {
        self.a() | (self.b() << 5)
    }
}

fn unit(op: Opcode) -> Unit {
    integer_unit(op)
        .or_else(|| memory_unit(op))
        .or_else(|| float_unit(op))
        .or_else(|| control_unit(op))
        .unwrap_or(Unit::Unknown)
}

#[rustfmt::skip]
fn integer_unit(op: Opcode) -> Option<Unit> {
    use Opcode as O;
    Some(match op {
        O::Add | O::Addc | O::Adde | O::Addme | O::Addze | O::Addi | O::Addis | O::Addic | O::Addic_
        | O::Subf | O::Subfc | O::Subfe | O::Subfme | O::Subfze | O::Subfic | O::Neg => Unit::Add,
        O::Mulli | O::Mullw | O::Mulhw | O::Mulhwu | O::Divw | O::Divwu => Unit::Multiply,
        O::And | O::Andc | O::Or | O::Orc | O::Xor | O::Nand | O::Nor | O::Eqv | O::Andi_ | O::Andis_
        | O::Ori | O::Oris | O::Xori | O::Xoris | O::Extsb | O::Extsh | O::Cntlzw => Unit::Logical,
        O::Slw | O::Srw | O::Sraw | O::Srawi | O::Rlwinm | O::Rlwimi | O::Rlwnm => Unit::Shift,
        O::Cmp | O::Cmpl | O::Cmpi | O::Cmpli => Unit::Compare,
        _ => return None,
    })
}

#[rustfmt::skip]
fn memory_unit(op: Opcode) -> Option<Unit> {
    use Opcode as O;
    Some(match op {
        O::Lwz | O::Lwzu | O::Lwzx | O::Lwzux | O::Lhz | O::Lhzu | O::Lhzx | O::Lhzux | O::Lha | O::Lhau
        | O::Lhax | O::Lhaux | O::Lbz | O::Lbzu | O::Lbzx | O::Lbzux | O::Lwbrx | O::Lhbrx => Unit::LoadInteger,
        O::Stw | O::Stwu | O::Stwx | O::Stwux | O::Sth | O::Sthu | O::Sthx | O::Sthux | O::Stb | O::Stbu
        | O::Stbx | O::Stbux | O::Stwbrx | O::Sthbrx => Unit::StoreInteger,
        O::Lmw | O::Stmw | O::Lswi | O::Lswx | O::Stswi | O::Stswx | O::Lwarx | O::Stwcx_ => Unit::LoadMultiple,
        O::Lfs | O::Lfsu | O::Lfsx | O::Lfsux | O::Lfd | O::Lfdu | O::Lfdx | O::Lfdux => Unit::LoadFloat,
        O::Stfs | O::Stfsu | O::Stfsx | O::Stfsux | O::Stfd | O::Stfdu | O::Stfdx | O::Stfdux
        | O::Stfiwx => Unit::StoreFloat,
        O::PsqL | O::PsqLu | O::PsqLx | O::PsqLux | O::PsqSt | O::PsqStu | O::PsqStx
        | O::PsqStux => Unit::PairedMemory,
        O::Dcbf | O::Dcbi | O::Dcbst | O::Dcbt | O::Dcbtst | O::Dcbz | O::DcbzL | O::Icbi => Unit::Cache,
        _ => return None,
    })
}

#[rustfmt::skip]
fn float_unit(op: Opcode) -> Option<Unit> {
    use Opcode as O;
    Some(match op {
        O::Fadd | O::Fadds | O::Fsub | O::Fsubs | O::Fmul | O::Fmuls | O::Fdiv | O::Fdivs | O::Fres
        | O::Frsqrte | O::Frsp | O::Fctiw | O::Fctiwz => Unit::FloatArithmetic,
        O::Fmadd | O::Fmadds | O::Fmsub | O::Fmsubs | O::Fnmadd | O::Fnmadds | O::Fnmsub
        | O::Fnmsubs => Unit::FloatMultiplyAdd,
        O::Fmr | O::Fneg | O::Fabs | O::Fnabs | O::Fsel => Unit::FloatMove,
        O::Fcmpu | O::Fcmpo | O::Mffs | O::Mtfsf | O::Mtfsfi | O::Mtfsb0 | O::Mtfsb1
        | O::Mcrfs => Unit::FloatStatus,
        O::PsAdd | O::PsSub | O::PsMul | O::PsDiv | O::PsMuls0 | O::PsMuls1 | O::PsSum0 | O::PsSum1 | O::PsRes
        | O::PsRsqrte => Unit::PairedArithmetic,
        O::PsMadd | O::PsMadds0 | O::PsMadds1 | O::PsMsub | O::PsNmadd
        | O::PsNmsub => Unit::PairedMultiplyAdd,
        O::PsMr | O::PsNeg | O::PsAbs | O::PsNabs | O::PsSel | O::PsMerge00 | O::PsMerge01 | O::PsMerge10
        | O::PsMerge11 => Unit::PairedMove,
        O::PsCmpu0 | O::PsCmpu1 | O::PsCmpo0 | O::PsCmpo1 => Unit::PairedCompare,
        _ => return None,
    })
}

#[rustfmt::skip]
fn control_unit(op: Opcode) -> Option<Unit> {
    use Opcode as O;
    Some(match op {
        O::B | O::Bc | O::Bclr | O::Bcctr | O::Rfi => Unit::Branch,
        O::Crand | O::Crandc | O::Creqv | O::Crnand | O::Crnor | O::Cror | O::Crorc | O::Crxor | O::Mcrf
        | O::Mcrxr | O::Mfcr | O::Mtcrf => Unit::Condition,
        O::Mfspr | O::Mtspr | O::Mftb | O::Mfmsr | O::Mtmsr | O::Mfsr | O::Mfsrin | O::Mtsr | O::Mtsrin
        | O::Sc | O::Tw | O::Twi | O::Sync | O::Isync | O::Eieio | O::Tlbie | O::Tlbsync => Unit::System,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_takes_eight_bytes() {
        assert_eq!(size_of::<Instruction>(), 8);
    }

    #[test]
    fn instructions_know_their_unit_and_their_text() {
        let bdnz = Instruction::decode(0x4200_fff8);
        assert_eq!(bdnz.unit, Unit::Branch);
        assert_eq!(Instruction::decode(0).unit, Unit::Unknown);
        assert_eq!(Instruction::text(0x4200_fff8), "bdnz -0x8");
        assert_eq!(Instruction::text(0xe064_7000), "psq_l f3, 0x0(r4), 0, qr7");
    }

    #[test]
    fn no_word_is_too_odd_to_decode() {
        // Every opcode that the decoder knows for this processor has a unit.
        for word in (0..=u32::MAX).step_by(0x1_0001) {
            let instruction = Instruction::decode(word);
            let known = instruction.op != Opcode::Illegal;
            let odd = matches!(instruction.op, Opcode::Eciwx | Opcode::Ecowx);
            assert_eq!(instruction.unit == Unit::Unknown, !known || odd, "{word:08x} {:?}", instruction.op);
        }
    }
}
