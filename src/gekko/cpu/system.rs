//! Special purpose registers, cache instructions, and what synchronises.

use powerpc::Opcode as O;

use super::execute::Engine;
use super::instruction::Instruction;
use super::registers::{HID2_DMAQL, HID2_DMAQL_SHIFT, HID2_LCE, spr};
use super::stop::StopReason;
use crate::gekko::address::{LINE_SIZE, line_start};
use crate::gekko::bus::Bus;
use crate::gekko::locked_cache::{DMAL_TRIGGER, DmaRegisters};
use crate::gekko::machine::Access;
use crate::gekko::quantize::Gqr;

/// Processor cycles per tick of the time base; an instruction counts as one cycle.
const CYCLES_PER_TICK: u64 = 12;

impl<B: Bus> Engine<'_, B> {
    /// Moves from and to special registers, traps, synchronisation.
    pub(super) fn system(&mut self, i: Instruction) -> Access<()> {
        match i.op {
            O::Mfspr | O::Mftb => self.cpu.gpr[i.d()] = self.special(i.spr()),
            O::Mtspr => return self.set_special(i.spr(), self.cpu.gpr[i.d()]),
            O::Mfmsr => self.cpu.gpr[i.d()] = self.cpu.msr,
            O::Mtmsr => self.cpu.msr = self.cpu.gpr[i.d()],
            O::Mfsr => self.cpu.gpr[i.d()] = self.cpu.segment[i.a() & 15],
            O::Mtsr => self.cpu.segment[i.a() & 15] = self.cpu.gpr[i.d()],
            O::Mfsrin => self.cpu.gpr[i.d()] = self.cpu.segment[(self.cpu.gpr[i.b()] >> 28) as usize],
            O::Mtsrin => self.cpu.segment[(self.cpu.gpr[i.b()] >> 28) as usize] = self.cpu.gpr[i.d()],
            O::Tw | O::Twi if self.traps(i) => return Err(self.halt(StopReason::Trap)),
            // The SDK ends its cache range functions with `sc`; its handler only waits for the
            // stores to reach memory, which here they have. `sync` and its like wait likewise.
            _ => {}
        }
        Ok(())
    }

    fn time_base(&self) -> u64 {
        (self.cpu.executed + self.executed_in_run()) / CYCLES_PER_TICK
    }

    fn special(&mut self, number: usize) -> u32 {
        match number {
            spr::XER => self.cpu.xer,
            spr::LR => self.cpu.lr,
            spr::CTR => self.cpu.ctr,
            spr::HID2 => self.cpu.hid2 | (self.bus.machine().poll_transfers() << HID2_DMAQL_SHIFT),
            spr::TBL => self.time_base() as u32,
            spr::TBU => (self.time_base() >> 32) as u32,
            spr::GQR0..=spr::GQR7 => self.bus.machine().gqr[number - spr::GQR0].0,
            _ => self.cpu.special[number],
        }
    }

    fn set_special(&mut self, number: usize, value: u32) -> Access<()> {
        match number {
            spr::XER => self.cpu.xer = value & 0xe000_007f,
            spr::LR => self.cpu.lr = value,
            spr::CTR => self.cpu.ctr = value,
            spr::HID2 => self.cpu.hid2 = value & !HID2_DMAQL,
            spr::GQR0..=spr::GQR7 => self.bus.machine().gqr[number - spr::GQR0] = Gqr(value),
            spr::DMAL => return self.start_transfer(value),
            // The time base runs by the instructions executed and cannot be set.
            spr::PVR | spr::TBL | spr::TBU | spr::TBL_WRITE | spr::TBU_WRITE => {}
            _ => self.cpu.special[number] = value,
        }
        Ok(())
    }

    /// The trigger bit starts a transfer and reads back as 0.
    /// [measured: Dolphin 5.0-17995]
    fn start_transfer(&mut self, lower: u32) -> Access<()> {
        self.cpu.special[spr::DMAL] = lower & !DMAL_TRIGGER;
        if lower & DMAL_TRIGGER != 0 {
            let upper = self.cpu.special[spr::DMAU];
            self.bus.transfer(DmaRegisters { upper, lower }, self.site())?;
        }
        Ok(())
    }

    /// Cache instructions. `dcbt` and `dcbtst` are hints that nothing takes.
    pub(super) fn cache(&mut self, i: Instruction) -> Access<()> {
        let address = self.base(i).wrapping_add(self.cpu.gpr[i.b()]);
        let site = self.site();
        match i.op {
            O::Dcbz => self.bus.zero_line(address, site)?,
            // Without the locked cache nothing is written. [measured: Dolphin 5.0-17995 interpreter]
            O::DcbzL if self.cpu.hid2 & HID2_LCE != 0 => self.bus.zero_line(address, site)?,
            O::Dcbst => self.bus.store_line(address, site),
            O::Dcbf => self.bus.flush_line(address, site),
            O::Dcbi => self.bus.machine().invalidate_line(address),
            O::Icbi => self.fetch_again(line_start(address)),
            _ => {}
        }
        Ok(())
    }

    /// `icbi`: the line's instructions are decoded again from memory.
    fn fetch_again(&mut self, line: u32) {
        for offset in (0..LINE_SIZE).step_by(4) {
            let address = line.wrapping_add(offset);
            let word = self.bus.machine().memory(address, 4).and_then(|bytes| bytes.try_into().ok());
            if let Some(word) = word {
                self.program.replace(address, u32::from_be_bytes(word));
            }
        }
    }
}
