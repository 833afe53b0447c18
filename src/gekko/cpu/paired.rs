//! Paired single instructions.

use powerpc::Opcode as O;

use super::convert::{narrow_flushed, narrow_rounded, quieted, widen};
use super::execute::Engine;
use super::float::negated;
use super::fpscr::Precision::Single;
use super::instruction::Instruction;
use super::registers::HID2_LSQE;
use super::stop::StopReason;
use crate::gekko::bus::Bus;
use crate::gekko::machine::Access;
use crate::gekko::quantize::QuantizedType;

impl<B: Bus> Engine<'_, B> {
    /// Writes both lanes. FPRF is the class of ps0.
    #[inline]
    fn set_pair(&mut self, i: Instruction, pair: [f64; 2]) {
        self.cpu.fpr[i.d()] = pair;
        self.cpu.float.note(pair[0], Single);
        if i.rc() {
            self.record_float();
        }
    }

    /// Operands frA, frC, frB.
    #[inline]
    fn pairs(&self, i: Instruction) -> [[f64; 2]; 3] {
        [self.cpu.fpr[i.a()], self.cpu.fpr[i.c()], self.cpu.fpr[i.b()]]
    }

    /// Sums, products, quotients, estimates.
    pub(super) fn paired_arithmetic(&mut self, i: Instruction) {
        let [a, c, b] = self.pairs(i);
        let float = &mut self.cpu.float;
        let usual = match i.op {
            O::PsMul => float.multiply_pair(a, c),
            O::PsMuls0 => float.multiply_pair(a, [c[0]; 2]),
            O::PsMuls1 => float.multiply_pair(a, [c[1]; 2]),
            _ => None,
        };
        if let Some(pair) = usual {
            return self.set_pair(i, pair);
        }
        let pair = match i.op {
            O::PsAdd => [float.add(a[0], b[0], Single), float.add(a[1], b[1], Single)],
            O::PsSub => [float.subtract(a[0], b[0], Single), float.subtract(a[1], b[1], Single)],
            O::PsMul => [float.multiply(a[0], c[0], Single), float.multiply(a[1], c[1], Single)],
            O::PsMuls0 => [float.multiply_scalar(a[0], c[0]), float.multiply_scalar(a[1], c[0])],
            O::PsMuls1 => [float.multiply_scalar(a[0], c[1]), float.multiply_scalar(a[1], c[1])],
            O::PsDiv => [float.divide(a[0], b[0], Single), float.divide(a[1], b[1], Single)],
            O::PsSum0 => [float.add(a[0], b[1], Single), float.round(c[1], Single)],
            O::PsSum1 => [float.round(c[0], Single), float.add(a[0], b[1], Single)],
            O::PsRes => b.map(|lane| self.reciprocal(lane)),
            _ => b.map(|lane| {
                // ps_rsqrte
                let root = self.reciprocal_root(lane);
                self.cpu.float.round(root, Single)
            }),
        };
        self.set_pair(i, pair);
    }

    /// Fused multiply-adds.
    #[inline]
    pub(super) fn paired_multiply_add(&mut self, i: Instruction) {
        let [a, c, b] = self.pairs(i);
        let c = match i.op {
            O::PsMadds0 => [c[0]; 2],
            O::PsMadds1 => [c[1]; 2],
            _ => c,
        };
        if matches!(i.op, O::PsMadds0 | O::PsMadds1 | O::PsMadd)
            && let Some(pair) = self.cpu.float.multiply_add_pair(a, c, b)
        {
            return self.set_pair(i, pair);
        }
        let lanes = [[a[0], c[0], b[0]], [a[1], c[1], b[1]]];
        let float = &mut self.cpu.float;
        let pair = match i.op {
            O::PsMsub => lanes.map(|lane| float.multiply_add(lane, true, Single)),
            O::PsNmadd => lanes.map(|lane| float.negative_multiply_add(lane, false, Single)),
            O::PsNmsub => lanes.map(|lane| float.negative_multiply_add(lane, true, Single)),
            _ => lanes.map(|lane| float.multiply_add(lane, false, Single)),
        };
        self.set_pair(i, pair);
    }

    /// Moves, merges, selections: no arithmetic, no status.
    pub(super) fn paired_move(&mut self, i: Instruction) {
        let [a, c, b] = self.pairs(i);
        let clear_sign = |lane: f64| f64::from_bits(lane.to_bits() & !(1 << 63));
        let select = |lane: usize| if a[lane] >= 0.0 { c[lane] } else { b[lane] };
        self.cpu.fpr[i.d()] = match i.op {
            O::PsMr => b,
            O::PsNeg => b.map(negated),
            O::PsAbs => b.map(clear_sign),
            O::PsNabs => b.map(|lane| negated(clear_sign(lane))),
            O::PsMerge00 => [a[0], b[0]],
            O::PsMerge01 => [a[0], b[1]],
            O::PsMerge10 => [a[1], b[0]],
            O::PsMerge11 => [a[1], b[1]],
            _ => [select(0), select(1)], // ps_sel
        };
        if i.rc() {
            self.record_float();
        }
    }

    /// Comparisons of one lane.
    pub(super) fn paired_compare(&mut self, i: Instruction) {
        let [a, _, b] = self.pairs(i);
        let lane = usize::from(matches!(i.op, O::PsCmpu1 | O::PsCmpo1));
        let ordered = matches!(i.op, O::PsCmpo0 | O::PsCmpo1);
        self.compare_lanes(i, a[lane], b[lane], ordered);
    }

    /// Quantized loads and stores.
    #[inline]
    pub(super) fn paired_memory(&mut self, i: Instruction) -> Access<()> {
        if self.cpu.hid2 & HID2_LSQE == 0 {
            return Err(self.halt(StopReason::PairedSinglesOff));
        }
        let indexed = matches!(i.op, O::PsqLx | O::PsqLux | O::PsqStx | O::PsqStux);
        let update = matches!(i.op, O::PsqLu | O::PsqLux | O::PsqStu | O::PsqStux);
        let load = matches!(i.op, O::PsqL | O::PsqLu | O::PsqLx | O::PsqLux);
        let base = if update { self.cpu.gpr[i.a()] } else { self.base(i) };
        let (offset, fields) = if indexed {
            (self.cpu.gpr[i.b()], i.code >> 7)
        } else {
            (((i.code << 20) as i32 >> 20) as u32, i.code >> 12)
        };
        let address = base.wrapping_add(offset);
        let (register, single) = ((fields & 7) as usize, fields & 8 != 0);
        if load {
            let lanes = self.bus.load_pair(address, single, register, self.site())?;
            self.cpu.fpr[i.d()] = if lanes[0].is_nan() || lanes[1].is_nan() {
                // A NaN keeps every bit, which a conversion does not; the JIT quiets it.
                let jit = self.cpu.float.is_jit();
                let widened = lanes.map(|lane| widen(lane.to_bits()));
                widened.map(|lane| if jit && lane.is_nan() { quieted(lane, true) } else { lane })
            } else {
                [f64::from(lanes[0]), f64::from(lanes[1])]
            };
        } else {
            let lanes = self.lanes_to_store(i.d(), register);
            self.bus.store_pair(address, lanes, single, register, self.site())?;
        }
        if update {
            self.cpu.gpr[i.a()] = address;
        }
        Ok(())
    }

    /// As a float a lane is cut to a single (rounded by the JIT); to be quantized it is rounded to one.
    /// [measured: Dolphin 5.0-17995]
    #[inline]
    fn lanes_to_store(&mut self, source: usize, register: usize) -> [f32; 2] {
        let lanes = self.cpu.fpr[source];
        match self.bus.machine().gqr[register].store_type() {
            QuantizedType::Float | QuantizedType::Invalid(_) if self.cpu.float.is_jit() => {
                let flush = self.cpu.float.flushes();
                lanes.map(|lane| f32::from_bits(narrow_rounded(lane, flush)))
            }
            QuantizedType::Float | QuantizedType::Invalid(_) => {
                [f32::from_bits(narrow_flushed(lanes[0])), f32::from_bits(narrow_flushed(lanes[1]))]
            }
            _ => [lanes[0] as f32, lanes[1] as f32],
        }
    }
}
