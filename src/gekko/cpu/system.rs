//! Special purpose registers, cache instructions, and what synchronises.

use powerpc::Opcode as O;

use super::execute::Engine;
use super::instruction::Instruction;
use super::registers::{
    HID0_DCE, HID0_DCFI, HID0_DLOCK, HID0_ICFI, HID2_DMAQL, HID2_DMAQL_SHIFT, HID2_LCE, MSR_DR, spr,
};
use super::stop::StopReason;
use crate::gekko::address::{LINE_SIZE, line_start};
use crate::gekko::bus::Bus;
use crate::gekko::locked_cache::{DMAL_TRIGGER, DmaRegisters};
use crate::gekko::machine::Access;
use crate::gekko::map::Console;
use crate::gekko::quantize::Gqr;
use crate::gekko::translation::Bat;

/// Processor cycles per tick of the time base; an instruction counts as one cycle.
const CYCLES_PER_TICK: u64 = 12;

impl<B: Bus> Engine<'_, B> {
    /// Moves from and to special registers, traps, synchronisation.
    pub(super) fn system(&mut self, i: Instruction) -> Access<()> {
        match i.op {
            O::Mfspr | O::Mftb => self.cpu.gpr[i.d()] = self.special(i.spr()),
            O::Mtspr => return self.set_special(i.spr(), self.cpu.gpr[i.d()]),
            O::Mfmsr => self.cpu.gpr[i.d()] = self.cpu.msr,
            O::Mtmsr => self.set_msr(self.cpu.gpr[i.d()]),
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

    /// Writes MSR: from the next access on, DR says whether addresses are translated.
    pub(super) fn set_msr(&mut self, value: u32) {
        self.cpu.msr = value;
        self.bus.machine().translation.set_on(value & MSR_DR != 0);
    }

    /// The pair of data BATs that a special register is half of; the upper half is the even one.
    fn data_bat(&mut self, number: usize) -> Option<usize> {
        match number {
            spr::DBAT0U..=spr::DBAT3L => Some((number - spr::DBAT0U) / 2),
            // Gekko has four pairs.
            spr::DBAT4U..=spr::DBAT7L if self.bus.machine().config().map.console == Console::Wii => {
                Some(4 + (number - spr::DBAT4U) / 2)
            }
            _ => None,
        }
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
            _ => match self.data_bat(number) {
                Some(pair) => half(self.bus.machine().translation.bat(pair), number),
                None => self.cpu.special[number],
            },
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
            spr::HID0 => return self.set_hid0(value),
            _ => match self.data_bat(number) {
                Some(pair) => {
                    let translation = &mut self.bus.machine().translation;
                    let mut bat = translation.bat(pair);
                    *(if number.is_multiple_of(2) { &mut bat.upper } else { &mut bat.lower }) = value;
                    translation.set_bat(pair, bat);
                }
                None => self.cpu.special[number] = value,
            },
        }
        Ok(())
    }

    /// Emptying a cache happens at once, and its bit reads back as 0. A data cache that is switched off or
    /// locked is not modelled; on Dolphin there is none.
    fn set_hid0(&mut self, value: u32) -> Access<()> {
        if value & HID0_ICFI != 0 {
            for line in self.program.lines() {
                self.fetch_again(line);
            }
        }
        if let Some(cache) = self.bus.machine().data_cache.as_mut() {
            if value & (HID0_DCE | HID0_DLOCK) != HID0_DCE {
                return Err(self.halt(StopReason::CacheMode(value)));
            }
            if value & HID0_DCFI != 0 {
                cache.invalidate();
            }
        }
        self.cpu.special[spr::HID0] = value & !(HID0_ICFI | HID0_DCFI);
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
            // Without the data cache nothing is written, but by the JIT. [measured: Dolphin 5.0-17995]
            O::Dcbz if self.cpu.special[spr::HID0] & HID0_DCE != 0 || self.cpu.float.is_jit() => {
                self.bus.zero_line(address, site)?;
            }
            // Without the locked cache nothing is written. [measured: Dolphin 5.0-17995 interpreter]
            O::DcbzL if self.cpu.hid2 & HID2_LCE != 0 => self.bus.lock_line(address, site)?,
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

/// One word of a BAT pair; the even register is the upper one.
fn half(bat: Bat, number: usize) -> u32 {
    if number.is_multiple_of(2) { bat.upper } else { bat.lower }
}
