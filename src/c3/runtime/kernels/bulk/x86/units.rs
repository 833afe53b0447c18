//! What the forms for AVX2 and for AVX-512 do differently: doubles. Eight of them are two registers of the
//! one and a single register of the other.

use std::arch::x86_64::{__m256, __m256d, __m512d};

use pulp::NullaryFnOnce;
use pulp::x86::{V3, V4};

/// A processor's vector instructions.
pub(in super::super) trait Unit: Copy {
    /// Eight doubles.
    type Wide: Copy;

    /// AVX2 and FMA, which every unit has.
    fn v3(self) -> V3;

    /// Runs what is inlined into `operation` with the instructions of this unit.
    fn vectorize<Operation: NullaryFnOnce>(self, operation: Operation) -> Operation::Output;

    /// A double in every lane.
    fn splat(self, value: f64) -> Self::Wide;

    /// Eight singles as doubles.
    fn widen(self, lanes: __m256) -> Self::Wide;

    /// `a * c + b` as Dolphin rounds it: to double, then to single. The product is exact in a double:
    /// fused or not, the first is one rounding.
    fn multiply_add_twice_rounded(self, a: Self::Wide, c: Self::Wide, b: Self::Wide) -> __m256;
}

impl Unit for V3 {
    type Wide = [__m256d; 2];

    #[inline(always)]
    fn v3(self) -> V3 {
        self
    }

    #[inline(always)]
    fn vectorize<Operation: NullaryFnOnce>(self, operation: Operation) -> Operation::Output {
        V3::vectorize(self, operation)
    }

    #[inline(always)]
    fn splat(self, value: f64) -> Self::Wide {
        [self.avx._mm256_set1_pd(value); 2]
    }

    #[inline(always)]
    fn widen(self, lanes: __m256) -> Self::Wide {
        [
            self.avx._mm256_cvtps_pd(self.avx._mm256_castps256_ps128(lanes)),
            self.avx._mm256_cvtps_pd(self.avx._mm256_extractf128_ps::<1>(lanes)),
        ]
    }

    #[inline(always)]
    fn multiply_add_twice_rounded(self, a: Self::Wide, c: Self::Wide, b: Self::Wide) -> __m256 {
        let lower = self.avx._mm256_cvtpd_ps(self.fma._mm256_fmadd_pd(a[0], c[0], b[0]));
        let upper = self.avx._mm256_cvtpd_ps(self.fma._mm256_fmadd_pd(a[1], c[1], b[1]));
        self.avx._mm256_set_m128(upper, lower)
    }
}

impl Unit for V4 {
    type Wide = __m512d;

    #[inline(always)]
    fn v3(self) -> V3 {
        *self
    }

    #[inline(always)]
    fn vectorize<Operation: NullaryFnOnce>(self, operation: Operation) -> Operation::Output {
        V4::vectorize(self, operation)
    }

    #[inline(always)]
    fn splat(self, value: f64) -> Self::Wide {
        self.avx512f._mm512_set1_pd(value)
    }

    #[inline(always)]
    fn widen(self, lanes: __m256) -> Self::Wide {
        self.avx512f._mm512_cvtps_pd(lanes)
    }

    #[inline(always)]
    fn multiply_add_twice_rounded(self, a: Self::Wide, c: Self::Wide, b: Self::Wide) -> __m256 {
        self.avx512f._mm512_cvtpd_ps(self.avx512f._mm512_fmadd_pd(a, c, b))
    }
}
