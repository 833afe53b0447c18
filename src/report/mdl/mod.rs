//! Source MDL models for people and for tools.

pub mod flex;
pub mod info;
mod strange;
pub mod trace;

use crate::mdl::format::Mdl;
use crate::mdl::format::opcode::{Op, Operand};

/// An instruction with its operand's name.
fn op_text(mdl: &Mdl, op: Op) -> String {
    match op.operand() {
        Operand::Controller(index) => format!("{} {}", op.name(), mdl.controller_name(index)),
        Operand::FlexDesc(index) => format!("{} {}", op.name(), mdl.flexdesc_name(index)),
        Operand::None | Operand::Value(_) | Operand::Count(_) => op.to_string(),
    }
}
