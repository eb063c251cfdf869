//! Mutated files: those of a corpus with a few changes, among them changes of fields that hold
//! lengths, which random bytes rarely hit.

/// The default number of mutations of a file, if `HLOOM_TEST_MUTATIONS` is not set.
const COUNT: usize = 100;

/// Values that lengths, counts and offsets should not have.
const EXTREMES: [u64; 8] =
    [0, 1, 0x7f, 0xff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];

/// Numbers that text should not have.
const NUMBERS: [&str; 6] = ["0", "-1", "4294967296", "18446744073709551616", "1e400", "0.5"];

/// The file, and its mutations: the same for each seed.
pub fn mutations(file: &[u8], seed: u64) -> impl Iterator<Item = Vec<u8>> {
    let count = std::env::var("HLOOM_TEST_MUTATIONS").ok().and_then(|count| count.parse().ok());
    let mut random = Random(seed ^ 0x9e37_79b9_7f4a_7c15);
    let file = file.to_vec();
    let mutated = std::iter::repeat_with({
        let file = file.clone();
        move || {
            let mut bytes = file.clone();
            for _ in 0..1 + random.below(3) {
                mutate(&mut bytes, &mut random);
            }
            bytes
        }
    });
    std::iter::once(file).chain(mutated.take(count.unwrap_or(COUNT)))
}

/// Xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        for shift in [13, -7, 17] {
            self.0 ^= if shift > 0 { self.0 << shift } else { self.0 >> -shift };
        }
        (self.0 % bound.max(1) as u64) as usize
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let size = 1 + random.below((bytes.len() - at).min(64));
    let end = (at + size).min(bytes.len());
    match random.below(9) {
        _ if bytes.is_empty() => bytes.push(random.below(256) as u8),
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.below(256) as u8,
        // Fields of one to eight bytes, in little-endian order.
        2 | 3 => {
            let value = match random.below(3) {
                0 => EXTREMES[random.below(EXTREMES.len())],
                1 => bytes.len() as u64 + random.below(9) as u64,
                _ => random.below(2 * bytes.len()) as u64,
            };
            let width = 1 << random.below(4);
            for (byte, new) in bytes[at..].iter_mut().zip(value.to_le_bytes()).take(width) {
                *byte = new;
            }
        }
        // Fields of variable length, as in protocol buffers.
        4 => bytes[at] = bytes[at].wrapping_add(random.below(5) as u8).wrapping_sub(2),
        5 => drop(bytes.drain(at..end)),
        6 => {
            let part = bytes[at..end].repeat(1 + random.below(64));
            bytes.splice(at..at, part);
        }
        7 => bytes.truncate(at),
        // The next number of a text.
        _ => {
            let digits = |byte: &u8| byte.is_ascii_digit();
            let Some(start) = bytes[at..].iter().position(digits) else { return };
            let start = at + start;
            let length = bytes[start..].iter().take_while(|byte| digits(byte)).count();
            let number = NUMBERS[random.below(NUMBERS.len())];
            bytes.splice(start..start + length, number.bytes());
        }
    }
}
