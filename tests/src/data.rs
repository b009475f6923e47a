//! Data of several shapes, the same each time: what files, programs and memory look like to a compressor.

/// A generator of numbers that are the same each time.
#[derive(Clone, Debug)]
pub struct Lcg(pub u64);

impl Lcg {
    /// A generator for a seed: those of seeds that follow each other have nothing in common.
    pub fn seeded(seed: u64) -> Self {
        let mixed = (seed ^ seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self(mixed ^ mixed >> 31)
    }

    /// One that begins as these bytes say.
    pub fn of(bytes: &[u8]) -> Self {
        Self(
            bytes
                .iter()
                .fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)),
        )
    }

    /// The next number, of 31 bits.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next_number()).unwrap() % end
    }

    /// A number below `end`, and small ones are likelier: each octave as likely as the next.
    pub fn skewed(&mut self, end: usize) -> usize {
        let octaves = end.ilog2() + 1;
        let top = 1usize << self.below(octaves as usize + 1);
        self.below(top).min(end - 1)
    }

    fn byte(&mut self) -> u8 {
        self.next_number().to_le_bytes()[1]
    }
}

/// A shape of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Sentences of words, some far more frequent than others.
    Text,
    /// Lines that differ in numbers.
    Log,
    /// Instructions, tables of addresses and strings, as in a program.
    Binary,
    /// Pages of zeros, pointers, text, code and noise, as in the memory of a machine.
    Image,
    /// Numbers of eight bytes that grow.
    Records,
    /// Bytes that do not compress.
    Noise,
    /// One byte again and again, with a few others in between.
    Runs,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Text, Self::Log, Self::Binary, Self::Image, Self::Records, Self::Noise, Self::Runs];

    /// So much data of this shape; another seed gives other data.
    pub fn data(self, size: usize, seed: u64) -> Vec<u8> {
        let mut data = Vec::with_capacity(size + (64 << 10));
        let mut lcg = Lcg(seed ^ (self as u64) << 32);
        let words = words(&mut lcg);
        while data.len() < size {
            match self {
                Self::Text => sentence(&mut data, &words, &mut lcg),
                Self::Log => line(&mut data, &mut lcg),
                Self::Binary => code(&mut data, &words, &mut lcg),
                Self::Image => page(&mut data, &words, &mut lcg),
                Self::Records => {
                    let n = data.len() as u64 / 8;
                    data.extend((n * n % 1000 + lcg.next_number() % 3).to_le_bytes());
                }
                Self::Noise => data.push(lcg.byte()),
                Self::Runs => {
                    let byte = if lcg.below(4) == 0 { lcg.byte() } else { 0 };
                    data.resize(data.len() + 1 + lcg.skewed(0x8000), byte);
                }
            }
        }
        data.truncate(size);
        data
    }
}

fn words(lcg: &mut Lcg) -> Vec<String> {
    const SYLLABLES: [&str; 24] = [
        "an", "be", "con", "der", "ed", "for", "ing", "in", "ly", "ment", "ne", "on", "per", "re", "s", "sta", "ter",
        "the", "ti", "to", "un", "ver", "wi", "y",
    ];
    (0..4000).map(|_| (0..=lcg.below(4)).map(|_| SYLLABLES[lcg.below(SYLLABLES.len())]).collect()).collect()
}

fn sentence(data: &mut Vec<u8>, words: &[String], lcg: &mut Lcg) {
    for _ in 0..4 + lcg.below(16) {
        data.extend(words[lcg.skewed(words.len())].bytes());
        data.extend(if lcg.below(12) == 0 { ", " } else { " " }.bytes());
    }
    data.pop();
    data.extend(if lcg.below(5) == 0 { ".\n" } else { ". " }.bytes());
}

fn line(data: &mut Vec<u8>, lcg: &mut Lcg) {
    let (at, worker, request, time) = (data.len(), lcg.below(9), lcg.next_number(), lcg.below(5000));
    data.extend(format!("{at:>10} worker-{worker} request {request:x} took {time} us\n").bytes());
}

/// A function, and now and then a table or strings.
fn code(data: &mut Vec<u8>, words: &[String], lcg: &mut Lcg) {
    const OPCODES: [&[u8]; 12] = [
        &[0x48, 0x89],
        &[0x48, 0x8B],
        &[0x48, 0x8D],
        &[0xE8],
        &[0x0F, 0x84],
        &[0x83],
        &[0x31, 0xC0],
        &[0x41, 0x54],
        &[0x4C, 0x89],
        &[0x85, 0xC0],
        &[0x0F, 0xB6],
        &[0xC7, 0x44, 0x24],
    ];
    match lcg.below(16) {
        0 => {
            for _ in 0..lcg.below(64) {
                data.extend((0x40_0000 + lcg.skewed(1 << 20) as u64 * 16).to_le_bytes());
            }
        }
        1 => {
            for _ in 0..lcg.below(32) {
                data.extend(words[lcg.skewed(words.len())].bytes());
                data.push(0);
            }
        }
        _ => {
            data.extend([0xF3, 0x0F, 0x1E, 0xFA, 0x55, 0x48, 0x89, 0xE5]);
            for _ in 0..lcg.below(60) {
                data.extend(OPCODES[lcg.skewed(OPCODES.len())]);
                match lcg.below(4) {
                    0 => data.extend(u32::try_from(lcg.skewed(1 << 20)).unwrap().to_le_bytes()),
                    1 => data.push(0xC0 | lcg.byte() & 0x3F),
                    _ => data.extend([0x45 | lcg.byte() & 0x38, 0xF8 - 8 * (lcg.byte() & 7)]),
                }
            }
            data.extend([0xC9, 0xC3]);
            data.resize(data.len().next_multiple_of(16), 0x90);
        }
    }
}

fn page(data: &mut Vec<u8>, words: &[String], lcg: &mut Lcg) {
    let end = data.len() + 4096;
    match lcg.below(16) {
        0..=5 => {}
        6..=8 => {
            while data.len() < end {
                let pointer = 0x7F3A_1200_0000 + lcg.skewed(1 << 24) as u64 * 8;
                data.extend(if lcg.below(3) == 0 { 0 } else { pointer }.to_le_bytes());
            }
        }
        9..=11 => {
            let end = data.len() + lcg.below(4096);
            while data.len() < end {
                sentence(data, words, lcg);
            }
        }
        12..=14 => {
            while data.len() < end {
                code(data, words, lcg);
            }
        }
        _ => data.extend((0..4096).map(|_| lcg.byte())),
    }
    data.resize(end, 0);
}
