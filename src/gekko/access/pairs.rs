//! Quantized loads and stores, `psq_l` and `psq_st`: the access and its conversion.

use crate::gekko::fault::Site;
use crate::gekko::machine::{Access, Machine};
use crate::gekko::paired_single::Arithmetic;
use crate::gekko::quantize::{QuantizedType, dequantize, quantize};

impl Machine {
    /// `psq_l` through GQR `register`: two lanes, or one lane and 1.0. Each element of a pair is part
    /// of one access. [machine.md A4: H]
    ///
    /// # Errors
    /// [`Halt`](crate::gekko::machine::Halt) at a fault, when the machine stops at faults; otherwise the element reads as 0.
    #[inline]
    pub fn load_pair(&mut self, address: u32, single: bool, register: usize, site: Site) -> Access<[f32; 2]> {
        let (raw, _) = self.load_raw(address, single, register, site)?;
        Ok(self.dequantize_pair(raw, single, register))
    }

    /// The access half of `psq_l`: the raw bytes of one or two elements, and how many.
    ///
    /// # Errors
    /// As [`Machine::load_pair`].
    #[inline]
    pub fn load_raw(
        &mut self,
        address: u32,
        single: bool,
        register: usize,
        site: Site,
    ) -> Access<(u64, u32)> {
        let element = self.gqr[register].load_type().size();
        let size = if single { element } else { 2 * element };
        Ok((self.read(address, size, site)?, size))
    }

    /// The conversion half of `psq_l`.
    #[inline]
    pub fn dequantize_pair(&self, raw: u64, single: bool, register: usize) -> [f32; 2] {
        let (kind, factor) = (self.gqr[register].load_type(), self.gqr[register].load_factor());
        if single {
            return [dequantize(raw as u32, kind, factor), 1.0];
        }
        let element = |shift: u32| dequantize((raw >> shift) as u32, kind, factor);
        [element(8 * kind.size()), element(0)]
    }

    /// The conversion half of `psq_st`: the raw bytes of one or two elements, and how many.
    #[inline]
    pub fn quantize_pair(&self, lanes: [f32; 2], single: bool, register: usize) -> (u64, u32) {
        let (kind, factor) = (self.gqr[register].store_type(), self.gqr[register].store_factor());
        let is_float = matches!(kind, QuantizedType::Float | QuantizedType::Invalid(_));
        let bits = |lane: f32| match self.config().arithmetic {
            // The JIT flushes a float by FPSCR.NI, which was done where it is known.
            Arithmetic::Jit if is_float => u64::from(lane.to_bits()),
            _ => u64::from(quantize(lane, kind, factor, self.config().nan_store, !single)),
        };
        let size = kind.size();
        if single {
            return (bits(lanes[0]), size);
        }
        ((bits(lanes[0]) << (8 * size)) | bits(lanes[1]), 2 * size)
    }

    /// `psq_st` through GQR `register`: both lanes, or the first.
    ///
    /// # Errors
    /// [`Halt`](crate::gekko::machine::Halt) at a fault, when the machine stops at faults; otherwise the write is dropped.
    #[inline]
    pub fn store_pair(
        &mut self,
        address: u32,
        lanes: [f32; 2],
        single: bool,
        register: usize,
        site: Site,
    ) -> Access<()> {
        let (value, size) = self.quantize_pair(lanes, single, register);
        self.write(address, size, value, site)
    }
}

#[cfg(test)]
mod tests {
    use crate::gekko::access::testing::{SITE, faults, machine};
    use crate::gekko::bus::Bus as _;
    use crate::gekko::map::Target;
    use crate::gekko::quantize::Gqr;

    #[test]
    fn a_pair_is_one_access_and_a_single_loads_one_as_its_second_lane() {
        let mut machine = machine(Target::Dolphin);
        machine.gqr[7] = Gqr::both(7, 4);
        machine.write(0x8000_1000, 4, 0x0010_fff0, SITE).unwrap();
        assert_eq!(machine.load_pair(0x8000_1000, false, 7, SITE), Ok([1.0, -1.0]));
        assert_eq!(machine.load_pair(0x8000_1000, true, 7, SITE), Ok([1.0, 1.0]));
        machine.store_pair(0x8000_1004, [2.5, -2.5], false, 7, SITE).unwrap();
        assert_eq!(machine.read_u32(0x8000_1004, SITE), Ok(0x0028_ffd8));
        machine.load_pair(0, false, 7, SITE).unwrap();
        assert_eq!(faults(&mut machine), [(0, 4)]);
    }
}
