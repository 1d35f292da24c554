//! `Dice.sol` and `URIShapes.sol` in Rust: a seed gives the same words, rolls and URIs.

use alloy_primitives::{B256, U256, keccak256};

/// A stream of choices that a single seed decides.
#[derive(Clone, Copy, Debug)]
pub struct Dice(U256);

impl Dice {
    /// The stream of a seed.
    #[must_use]
    pub const fn new(seed: U256) -> Self {
        Self(seed)
    }

    /// Any word.
    pub fn word(&mut self) -> B256 {
        let word = keccak256(self.0.to_be_bytes::<32>());
        self.0 = word.into();
        word
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        let word: U256 = self.word().into();
        (word % U256::from(sides)).to()
    }

    /// Whether something happens that does so once in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())]
    }

    /// Any bytes, so many of them.
    pub fn noise(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + 32);
        while bytes.len() < length {
            bytes.extend_from_slice(self.word().as_slice());
        }
        bytes.truncate(length);
        bytes
    }

    /// A name of so many letters, digits and dots.
    fn name(&mut self, length: usize) -> Vec<u8> {
        let mut text = self.noise(length);
        for byte in &mut text {
            *byte = b"abcdefghijklmnopqrstuvwxyz01234."[usize::from(*byte % 32)];
        }
        text
    }

    /// A URI that the registry accepts, of any shape, common ones more often.
    pub fn valid_uri(&mut self) -> Vec<u8> {
        loop {
            let shape = if self.one_in(3) {
                WELL_KNOWN
            } else {
                self.roll(SHAPES)
            };
            let uri = self.uri_of(shape);
            if !uri.is_empty() && uri.len() <= 2_048 {
                return uri;
            }
        }
    }

    /// A URI that is longer than the registry accepts.
    pub fn too_long_uri(&mut self) -> Vec<u8> {
        let more = if self.one_in(2) { 0 } else { self.roll(3_000) };
        self.noise(2_049 + more)
    }

    /// A URI of one of the shapes, in the order of the Solidity enum.
    fn uri_of(&mut self, shape: usize) -> Vec<u8> {
        match shape {
            0 => return Vec::new(),
            1 => return self.noise(1),
            2 => {
                let length = self.slot_edge();
                return self.noise(length);
            }
            3 => {
                let length = 1 + self.roll(300);
                return self.noise(length);
            }
            4 => return self.noise(2_048),
            5 => return self.too_long_uri(),
            _ => {}
        }
        let mut host = self.short_name();
        let mut slug = self.short_name();
        match shape {
            7 => {
                let length = self.slot_edge();
                let of_host = self.roll(length + 1);
                host = self.name(of_host);
                slug = self.name(length - of_host);
            }
            8 => {
                let length = self.pick(&[0, 1, 31, 32, 33, 254, 255, 256, 256, 257]);
                host = self.name(length);
                if self.one_in(4) {
                    slug.clear();
                }
            }
            9 => slug = self.noise(2_048 - 34 - host.len()),
            10 => slug = self.noise(2_049 - 34 - host.len()),
            11 => slug.clear(),
            12 => {
                let slugs = ["a/b", "/", "/.well-known/ai-tool/", ".json", "//x.json"];
                slug = self.pick(&slugs).into();
            }
            13 => {
                let part = if self.one_in(2) { &mut host } else { &mut slug };
                let at = self.roll(part.len());
                part[at] = 0;
            }
            14 => (host, slug) = ("bücher.例え".into(), "気温-🌡".into()),
            15 => host.extend_from_slice(b".json"),
            16 => {
                let at = self.roll(host.len());
                host[at] = b'/';
            }
            _ => {}
        }
        let parts: [&[u8]; 5] = [
            b"https://",
            &host,
            b"/.well-known/ai-tool/",
            &slug,
            b".json",
        ];
        let mut uri = parts.concat();
        match shape {
            17 => {
                let mut at = self.roll(34);
                at += if at >= 8 { host.len() } else { 0 };
                at += if at >= 29 + host.len() { slug.len() } else { 0 };
                uri[at] ^= 1 << self.roll(8);
            }
            18 => uri.truncate(self.roll(uri.len())),
            _ => {}
        }
        uri
    }

    fn short_name(&mut self) -> Vec<u8> {
        let length = 1 + self.roll(30);
        self.name(length)
    }

    /// Nine bytes of text go to the first slot and 32 to each of the next ones.
    fn slot_edge(&mut self) -> usize {
        let before = self.roll(3);
        9 + 32 * self.roll(4) + 1 - before
    }
}

/// How many shapes there are, and which one is the common one.
const SHAPES: usize = 19;
const WELL_KNOWN: usize = 6;

#[cfg(test)]
mod tests {
    use alloy_primitives::b256;

    use super::*;

    #[test]
    fn a_seed_rolls_as_it_does_in_solidity() {
        // keccak256(abi.encode(0)), as every Solidity developer knows it.
        let first = b256!("0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563");
        assert_eq!(Dice::new(U256::ZERO).word(), first);
        assert_eq!(Dice::new(U256::ZERO).roll(100), 47);
    }
}
