//! The memory of this process.

/// The memory of this process that Linux counts in a field of its status, in KiB: `VmRSS`,
/// `RssAnon` or `RssFile`.
///
/// # Panics
/// The system has no such field.
pub fn resident_kib(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has this file");
    let mut fields = status.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = fields.find(|(name, _)| *name == field).expect("the field is there");
    let number = value.split_whitespace().next().and_then(|number| number.parse().ok());
    number.expect("a number of KiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_that_is_used_is_counted() {
        let before = resident_kib("VmRSS");
        let used = std::hint::black_box(vec![1u8; 64 << 20]);
        assert!(resident_kib("VmRSS") > before + (32 << 10), "{before} KiB");
        drop(used);
    }
}
