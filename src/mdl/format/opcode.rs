//! The instructions of flex rules: `mstudioflexop_t`, an opcode and a four-byte operand that is a
//! float for CONST and an integer (or nothing) for all others. `[spec: SDK]`

use std::fmt;

/// One instruction, with its operand in the operand's own type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Op {
    /// 1: pushes a constant.
    Const(f32),
    /// 2: pushes a controller's value.
    Fetch1(i32),
    /// 3: pushes a flexdesc's weight as computed so far.
    Fetch2(i32),
    /// 4: a b → a + b.
    Add,
    /// 5: a b → a − b.
    Sub,
    /// 6: a b → a · b.
    Mul,
    /// 7: a b → a / b where b > 0.0001, else 0.
    Div,
    /// 8: a → −a.
    Neg,
    /// 9, does nothing.
    Exp,
    /// 10, does nothing.
    Open,
    /// 11, does nothing.
    Close,
    /// 12, does nothing.
    Comma,
    /// 13: a b → the larger.
    Max,
    /// 14: a b → the smaller.
    Min,
    /// 15: pushes how far a two-way controller is to its left (1 at −1, 0 from 0 on).
    TwoWay0(i32),
    /// 16: pushes how far a two-way controller is to its right (0 up to 0, 1 at 1).
    TwoWay1(i32),
    /// 17: x y z w c → ramp of controller c over x..y..z..w, times the operand's controller.
    NWay(i32),
    /// 18: replaces the top m values by their product.
    Combo(i32),
    /// 19: pops the top m values and weakens the next by their product.
    Dominate(i32),
    /// 20: eyeUpDown, blink, `CloseLid` → weight of the lower lid.
    LowerEyelid(i32),
    /// 21: eyeUpDown, blink, `CloseLid` → weight of the upper lid.
    UpperEyelid(i32),
    /// Any other number: the engine does nothing.
    Unknown(i32),
}

/// What an instruction's operand names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand {
    /// Nothing.
    None,
    /// A number.
    Value(f32),
    /// A controller's index.
    Controller(i32),
    /// A flexdesc's index.
    FlexDesc(i32),
    /// How many stack values.
    Count(i32),
}

impl Op {
    /// Decodes an instruction from its opcode and the operand's bits.
    pub fn decode(opcode: i32, operand: u32) -> Self {
        let index = operand as i32;
        match opcode {
            1 => Self::Const(f32::from_bits(operand)),
            2 => Self::Fetch1(index),
            3 => Self::Fetch2(index),
            4 => Self::Add,
            5 => Self::Sub,
            6 => Self::Mul,
            7 => Self::Div,
            8 => Self::Neg,
            9 => Self::Exp,
            10 => Self::Open,
            11 => Self::Close,
            12 => Self::Comma,
            13 => Self::Max,
            14 => Self::Min,
            15 => Self::TwoWay0(index),
            16 => Self::TwoWay1(index),
            17 => Self::NWay(index),
            18 => Self::Combo(index),
            19 => Self::Dominate(index),
            20 => Self::LowerEyelid(index),
            21 => Self::UpperEyelid(index),
            other => Self::Unknown(other),
        }
    }

    /// The SDK's name without its `STUDIO_` prefix.
    pub fn name(self) -> &'static str {
        match self {
            Self::Const(_) => "CONST",
            Self::Fetch1(_) => "FETCH1",
            Self::Fetch2(_) => "FETCH2",
            Self::Add => "ADD",
            Self::Sub => "SUB",
            Self::Mul => "MUL",
            Self::Div => "DIV",
            Self::Neg => "NEG",
            Self::Exp => "EXP",
            Self::Open => "OPEN",
            Self::Close => "CLOSE",
            Self::Comma => "COMMA",
            Self::Max => "MAX",
            Self::Min => "MIN",
            Self::TwoWay0(_) => "2WAY_0",
            Self::TwoWay1(_) => "2WAY_1",
            Self::NWay(_) => "NWAY",
            Self::Combo(_) => "COMBO",
            Self::Dominate(_) => "DOMINATE",
            Self::LowerEyelid(_) => "DME_LOWER_EYELID",
            Self::UpperEyelid(_) => "DME_UPPER_EYELID",
            Self::Unknown(_) => "UNKNOWN",
        }
    }

    /// What the operand names.
    pub fn operand(self) -> Operand {
        match self {
            Self::Const(value) => Operand::Value(value),
            Self::Fetch1(index)
            | Self::TwoWay0(index)
            | Self::TwoWay1(index)
            | Self::NWay(index)
            | Self::LowerEyelid(index)
            | Self::UpperEyelid(index) => Operand::Controller(index),
            Self::Fetch2(index) => Operand::FlexDesc(index),
            Self::Combo(count) | Self::Dominate(count) => Operand::Count(count),
            _ => Operand::None,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.operand()) {
            (Self::Unknown(opcode), _) => write!(formatter, "UNKNOWN({opcode})"),
            (_, Operand::None) => formatter.write_str(self.name()),
            (_, Operand::Value(value)) => write!(formatter, "{} {value}", self.name()),
            (_, Operand::Controller(index) | Operand::FlexDesc(index) | Operand::Count(index)) => {
                write!(formatter, "{} {index}", self.name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_has_its_own_name_and_the_rest_are_unknown() {
        let names: std::collections::BTreeSet<_> = (1..=21).map(|code| Op::decode(code, 0).name()).collect();
        assert_eq!(names.len(), 21);
        assert!(!names.contains("UNKNOWN"));
        for code in [0, -1, 22, i32::MAX] {
            assert_eq!(Op::decode(code, 0), Op::Unknown(code));
        }
    }

    #[test]
    fn only_the_constant_reads_its_operand_as_a_float() {
        assert_eq!(Op::decode(1, 0.25f32.to_bits()).to_string(), "CONST 0.25");
        assert_eq!(Op::decode(2, 7).to_string(), "FETCH1 7");
        assert_eq!(Op::decode(18, u32::MAX).to_string(), "COMBO -1");
        assert_eq!(Op::decode(4, 99).to_string(), "ADD");
    }
}
