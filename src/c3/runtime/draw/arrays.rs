//! Arrays that the graphics processor fetches elements from where they lie: colours, texture coordinates,
//! normals and the positions of rigid submeshes. Skinning writes to none of them. [formats.md 1.4]

use super::damage::{Damage, DamageKind};
use super::{DAMAGE_LIMIT, Walk};
use crate::c3::format::gpl::{ArrayHeader, Layout};

impl Walk<'_, '_> {
    /// The arrays of a submesh, but for the one that skinning is meant to write.
    pub(super) fn arrays(&mut self, submesh: u32, layout: &Layout) {
        let positions = layout.position.iter().filter(|_| !layout.is_skinned());
        let others = layout.colour.iter().chain(&layout.textures).chain(&layout.lighting);
        for array in positions.chain(others) {
            if self.out.damage.len() >= DAMAGE_LIMIT {
                return;
            }
            if let Some(damage) = self.elements(submesh, array) {
                self.out.damage.push(damage);
            }
        }
    }

    /// Elements whose bytes in memory, which the graphics processor reads, are not those of the file.
    fn elements(&self, submesh: u32, array: &ArrayHeader) -> Option<Damage> {
        let (start, size) = (array.array_offset()?, array.array_size()?);
        if !self.written.touches(start, size) {
            return None;
        }
        let intact = self.gpl.view().take(start, size, "array").ok()?;
        let address = self.base.wrapping_add(u32::try_from(start).ok()?);
        let held = self.machine.memory(address, u32::try_from(size).ok()?)?;
        let element = usize::try_from(array.element_size()?).ok().filter(|size| *size != 0)?;
        let pairs = intact.chunks(element).zip(held.chunks(element));
        let mut changed = pairs.zip(0_u32..).filter(|((intact, held), _)| intact != held);
        let (_, first) = changed.next()?;
        let kind = DamageKind::Elements {
            array: array.kind,
            first,
            changed: 1 + changed.count() as u32,
            count: array.count,
        };
        let at = start + u64::from(first) * element as u64;
        Some(Damage { submesh, state: None, kind, writer: self.written.writer(at, element as u64) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::spoiled_at;
    use crate::c3::format::gpl::Gpl;

    /// The one colour of the fox, written over.
    #[test]
    fn elements_that_are_written_over_are_counted() {
        let colours = |gpl: &Gpl| gpl.submeshes[0].layout.as_ref().unwrap().colour.unwrap();
        for on_console in [false, true] {
            let outcome = spoiled_at(
                |gpl| {
                    let start = colours(gpl).array_offset().unwrap();
                    start..start + 1
                },
                0x5A,
                on_console,
            );
            let told: Vec<String> = outcome.damage.iter().map(ToString::to_string).collect();
            // A console's store stays in the data cache: memory, which is drawn from, is intact.
            let want = usize::from(!on_console);
            assert_eq!(told.len(), want, "{told:?}");
            for (damage, text) in outcome.damage.iter().zip(&told) {
                assert!(text.starts_with("submesh 0: 1 of 1 "), "{text}");
                assert!(
                    text.ends_with(
                        "colour elements are not what the file says, the first 0 (written by the clear)"
                    ),
                    "{text}"
                );
                assert_eq!(damage.structure(), "submesh 0 colour array");
            }
        }
    }
}
