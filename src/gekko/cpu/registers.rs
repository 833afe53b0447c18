//! The registers, by the names of the manual, and what they hold when a game calls a function.

use super::fpscr::FloatUnit;
use crate::gekko::map::Console;

/// XER: summary overflow.
pub(super) const XER_SO: u32 = 0x8000_0000;
/// XER: overflow.
pub(super) const XER_OV: u32 = 0x4000_0000;
/// XER: carry.
pub(super) const XER_CA: u32 = 0x2000_0000;

/// HID2: quantized loads and stores enabled.
pub const HID2_LSQE: u32 = 0x8000_0000;
/// HID2: locked cache enabled.
pub const HID2_LCE: u32 = 0x1000_0000;
/// MSR: data addresses are translated.
pub(super) const MSR_DR: u32 = 0x0000_0010;
/// MSR: instruction addresses are translated.
pub(super) const MSR_IR: u32 = 0x0000_0020;
/// HID0: data cache enabled.
pub(super) const HID0_DCE: u32 = 0x0000_4000;
/// HID0: data cache locked.
pub(super) const HID0_DLOCK: u32 = 0x0000_1000;
/// HID0: the instruction cache is emptied.
pub(super) const HID0_ICFI: u32 = 0x0000_0800;
/// HID0: the data cache is emptied.
pub(super) const HID0_DCFI: u32 = 0x0000_0400;

/// HID2: length of the DMA queue, read only. Always 0 where transfers happen at once.
pub(super) const HID2_DMAQL: u32 = 0x0f00_0000;
/// Where that length lies in HID2.
pub(super) const HID2_DMAQL_SHIFT: u32 = 24;

/// Numbers of special purpose registers.
pub(super) mod spr {
    pub const XER: usize = 1;
    pub const LR: usize = 8;
    pub const CTR: usize = 9;
    pub const SRR0: usize = 26;
    pub const SRR1: usize = 27;
    pub const TBL: usize = 268;
    pub const TBU: usize = 269;
    pub const TBL_WRITE: usize = 284;
    pub const TBU_WRITE: usize = 285;
    pub const PVR: usize = 287;
    pub const GQR0: usize = 912;
    pub const GQR7: usize = 919;
    /// The data BATs, upper and lower words in turn, and the four more of Broadway.
    pub const DBAT0U: usize = 536;
    pub const DBAT3L: usize = 543;
    pub const DBAT4U: usize = 568;
    pub const DBAT7L: usize = 575;
    pub const HID2: usize = 920;
    pub const DMAU: usize = 922;
    pub const DMAL: usize = 923;
    pub const HID0: usize = 1008;
}

/// MSR while a game runs: external interrupts, floating point, machine check, translation,
/// recoverable. [derived from the boot state and the SDK's start-up]
const MSR_RUNNING: u32 = 0x0000_b032;

/// Instruction BATs as the boot loader leaves them, the second pair and HID4 on a Wii alone. Fetches are
/// not translated by them: known text is known by its address. [measured: Dolphin 5.0-17995]
const BOOT_GAMECUBE: [(usize, u32); 2] = [(528, 0x8000_1fff), (529, 0x0000_0002)];
const BOOT_WII: [(usize, u32); 3] = [(560, 0x9000_1fff), (561, 0x1000_0002), (1011, 0x8390_0000)];

/// The processor's registers.
#[derive(Debug, Clone, PartialEq)]
pub struct Cpu {
    /// General purpose registers.
    pub gpr: [u32; 32],
    /// Floating point registers: ps0 and ps1, each held as a double.
    pub fpr: [[f64; 2]; 32],
    /// Condition register, field 0 in the top four bits.
    pub cr: u32,
    /// Link register.
    pub lr: u32,
    /// Count register.
    pub ctr: u32,
    /// Fixed point exceptions: SO, OV, CA and the string length.
    pub xer: u32,
    /// Machine state. DR and IR count; nothing else here depends on it.
    pub msr: u32,
    /// FPSCR and the arithmetic that it governs.
    pub float: FloatUnit,
    /// Hardware implementation register 2.
    pub hid2: u32,
    /// Instructions executed so far; the time base runs a twelfth as fast.
    pub executed: u64,
    pub(super) segment: [u32; 16],
    pub(super) special: Vec<u32>,
    pub(super) reservation: Option<u32>,
}

impl Cpu {
    /// The registers of a console after boot, FPSCR.NI set as the SDK's start-up sets it.
    /// [measured: Dolphin 5.0-17995; machine.md A4]
    pub fn new(console: Console) -> Self {
        let (version, hid0) = match console {
            Console::GameCube => (0x0008_3214, 0x0011_c464),
            Console::Wii => (0x0008_7102, 0x0011_c664),
        };
        let mut special = vec![0; 1024];
        special[spr::PVR] = version;
        special[spr::HID0] = hid0;
        let broadway = if console == Console::Wii { &BOOT_WII[..] } else { &[] };
        for &(number, value) in BOOT_GAMECUBE.iter().chain(broadway) {
            special[number] = value;
        }
        Self {
            gpr: [0; 32],
            fpr: [[0.0; 2]; 32],
            cr: 0,
            lr: 0,
            ctr: 0,
            xer: 0,
            msr: MSR_RUNNING,
            float: FloatUnit::default(),
            hid2: 0xe000_0000,
            executed: 0,
            segment: [0; 16],
            special,
            reservation: None,
        }
    }

    /// One condition register field, its four bits right-aligned.
    #[inline]
    pub fn cr_field(&self, field: usize) -> u32 {
        (self.cr >> (28 - 4 * field)) & 0xf
    }

    #[inline]
    pub(super) fn set_cr_field(&mut self, field: usize, bits: u32) {
        let shift = 28 - 4 * field;
        self.cr = (self.cr & !(0xf << shift)) | (bits << shift);
    }

    /// CR0 from a signed result and XER.SO.
    #[inline]
    pub(super) fn record(&mut self, result: u32) {
        let order = match (result as i32).cmp(&0) {
            std::cmp::Ordering::Less => 8,
            std::cmp::Ordering::Greater => 4,
            std::cmp::Ordering::Equal => 2,
        };
        self.set_cr_field(0, order | (self.xer >> 31));
    }

    #[inline]
    pub(super) fn set_carry(&mut self, carry: bool) {
        self.xer = if carry { self.xer | XER_CA } else { self.xer & !XER_CA };
    }

    #[inline]
    pub(super) fn set_overflow(&mut self, overflow: bool) {
        self.xer = if overflow { self.xer | XER_OV | XER_SO } else { self.xer & !XER_OV };
    }

    #[inline]
    pub(super) fn carry(&self) -> u32 {
        (self.xer >> 29) & 1
    }
}
