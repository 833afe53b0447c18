//! Models that unit tests of several modules share.

/// The block that ships with the project.
pub(crate) fn fox() -> Vec<u8> {
    include_bytes!("../../examples/fox.block").to_vec()
}
