//! The floating-point environment in which Rust handlers run.
//!
//! Plugins set their threads to flush subnormal floats to 0. Rust code is compiled for the default
//! rules, and computes other results under others.

/// Restores the previous rules when it is dropped.
pub(crate) struct DefaultRules(Register);

impl DefaultRules {
    /// Sets the default rules: round to nearest, keep subnormal numbers, no traps.
    #[inline]
    pub(crate) fn set() -> Self {
        let before = read();
        write(DEFAULT);
        Self(before)
    }
}

impl Drop for DefaultRules {
    #[inline]
    fn drop(&mut self) {
        write(self.0);
    }
}

#[cfg(target_arch = "x86_64")]
mod machine {
    pub(crate) type Register = u32;

    /// All exceptions masked.
    pub(crate) const DEFAULT: Register = 0x1F80;

    #[inline]
    pub(crate) fn read() -> Register {
        let mut value = 0;
        // SAFETY: stores the control register of the vector unit into the variable.
        unsafe {
            std::arch::asm!(
                "stmxcsr [{}]",
                in(reg) &raw mut value,
                options(nostack, preserves_flags),
            )
        };
        value
    }

    #[inline]
    pub(crate) fn write(value: Register) {
        // SAFETY: the value is the default, or one that was read.
        unsafe {
            std::arch::asm!(
                "ldmxcsr [{}]",
                in(reg) &raw const value,
                options(nostack, preserves_flags),
            )
        };
    }
}

#[cfg(target_arch = "aarch64")]
mod machine {
    pub(crate) type Register = u64;

    pub(crate) const DEFAULT: Register = 0;

    #[inline]
    pub(crate) fn read() -> Register {
        let value;
        // SAFETY: reads a register that every thread may read.
        unsafe {
            std::arch::asm!("mrs {}, fpcr", out(reg) value, options(nostack, preserves_flags))
        };
        value
    }

    #[inline]
    pub(crate) fn write(value: Register) {
        // SAFETY: the value is the default, or one that was read.
        unsafe {
            std::arch::asm!("msr fpcr, {}", in(reg) value, options(nostack, preserves_flags))
        };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod machine {
    pub(crate) type Register = ();

    pub(crate) const DEFAULT: Register = ();

    pub(crate) fn read() {}

    pub(crate) fn write((): Register) {}
}

use machine::{DEFAULT, Register, read, write};

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn subnormal_numbers_are_kept_between_threads_that_flush_them() {
        let half = || black_box(f32::MIN_POSITIVE) / black_box(2.0);
        let before = read();
        write(before | 0x8040);
        let flushed = half();
        let kept = {
            let _rules = DefaultRules::set();
            half()
        };
        let again = half();
        write(before);
        assert_eq!((flushed, again), (0.0, 0.0));
        assert!(kept > 0.0);
    }
}
