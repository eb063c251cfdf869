//! Tiles (AMX): eight registers of 16 rows with 64 bytes each, and products of pairs of `bf16`.
//!
//! The compiler knows neither the registers nor the instructions, so that each is an `asm!`. None
//! of them is moved across another.

#![allow(
    clippy::needless_range_loop,
    reason = "the closure of an iterator would be compiled without the kernel's instructions"
)]

use half::bf16;
use std::{
    arch::{asm, x86_64::*},
    sync::OnceLock,
};

/// Rows of a tile, and numbers of four bytes in each.
pub(crate) const SIDE: usize = 16;

/// Bytes of a row.
pub(crate) const ROW: usize = 64;

/// Columns of a tile of `bf16`.
pub(crate) const STEP: usize = ROW / size_of::<bf16>();

/// Elements of a tile of `bf16`.
pub(crate) const ELEMENTS: usize = SIDE * STEP;

/// Elements of a tile of `f32`, or pairs of one of `bf16`.
pub(crate) const TILE: usize = SIDE * SIDE;

/// Whether the processor has tiles of `bf16`, and the system saves them when threads are switched.
pub(crate) fn is_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| has_tiles() && is_permitted())
}

/// Whether the processor has them.
pub(crate) fn has_tiles() -> bool {
    // Leaf 7, EDX: bit 22 is AMX-BF16, bit 24 AMX-TILE.
    let tiles = 1 << 22 | 1 << 24;
    __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx & tiles == tiles
}

/// Asks Linux for the registers, which a process gets when it asks; all of its threads have them.
fn is_permitted() -> bool {
    #[cfg(target_os = "linux")]
    {
        const ARCH_PRCTL: i64 = 158;
        const ARCH_REQ_XCOMP_PERM: u64 = 0x1023;
        const XFEATURE_XTILEDATA: u64 = 18;
        let result: i64;
        // SAFETY: a system call that touches no memory of this process.
        unsafe {
            asm!(
                "syscall",
                inlateout("rax") ARCH_PRCTL => result,
                in("rdi") ARCH_REQ_XCOMP_PERM,
                in("rsi") XFEATURE_XTILEDATA,
                lateout("rcx") _,
                lateout("r11") _,
                options(nostack),
            );
        }
        result == 0
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// The operand of `ldtilecfg`.
#[repr(align(64))]
struct Configuration([u8; 64]);

/// Eight whole tiles: palette 1, the bytes of a row of each from byte 16, its rows from byte 48.
static WHOLE: Configuration = {
    let mut bytes = [0; 64];
    bytes[0] = 1;
    let mut tile = 0;
    while tile < 8 {
        bytes[16 + 2 * tile] = ROW as u8;
        bytes[48 + tile] = SIDE as u8;
        tile += 1;
    }
    Configuration(bytes)
};

/// The tiles of this thread, all of which are whole.
pub(crate) struct Tiles(());

impl Tiles {
    /// Configures the tiles.
    ///
    /// # Safety
    /// They are [available](is_available), and nobody else uses those of this thread.
    #[inline(always)]
    pub unsafe fn configure() -> Tiles {
        // SAFETY: by the contract of this function; the configuration is valid.
        unsafe { asm!("ldtilecfg [{}]", in(reg) WHOLE.0.as_ptr(), options(nostack)) };
        Tiles(())
    }

    /// Sets a tile to 0.
    #[inline(always)]
    pub fn zero<const TILE: usize>(&self) {
        // SAFETY: the tiles are configured.
        unsafe { asm!("tilezero tmm{t}", t = const TILE, options(nostack)) };
    }

    /// Loads a tile, whose rows are `stride` bytes apart.
    ///
    /// # Safety
    /// The memory of all rows is valid for reads.
    #[inline(always)]
    pub unsafe fn load<const TILE: usize>(&self, from: *const u8, stride: usize) {
        // SAFETY: the tiles are configured; the memory by the contract of this function.
        unsafe {
            asm!("tileloadd tmm{t}, [{from} + {stride}*1]", t = const TILE, from = in(reg) from,
                stride = in(reg) stride, options(nostack, readonly));
        }
    }

    /// Stores a tile, with rows that are `stride` bytes apart.
    ///
    /// # Safety
    /// The memory of all rows is valid for writes.
    #[inline(always)]
    pub unsafe fn store<const TILE: usize>(&self, to: *mut f32, stride: usize) {
        // SAFETY: the tiles are configured; the memory by the contract of this function.
        unsafe {
            asm!("tilestored [{to} + {stride}*1], tmm{t}", t = const TILE, to = in(reg) to,
                stride = in(reg) stride, options(nostack));
        }
    }

    /// Adds to the `f32` at `[a, b]` of a tile the products of the 32 `bf16` of row `a` of the tile
    /// `A` with those of column `b` of the tile `B`, whose numbers of four bytes are pairs.
    #[inline(always)]
    pub fn multiply<const SUM: usize, const A: usize, const B: usize>(&self) {
        // SAFETY: the tiles are configured.
        unsafe {
            asm!("tdpbf16ps tmm{sum}, tmm{a}, tmm{b}", sum = const SUM, a = const A, b = const B,
                options(nostack));
        }
    }
}

impl Drop for Tiles {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the tiles are configured. Without them, threads are switched faster.
        unsafe { asm!("tilerelease", options(nostack)) };
    }
}

/// Up to a row of elements; missing ones are 0.
///
/// # Safety
/// The processor has AVX-512 BW, and the memory is valid.
#[inline(always)]
pub(crate) unsafe fn load(from: *const bf16, count: usize) -> __m512i {
    // SAFETY: by the contract of this function.
    unsafe {
        match count {
            STEP => _mm512_loadu_si512(from.cast()),
            _ => _mm512_maskz_loadu_epi16((1 << count) - 1, from.cast()),
        }
    }
}

/// A square of numbers of four bytes, with rows and columns exchanged.
///
/// # Safety
/// The processor has AVX-512 F.
#[inline(always)]
pub(crate) unsafe fn turned(rows: [__m512i; SIDE]) -> [__m512i; SIDE] {
    let zero = rows[0];
    let [mut pairs, mut quads, mut all] = [[zero; SIDE]; 3];
    // SAFETY: by the contract of this function.
    unsafe {
        for i in 0..SIDE / 2 {
            let [a, b] = [rows[2 * i], rows[2 * i + 1]];
            pairs[2 * i] = _mm512_unpacklo_epi32(a, b);
            pairs[2 * i + 1] = _mm512_unpackhi_epi32(a, b);
        }
        for i in 0..SIDE / 4 {
            for half in 0..2 {
                let [a, b] = [pairs[4 * i + half], pairs[4 * i + half + 2]];
                quads[4 * i + 2 * half] = _mm512_unpacklo_epi64(a, b);
                quads[4 * i + 2 * half + 1] = _mm512_unpackhi_epi64(a, b);
            }
        }
        // Lane `l` of `quads[4 * i + j]` is column `4 * l + j` of rows `4 * i` and following.
        for j in 0..4 {
            let [a, b, c, d] = [quads[j], quads[4 + j], quads[8 + j], quads[12 + j]];
            let even = [_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0x88>(c, d)];
            let odd = [_mm512_shuffle_i32x4::<0xdd>(a, b), _mm512_shuffle_i32x4::<0xdd>(c, d)];
            all[j] = _mm512_shuffle_i32x4::<0x88>(even[0], even[1]);
            all[4 + j] = _mm512_shuffle_i32x4::<0x88>(odd[0], odd[1]);
            all[8 + j] = _mm512_shuffle_i32x4::<0xdd>(even[0], even[1]);
            all[12 + j] = _mm512_shuffle_i32x4::<0xdd>(odd[0], odd[1]);
        }
    }
    all
}

/// Numbers of `f32` as `bf16`, as [`Element::from_f32`](crate::Element::from_f32) rounds them.
///
/// # Safety
/// The processor has AVX-512 F.
#[inline(always)]
pub(crate) unsafe fn narrowed(numbers: __m512i) -> __m256i {
    // SAFETY: by the contract of this function.
    unsafe {
        let high = _mm512_srli_epi32::<16>(numbers);
        let odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
        let rounded = _mm512_add_epi32(numbers, _mm512_set1_epi32(0x7fff));
        let rounded = _mm512_srli_epi32::<16>(_mm512_add_epi32(rounded, odd));
        let float = _mm512_castsi512_ps(numbers);
        let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(float, float);
        let quiet = _mm512_or_si512(high, _mm512_set1_epi32(0x40));
        _mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(rounded, is_nan, quiet))
    }
}
