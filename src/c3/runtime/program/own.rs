//! Our own kernels and frame driver, linked where the games have the library's: what the processor
//! runs when no program is given. Their sources are in `ppc_traces/kernels`.

use crate::bytes::ReadResult;
use crate::c3::runtime::code::{GameCode, SUPERSTAR};
use crate::gekko::executable::Executable;

const AT_SLUGGERS: &[u8] = include_bytes!("../../../../ppc_traces/kernels/sluggers.elf");
const AT_SUPERSTAR: &[u8] = include_bytes!("../../../../ppc_traces/kernels/superstar.elf");

/// The kernels at the addresses that a game has them at.
///
/// # Errors
/// Never: the file is part of the library, and a test reads it.
pub fn kernels(code: &GameCode) -> ReadResult<Executable> {
    Executable::read(if code.game == SUPERSTAR.game { AT_SUPERSTAR } else { AT_SLUGGERS })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::runtime::code::SLUGGERS;
    use crate::c3::runtime::program::{Functions, INIT};
    use crate::gekko::cpu::Program;

    #[test]
    fn the_kernels_lie_where_the_games_have_them() {
        for code in [SLUGGERS, SUPERSTAR] {
            let executable = kernels(&code).unwrap();
            let mut program = Program::new();
            for section in &executable.sections {
                program.add(section.address, &section.bytes);
            }
            let functions = Functions::new(&[], &executable, &code, &program);
            assert_eq!(functions.start_as_listed("one-bone"), code.one_bone.base);
            assert_eq!(functions.start_as_listed("two-bone"), code.two_bone.base);
            assert_eq!(functions.start_as_listed("accumulate"), code.accumulate.base);
            assert_eq!(functions.start("clear"), code.clear.base);
            assert!(functions.address(INIT).is_some());
            // What reorders matrices is a part of the frame, behind its first return.
            let frame = functions.start("frame").unwrap();
            assert_eq!(functions.locate(frame + 0x438).to_string(), "frame+0x438");
        }
    }
}
