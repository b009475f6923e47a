//! Sizes as people write and read them.

use std::fmt;

/// Reads `1048576`, `64MiB`, `64M`, `64MB` (decimal), or `none` for no limit.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is not a size: write 1048576, 64KiB, 64MiB, 2GiB or none");
    if matches!(text, "none" | "unlimited") {
        return Ok(u64::MAX);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let scale: u64 = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(wrong()),
    };
    number.checked_mul(scale).ok_or_else(|| format!("'{text}' is over 64 bits"))
}

/// A size for people: `12 B`, `4.0 KiB`, `16.0 MiB`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Human(pub(crate) u64);

impl fmt::Display for Human {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        if self.0 < 1024 {
            return f.pad(&format!("{} B", self.0));
        }
        // In tenths of the unit; from 1,023.95 on it is the next unit.
        let tenths = |unit: u32| (u128::from(self.0) * 10 + (1 << (unit - 1))) >> unit;
        let mut unit = 10;
        while tenths(unit) >= 10_240 {
            unit += 10;
        }
        let name = UNITS[(unit / 10 - 1) as usize];
        f.pad(&format!("{}.{} {name}", tenths(unit) / 10, tenths(unit) % 10))
    }
}

#[cfg(test)]
mod tests {
    use super::{Human, parse_size};

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, size) in [
            ("0", 0),
            ("1024", 1024),
            ("64MiB", 64 << 20),
            ("64 MiB", 64 << 20),
            ("64M", 64 << 20),
            ("64m", 64 << 20),
            ("2GB", 2_000_000_000),
            ("none", u64::MAX),
        ] {
            assert_eq!(parse_size(text), Ok(size), "{text}");
        }
        for text in ["", "MiB", "-1", "1.5MiB", "64Mi", "64 apples", "99999999TiB", "0x10"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_shown_as_people_read_them() {
        for (size, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            ((1 << 20) - 1, "1.0 MiB"),
            (16 << 20, "16.0 MiB"),
            (4_123_168_604_160, "3.8 TiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(Human(size).to_string(), text);
        }
    }
}
