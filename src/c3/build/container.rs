//! Writing a model block from its sections.

use super::error::{BuildError, BuildResult};
use crate::c3::format::align32;
use crate::c3::format::block::{HEADER_SIZE, SectionKind};

/// The block: the section table, then the sections in the given order, each on a cache line.
///
/// # Errors
/// When the block is larger than its pointers can say.
pub fn block(sections: &[(SectionKind, &[u8])]) -> BuildResult<Vec<u8>> {
    let mut bytes = vec![0; HEADER_SIZE as usize];
    for (kind, section) in sections {
        let start = align32(bytes.len() as u64) as usize;
        bytes.resize(start, 0);
        bytes.extend(*section);
        let field = kind.header_offset() as usize;
        bytes[field..field + 4].copy_from_slice(&(start as u32).to_be_bytes());
    }
    bytes.resize(align32(bytes.len() as u64) as usize, 0);
    match u32::try_from(bytes.len()) {
        Ok(_) => Ok(bytes),
        Err(_) => Err(BuildError::new("model block", "at most 4 GiB", format!("{} bytes", bytes.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c3::format::block::Block;

    #[test]
    fn sections_come_back_where_they_were_put() {
        let bytes = block(&[(SectionKind::Gpl, &[1; 40]), (SectionKind::Skn, &[2; 8])]).unwrap();
        let block = Block::parse(&bytes).unwrap();
        assert_eq!(block.section(SectionKind::Gpl).unwrap().range(), 0x20..0x60);
        assert_eq!(block.section(SectionKind::Skn).unwrap().view.bytes()[..8], [2; 8]);
        assert_eq!(block.to_bytes(), bytes);
    }
}
