//! Vertex layouts: which members a vertex of a stream holds, and how each is packed [seed 001].

use crate::bytes::{ReadError, ReadResult, View};

/// How the bytes of a member are packed. The same type can mean different things in different semantics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemberType(pub u32);

impl MemberType {
    /// One float [sourced].
    pub const FLOAT1: Self = Self(0x00);
    /// Two floats.
    pub const FLOAT2: Self = Self(0x01);
    /// Three floats.
    pub const FLOAT3: Self = Self(0x02);
    /// Four floats.
    pub const FLOAT4: Self = Self(0x03);
    /// Four bytes, named after their use as a colour.
    pub const COLOR: Self = Self(0x10);
    /// Four unsigned bytes.
    pub const UBYTE4: Self = Self(0x11);
    /// Four signed bytes, in a normal stored in reverse.
    pub const BYTE4: Self = Self(0x12);
    /// Four unsigned bytes over 255.
    pub const UBYTE4_NORM: Self = Self(0x13);
    /// Four signed bytes over 127 [sourced].
    pub const BYTE4_NORM: Self = Self(0x14);
    /// Two signed shorts.
    pub const SHORT2: Self = Self(0x15);
    /// Four signed shorts.
    pub const SHORT4: Self = Self(0x16);
    /// Two unsigned shorts [sourced].
    pub const USHORT2: Self = Self(0x17);
    /// Four unsigned shorts.
    pub const USHORT4: Self = Self(0x18);
    /// Four signed shorts over 32767.
    pub const SHORT4_NORM: Self = Self(0x1A);
    /// Two half floats (`SpeedTree`).
    pub const HALF2: Self = Self(0x2D);
    /// Four half floats, or shorts biased by 32767 in a normal.
    pub const HALF4: Self = Self(0x2E);
    /// Four bytes.
    pub const BYTE4_E: Self = Self(0x2F);
    /// Edge compression, described by face-set members [sourced]; not read.
    pub const EDGE_COMPRESSED: Self = Self(0xF0);

    /// Size in bytes; `None` for an unknown type.
    pub fn size(self) -> Option<u32> {
        Some(match self {
            Self::EDGE_COMPRESSED => 1,
            Self::FLOAT1
            | Self::COLOR
            | Self::UBYTE4
            | Self::BYTE4
            | Self::UBYTE4_NORM
            | Self::BYTE4_NORM
            | Self::SHORT2
            | Self::USHORT2
            | Self::HALF2
            | Self::BYTE4_E => 4,
            Self::FLOAT2 | Self::SHORT4 | Self::USHORT4 | Self::SHORT4_NORM | Self::HALF4 => 8,
            Self::FLOAT3 => 12,
            Self::FLOAT4 => 16,
            _ => return None,
        })
    }
}

/// What a member is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Semantic(pub u32);

impl Semantic {
    /// Position.
    pub const POSITION: Self = Self(0);
    /// Bone weights.
    pub const BONE_WEIGHTS: Self = Self(1);
    /// Bone indices.
    pub const BONE_INDICES: Self = Self(2);
    /// Normal, with a possible rigid bone index in W.
    pub const NORMAL: Self = Self(3);
    /// Texture-coordinate input, also used for layer weights and pivots.
    pub const UV: Self = Self(5);
    /// Tangent.
    pub const TANGENT: Self = Self(6);
    /// Bitangent.
    pub const BITANGENT: Self = Self(7);
    /// Vertex colour.
    pub const COLOUR: Self = Self(10);

    /// Whether the place or the normal of a vertex depends on it.
    pub fn moves_vertices(self) -> bool {
        matches!(self, Self::POSITION | Self::NORMAL | Self::BONE_WEIGHTS | Self::BONE_INDICES)
    }

    /// Name for people.
    pub fn name(self) -> String {
        match self {
            Self::POSITION => "position".to_owned(),
            Self::BONE_WEIGHTS => "bone weights".to_owned(),
            Self::BONE_INDICES => "bone indices".to_owned(),
            Self::NORMAL => "normal".to_owned(),
            Self::UV => "UV".to_owned(),
            Self::TANGENT => "tangent".to_owned(),
            Self::BITANGENT => "bitangent".to_owned(),
            Self::COLOUR => "colour".to_owned(),
            Self(other) => format!("semantic {other}"),
        }
    }
}

/// One member of a layout, 20 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// File offset of the record; of no meaning for a member that a repair put in.
    pub record: u64,
    /// Stream word; `SpeedTree` splits it into a stream number and a modifier.
    pub stream: u32,
    /// Offset within the vertex, in bytes.
    pub offset: u32,
    /// Packing.
    pub member_type: MemberType,
    /// Role.
    pub semantic: Semantic,
    /// Which of several members of one semantic.
    pub index: u32,
}

impl Member {
    /// Size of a record in bytes.
    pub const SIZE: u64 = 20;
    const SPEEDTREE_MODIFIER: u32 = 0x8000;

    pub(super) fn read(view: &View) -> ReadResult<Self> {
        let what = "layout member";
        Ok(Self {
            record: view.base(),
            stream: view.u32(0, what)?,
            offset: view.u32(4, what)?,
            member_type: MemberType(view.u32(8, what)?),
            semantic: Semantic(view.u32(12, what)?),
            index: view.u32(16, what)?,
        })
    }

    /// Role, number and packing for people: "bone weights 0 of type 0x18".
    pub fn label(&self) -> String {
        format!("{} {} of type {:#x}", self.semantic.name(), self.index, self.member_type.0)
    }

    /// Whether the member is one that `SpeedTree` generates: modifier -32768, no bytes in the stream [sourced].
    pub fn is_generated(&self) -> bool {
        self.stream >> 16 == Self::SPEEDTREE_MODIFIER
    }

    /// Bytes the member takes in a vertex.
    ///
    /// # Errors
    /// When the type is unknown or edge-compressed.
    pub fn size(&self) -> ReadResult<u32> {
        if self.is_generated() {
            return Ok(0);
        }
        let have = match self.member_type {
            MemberType::EDGE_COMPRESSED => format!("0xf0, {}", super::EDGE_COMPRESSION),
            MemberType(other) => format!("{other:#x}, an unknown type"),
        };
        self.member_type
            .size()
            .filter(|_| self.member_type != MemberType::EDGE_COMPRESSED)
            .ok_or_else(|| ReadError::new("layout member type", self.record + 8, "a known type", have))
    }
}

/// The members of one vertex of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// File offset of the record.
    pub offset: u64,
    /// Members in stored order.
    pub members: Vec<Member>,
    /// Whether the eight bytes at 4 are zero.
    pub reserved_zero: bool,
}

impl Layout {
    /// Sum of the members' sizes in bytes.
    ///
    /// # Errors
    /// When a member's type is unknown.
    pub fn size(&self) -> ReadResult<u64> {
        self.members.iter().map(|member| member.size().map(u64::from)).sum()
    }

    /// Whether only members that move no vertex have a type of unknown size, and at least one has: then the size of
    /// the layout cannot be checked, and members are where they say.
    pub fn is_known_where_it_counts(&self) -> bool {
        let compressed = self.members.iter().any(|member| member.member_type == MemberType::EDGE_COMPRESSED);
        let mut unknown = self
            .members
            .iter()
            .filter(|member| !member.is_generated() && member.member_type.size().is_none())
            .peekable();
        !compressed && unknown.peek().is_some() && unknown.all(|member| !member.semantic.moves_vertices())
    }

    /// The layout as it must have been meant for a stride, where a known mistake of the DS1R files explains the
    /// difference: a four-byte tangent after the normal that the layout wrongly has or lacks [sourced].
    pub fn repaired(&self, version: u32, stride: u32) -> Option<Self> {
        if !(0x2000B..=0x2000D).contains(&version) {
            return None;
        }
        let size = self.size().ok()?;
        let normal = self.members.iter().position(|member| member.semantic == Semantic::NORMAL)?;
        let tangent = self
            .members
            .get(normal + 1)
            .filter(|member| member.semantic == Semantic::TANGENT && member.member_type.size() == Some(4));
        let has_tangent = self.members.iter().any(|member| member.semantic == Semantic::TANGENT);
        let mut members = self.members.clone();
        if tangent.is_some() && size == u64::from(stride) + 4 {
            members.remove(normal + 1);
        } else if !has_tangent && size + 4 == u64::from(stride) {
            let normal_member = members[normal];
            members.insert(
                normal + 1,
                Member {
                    semantic: Semantic::TANGENT,
                    member_type: MemberType::UBYTE4,
                    index: 0,
                    ..normal_member
                },
            );
        } else {
            return None;
        }
        let mut offset = 0;
        for member in &mut members {
            member.offset = offset;
            offset += member.size().ok()?;
        }
        Some(Self { members, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(semantic: Semantic, member_type: MemberType) -> Member {
        Member { record: 0x100, stream: 0, offset: 0, member_type, semantic, index: 0 }
    }

    fn layout(members: &[Member]) -> Layout {
        Layout { offset: 0, members: members.to_vec(), reserved_zero: true }
    }

    fn semantics(layout: &Layout) -> Vec<(Semantic, u32)> {
        layout.members.iter().map(|member| (member.semantic, member.offset)).collect()
    }

    #[test]
    fn an_unknown_type_and_edge_compression_are_refused_with_their_number() {
        let error = member(Semantic::UV, MemberType(0x99)).size().unwrap_err().to_string();
        assert!(error.contains("0x99, an unknown type") && error.contains("0x108"), "{error}");
        let error = member(Semantic::POSITION, MemberType::EDGE_COMPRESSED).size().unwrap_err().to_string();
        assert!(error.contains("PlayStation 3"), "{error}");
    }

    #[test]
    fn a_member_that_speedtree_generates_takes_no_bytes() {
        let generated = Member { stream: 0x8000_0001, ..member(Semantic::UV, MemberType::HALF4) };
        assert_eq!(generated.size(), Ok(0));
        assert_eq!(layout(&[generated, member(Semantic::POSITION, MemberType::FLOAT3)]).size(), Ok(12));
    }

    #[test]
    fn a_ds1r_layout_loses_or_gains_its_tangent_by_the_stride_and_no_other_does() {
        let position = member(Semantic::POSITION, MemberType::FLOAT3);
        let normal = member(Semantic::NORMAL, MemberType::UBYTE4);
        let tangent = member(Semantic::TANGENT, MemberType::UBYTE4);
        let colour = member(Semantic::COLOUR, MemberType::UBYTE4_NORM);
        let with = layout(&[position, normal, tangent, colour]);
        let without = layout(&[position, normal, colour]);
        let expected = [(Semantic::POSITION, 0), (Semantic::NORMAL, 12), (Semantic::COLOUR, 16)];
        assert_eq!(semantics(&with.repaired(0x2000C, 20).unwrap()), expected);
        let repaired = without.repaired(0x2000C, 24).unwrap();
        assert_eq!(semantics(&repaired)[2..], [(Semantic::TANGENT, 16), (Semantic::COLOUR, 20)]);
        assert_eq!(with.repaired(0x20014, 20), None);
        assert_eq!(with.repaired(0x2000C, 28), None);
    }
}
