//! Accessors as rows of numbers: every type, packed or interleaved, sparse or not, checked.

use gltf::Accessor;
use gltf::accessor::{DataType, Dimensions};

use super::file::File;
use crate::bytes::{Endian, ReadResult, View};
use crate::c3::build::error::{BuildError, BuildResult};

/// Rows of accessors without bytes of their own that are made at most.
const EMPTY_LIMIT: usize = 1 << 22;
/// Rows that one file may ask for over all its accessors, however often it names each.
pub const ROW_LIMIT: usize = 1 << 23;

/// Reads accessors of one file, up to [`ROW_LIMIT`] rows in all.
#[derive(Debug)]
pub struct Accessors<'f> {
    file: &'f File,
    rows: usize,
}

impl<'f> Accessors<'f> {
    /// Nothing read so far.
    pub fn new(file: &'f File) -> Self {
        Self { file, rows: 0 }
    }

    /// The rows of an accessor with `N` numbers each; integers that are marked as normalized become
    /// fractions of their largest value.
    ///
    /// # Errors
    /// When the accessor has another shape, reaches outside its buffer, or holds a number that is not
    /// finite.
    pub fn rows<const N: usize>(&mut self, accessor: &Accessor, what: &str) -> BuildResult<Vec<[f64; N]>> {
        let place = format!("{what} (accessor {})", accessor.index());
        let have = components(accessor.dimensions());
        if have != N {
            return Err(BuildError::new(place, format!("{N} components"), format!("{have}")));
        }
        self.spend(accessor.count(), &place)?;
        let shape = Shape::of(accessor);
        let mut rows = match accessor.view() {
            Some(view) => self.packed::<N>(&view, accessor, &shape, &place)?,
            None if accessor.count() > EMPTY_LIMIT => {
                return Err(BuildError::new(
                    place,
                    "bytes",
                    format!("{} rows without any", accessor.count()),
                ));
            }
            None => vec![[0.0; N]; accessor.count()],
        };
        if let Some(sparse) = accessor.sparse() {
            self.replace(&mut rows, &sparse, &shape, &place)?;
        }
        match rows.iter().position(|row| !row.iter().copied().all(f64::is_finite)) {
            Some(row) => {
                Err(BuildError::new(place, "finite numbers", format!("{:?} in row {row}", rows[row])))
            }
            None => Ok(rows),
        }
    }

    fn spend(&mut self, rows: usize, place: &str) -> BuildResult<()> {
        self.rows = self.rows.saturating_add(rows);
        if self.rows > ROW_LIMIT {
            let want = format!("at most {ROW_LIMIT} rows in all accessors together");
            return Err(BuildError::new(place, want, format!("{}", self.rows)));
        }
        Ok(())
    }

    fn view(&self, view: &gltf::buffer::View) -> ReadResult<View<'f>> {
        let bytes = &self.file.buffers[view.buffer().index()];
        let what = format!("buffer view {}", view.index());
        View::new(bytes, Endian::Little).sub(view.offset() as u64, view.length() as u64, &what)
    }

    fn packed<const N: usize>(
        &self,
        view: &gltf::buffer::View,
        accessor: &Accessor,
        shape: &Shape,
        place: &str,
    ) -> BuildResult<Vec<[f64; N]>> {
        let bytes = self.view(view)?;
        let stride = view.stride().unwrap_or(shape.row).max(1) as u64;
        let count = accessor.count() as u64;
        let start = accessor.offset() as u64;
        if let Some(last) = count.checked_sub(1) {
            let end = last.saturating_mul(stride).saturating_add(start).saturating_add(shape.row as u64);
            if end > bytes.len() {
                let have = format!("a buffer view of {} bytes", bytes.len());
                return Err(BuildError::new(place, format!("{end} bytes for {count} rows"), have));
            }
        }
        (0..count).map(|row| Ok(shape.row(bytes, start + row * stride)?)).collect()
    }

    fn replace<const N: usize>(
        &self,
        rows: &mut [[f64; N]],
        sparse: &gltf::accessor::sparse::Sparse,
        shape: &Shape,
        place: &str,
    ) -> BuildResult<()> {
        let (indices, values) = (sparse.indices(), sparse.values());
        let (index_bytes, value_bytes) = (self.view(&indices.view())?, self.view(&values.view())?);
        let size = indices.index_type().size() as u64;
        let count = sparse.count() as u64;
        let table = index_bytes.table(indices.offset() as u64, count, size, place)?;
        value_bytes.table(values.offset() as u64, count, shape.row as u64, place)?;
        for n in 0..count {
            let index = match size {
                1 => u64::from(table.u8(n, place)?),
                2 => u64::from(table.u16(2 * n, place)?),
                _ => u64::from(table.u32(4 * n, place)?),
            };
            let have = rows.len();
            let row = usize::try_from(index).ok().and_then(|index| rows.get_mut(index));
            *row.ok_or_else(|| {
                BuildError::new(place, format!("sparse indices below {have}"), format!("{index}"))
            })? = shape.row(value_bytes, values.offset() as u64 + n * shape.row as u64)?;
        }
        Ok(())
    }
}

fn components(dimensions: Dimensions) -> usize {
    dimensions.multiplicity()
}

/// How a row is stored.
#[derive(Debug, Clone, Copy)]
struct Shape {
    kind: DataType,
    normalized: bool,
    /// Components of a column and the bytes from one column to the next: columns of matrices begin on
    /// word boundaries.
    column: usize,
    column_stride: usize,
    /// Bytes of a row.
    row: usize,
}

impl Shape {
    fn of(accessor: &Accessor) -> Self {
        let kind = accessor.data_type();
        let size = kind.size();
        let (columns, column) = match accessor.dimensions() {
            Dimensions::Mat2 => (2, 2),
            Dimensions::Mat3 => (3, 3),
            Dimensions::Mat4 => (4, 4),
            vector => (1, vector.multiplicity()),
        };
        let column_stride = if columns > 1 { (size * column).next_multiple_of(4) } else { size * column };
        let row = column_stride * (columns - 1) + size * column;
        Self { kind, normalized: accessor.normalized(), column, column_stride, row }
    }

    fn row<const N: usize>(&self, view: View, offset: u64) -> ReadResult<[f64; N]> {
        let mut row = [0.0; N];
        for (n, value) in row.iter_mut().enumerate() {
            let at = self.column_stride * (n / self.column) + self.kind.size() * (n % self.column);
            *value = self.number(view, offset + at as u64)?;
        }
        Ok(row)
    }

    fn number(&self, view: View, at: u64) -> ReadResult<f64> {
        let what = "accessor";
        let (raw, largest) = match self.kind {
            DataType::I8 => (f64::from(view.i8(at, what)?), 127.0),
            DataType::U8 => (f64::from(view.u8(at, what)?), 255.0),
            DataType::I16 => (f64::from(view.i16(at, what)?), 32767.0),
            DataType::U16 => (f64::from(view.u16(at, what)?), 65535.0),
            DataType::U32 => (f64::from(view.u32(at, what)?), 4_294_967_295.0),
            DataType::F32 => return Ok(f64::from(view.f32(at, what)?)),
        };
        Ok(if self.normalized { (raw / largest).max(-1.0) } else { raw })
    }
}
