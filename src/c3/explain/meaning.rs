//! What a message means and what causes it, as far as it says so by itself.

use super::access::{Access, Routine};
use super::{Explanation, LOCKED_CACHE_END};
use crate::gekko::message::MessageKind;

/// The read at which Super Sluggers stops when no bone owns a rigid submesh. \[JAWS\]
pub const UNOWNED_SUBMESH: (u32, u32) = (8, 0x804F_F694);

/// A sentence each: the address, the cause.
pub fn of(one: &Explanation) -> Vec<String> {
    [address(one), Some(cause(one).to_owned())].into_iter().flatten().collect()
}

fn address(one: &Explanation) -> Option<String> {
    let address = one.message.address;
    let transfer = one.message.kind == MessageKind::Transfer;
    Some(match address {
        _ if transfer => return None,
        LOCKED_CACHE_END => {
            "0xe0040000 is where the 256 KiB end that Dolphin keeps for the locked cache. A console's ends at 0xe0004000."
                .to_owned()
        }
        _ if one.runs_off() => format!(
            "{address:#010x} lies {:#x} bytes past the end of the 256 KiB that Dolphin keeps for the locked cache: the \
             first message of the same loop names 0xe0040000.",
            address - LOCKED_CACHE_END
        ),
        0xE000_0000..LOCKED_CACHE_END => {
            "The address lies in the locked cache, which answers: it fails only where no BAT maps it, so `LCEnable` \
             has not run, or something has undone it."
                .to_owned()
        }
        0..0x1000 => "The address is a null pointer, or a field of a structure at a null pointer.".to_owned(),
        0x1000..0x8000_0000 => {
            "The address is none of main memory: an offset that was never relocated, or other bytes taken for a \
             pointer."
                .to_owned()
        }
        _ => return None,
    })
}

fn cause(one: &Explanation) -> &'static str {
    let message = &one.message;
    if message.kind == MessageKind::Transfer {
        return transfer(one);
    }
    if message.pc.is_some_and(|pc| (message.address, pc) == UNOWNED_SUBMESH) {
        return "No bone owns a rigid submesh: every submesh but the skinned one needs a bone whose GEO ID names it.";
    }
    if let Some(access) = one.access.filter(|access| !access.can_be(message.kind)) {
        return other_kind(access);
    }
    match one.routine {
        Some(routine @ (Routine::OneBone | Routine::TwoBone | Routine::Accumulate)) => kernel(one, routine),
        Some(routine) => outside_kernels(one, routine),
        None => elsewhere(one),
    }
}

/// An instruction that does something else than the message tells.
fn other_kind(access: Access) -> &'static str {
    if access.can_be(MessageKind::Read) {
        "The instruction reads, and the message tells of a write: the PC is not the message's, or the code is another \
         build."
    } else {
        "The instruction writes, and the message tells of a read: the PC is not the message's, or the code is another \
         build."
    }
}

fn kernel(one: &Explanation, kernel: Routine) -> &'static str {
    let accumulates = kernel == Routine::Accumulate;
    match one.access {
        Some(Access::NextVertex(_) | Access::Weight | Access::Index | Access::LoopStart)
            if one.runs_off() && accumulates =>
        {
            "The loop did not end: an SKAcc entry of 0 vertices makes its counter wrap to 2^32 turns, and one of more \
             than 21,000 is far too large. Remove the empty entry."
        }
        Some(Access::NextVertex(_) | Access::Weight | Access::Store | Access::LoopStart)
            if one.runs_off() && !accumulates =>
        {
            "The loop did not end: an entry of 0 or 1 vertices makes its counter wrap to 2^32 turns (one of more than \
             20,000 is far too large). Pad the entry to 3 vertices by repeating its first (`skinsim repair`)."
        }
        Some(Access::Matrix | Access::SecondMatrix) => {
            "The kernel reads the matrix that the frame has just copied into the entry's own record: the record does \
             not lie in memory, so the header's list pointer or count is wrong."
        }
        Some(Access::Destination | Access::Store) if accumulates => {
            "A destination index or base of an SKAcc entry leads outside memory."
        }
        Some(Access::LoopStart) if accumulates => {
            "A destination index or base of an SKAcc entry leads outside memory, or its loop did not end."
        }
        None if one.place.as_ref().is_some_and(|place| !kernel.is_listed(place.size)) => {
            "This is another build of the kernel than the one whose instructions are listed: which access it is, is \
             not known."
        }
        None => "The listing has no access at this instruction: is the PC right?",
        _ => "The kernel reads or writes outside memory: an entry's count, offset or pointer is wrong.",
    }
}

fn outside_kernels(one: &Explanation, routine: Routine) -> &'static str {
    match routine {
        Routine::Draw if one.access == Some(Access::StateList) => {
            "A display state's list pointer leads there. Either the display-state list was overwritten (the store of \
             an SK1 or SK2 entry moves whole cache lines, and its last one reached the list behind the position \
             array: reserve the array up to the end of the last stored line, `skinsim repair`), or the file has no \
             better pointer. The model tells which."
        }
        Routine::Draw => {
            "A structure that the display code reads in every frame was overwritten or never right. The model tells \
             which."
        }
        Routine::Clear => "The clear range leads outside memory.",
        Routine::StoreRange => {
            "The range that is written back, in a frame the clear range, leads outside memory."
        }
        Routine::Flush => "The flush list leads outside memory.",
        Routine::Frame => {
            "The frame's function reads the section's header and entries, and each entry's bone: a list pointer leads \
             outside memory, or a bone number is not below the skeleton's bone count (its record or matrix is null)."
        }
        Routine::Reorder => {
            "The bone has no matrix there: the entry's bone number is not below the skeleton's bone count."
        }
        Routine::Loader => "A list pointer of the section's header leads outside memory.",
        Routine::Load => "An array of an entry leads outside memory.",
        _ => "An entry's destination leads outside memory.",
    }
}

fn transfer(one: &Explanation) -> &'static str {
    match one.routine {
        _ if one.message.pc.is_none() => {
            "A transfer of the locked cache names memory that does not exist: CopyToEmu would store an entry's results, \
             CopyFromEmu load its source, weights or indices. The message before it names the instruction."
        }
        Some(Routine::Store) => {
            "A transfer of the locked cache names memory that does not exist: an entry's destination leads outside of \
             it."
        }
        Some(Routine::Load) => {
            "A transfer of the locked cache names memory that does not exist: an entry's source, weights or indices \
             lead outside of it."
        }
        _ => {
            "A transfer of the locked cache names memory that does not exist: an entry's source, weights, indices or \
             destination leads outside the model."
        }
    }
}

fn elsewhere(one: &Explanation) -> &'static str {
    match (&one.place, one.message.pc) {
        (Some(_), _) => {
            "This function is none of the skinning or display code: the message does not say that skinning caused it. \
             What a frame leaves broken in memory can surface elsewhere; the model tells whether it breaks anything."
        }
        (None, Some(_)) => {
            "Whether it is skinning code cannot be told: the built-in tables know a few functions of RMBE01 and \
             GYQE01 (other releases lie elsewhere)."
        }
        (None, None) => {
            "The message names no instruction, so that only the address speaks: --pc ADDR gives it."
        }
    }
}
