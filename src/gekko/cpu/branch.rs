//! Branches, condition register logic, traps.

use powerpc::Opcode as O;

use super::execute::Engine;
use super::instruction::Instruction;
use super::registers::spr;
use crate::gekko::bus::Bus;

impl<B: Bus> Engine<'_, B> {
    /// The target of a branch that is taken.
    #[inline]
    pub(super) fn branch(&mut self, i: Instruction) -> Option<u32> {
        let next = self.pc.wrapping_add(4);
        let taken = match i.op {
            O::Bc | O::Bclr | O::Bcctr => self.taken(i),
            _ => true,
        };
        let target = match i.op {
            O::B => self.relative(i, (((i.code & 0x03ff_fffc) << 6) as i32 >> 6) as u32),
            O::Bc => self.relative(i, (i.code & 0xfffc) as i16 as i32 as u32),
            O::Bclr => self.cpu.lr & !3,
            O::Bcctr => self.cpu.ctr & !3,
            _ => {
                // rfi
                self.set_msr(self.cpu.special[spr::SRR1]);
                return Some(self.cpu.special[spr::SRR0] & !3);
            }
        };
        if i.code & 1 != 0 {
            self.cpu.lr = next;
        }
        taken.then_some(target)
    }

    fn relative(&self, i: Instruction, offset: u32) -> u32 {
        if i.code & 2 == 0 { self.pc.wrapping_add(offset) } else { offset }
    }

    /// BO and BI: the counter is decremented first, then both conditions count.
    #[inline]
    fn taken(&mut self, i: Instruction) -> bool {
        let options = i.d() as u32;
        let counter_holds = if options & 4 != 0 {
            true
        } else {
            self.cpu.ctr = self.cpu.ctr.wrapping_sub(1);
            (self.cpu.ctr == 0) == (options & 2 != 0)
        };
        let condition = (self.cpu.cr << i.a()) >> 31;
        let condition_holds = options & 0x10 != 0 || condition == (options >> 3) & 1;
        counter_holds && condition_holds
    }

    /// Logic on condition register bits, moves of whole fields.
    pub(super) fn condition(&mut self, i: Instruction) {
        let bit = |number: usize| (self.cpu.cr << number) >> 31 != 0;
        let (a, b) = (bit(i.a()), bit(i.b()));
        let result = match i.op {
            O::Crand => a & b,
            O::Crandc => a && !b,
            O::Creqv => a == b,
            O::Crnand => !(a & b),
            O::Crnor => !(a | b),
            O::Cror => a | b,
            O::Crorc => a || !b,
            O::Crxor => a ^ b,
            _ => return self.move_fields(i),
        };
        let mask = 0x8000_0000 >> i.d();
        self.cpu.cr = if result { self.cpu.cr | mask } else { self.cpu.cr & !mask };
    }

    fn move_fields(&mut self, i: Instruction) {
        let cpu = &mut *self.cpu;
        match i.op {
            O::Mcrf => cpu.set_cr_field(i.crf_d(), cpu.cr_field(i.crf_s())),
            O::Mcrxr => {
                cpu.set_cr_field(i.crf_d(), cpu.xer >> 28);
                cpu.xer &= 0x0fff_ffff;
            }
            O::Mfcr => cpu.gpr[i.d()] = cpu.cr,
            _ => {
                // mtcrf
                let mask = (0..8).fold(0, |mask, field| {
                    if i.code & (0x8_0000 >> field) == 0 { mask } else { mask | (0xf000_0000 >> (4 * field)) }
                });
                cpu.cr = (cpu.cr & !mask) | (cpu.gpr[i.d()] & mask);
            }
        }
    }

    /// Whether a trap instruction traps.
    pub(super) fn traps(&self, i: Instruction) -> bool {
        let a = self.cpu.gpr[i.a()];
        let b = if i.op == O::Twi { i.simm() } else { self.cpu.gpr[i.b()] };
        let options = i.d();
        (options & 16 != 0 && (a as i32) < b as i32)
            || (options & 8 != 0 && a as i32 > b as i32)
            || (options & 4 != 0 && a == b)
            || (options & 2 != 0 && a < b)
            || (options & 1 != 0 && a > b)
    }
}
