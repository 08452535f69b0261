//! Hash functions on numbers and texts with the same result on every machine.

/// Mixes `value` into `hash`: one folded multiplication, as in wyhash.
#[inline]
pub(crate) const fn mix(hash: u64, value: u64) -> u64 {
    let product = (hash ^ 0x9e37_79b9_7f4a_7c15) as u128 * (value ^ 0xe703_7ed1_a0b4_28db) as u128;
    (product as u64) ^ ((product >> 64) as u64)
}

pub(crate) fn text(text: &str) -> u64 {
    text.bytes()
        .fold(0x51_7cc1_b727_220a, |hash, byte| mix(hash, u64::from(byte)))
}
