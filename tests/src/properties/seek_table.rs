use zvet_core::{Event, SeekAudit, SeekTable, SeekTableError, SizeRange, Status};

use crate::bytes::skippable;
use crate::data::Lcg;
use crate::walk::walk;

const FOOTER_SIZE: usize = 9;

/// A frame's size, and what it decodes to.
type Sizes = (u32, SizeRange);

/// Bytes that parse as a seek table are written the same again; the right table of a stream passes its audit, and what is
/// changed of it (a bit, its frame, an entry, what follows) is refused by the rule that this breaks.
pub fn seek_tables_are_held_to_the_frames(stream: &[u8], choices: &mut Lcg) {
    if let Ok(table) = SeekTable::parse(stream) {
        let unused_bits = stream[stream.len() - 5] & 3;
        assert_eq!(written(&table, unused_bits), stream);
    }
    match SeekTable::find(stream) {
        Ok(Status::Complete(table)) => {
            let content = &stream[stream.len() - table.content_size()..];
            assert_eq!(SeekTable::parse(content), Ok(table));
        }
        Ok(Status::Partial { needed }) => assert!(needed > stream.len()),
        Err(_) => {}
    }

    let (events, result) = walk(stream);
    let frames = frames(&events);
    if result.is_err() || frames.iter().any(|(_, decoded_size)| decoded_size.low > u64::from(u32::MAX)) {
        return;
    }
    let checksums = choices.below(2) == 0;
    let table = right_table(&frames, checksums, choices);
    let whole = [stream, &skippable(14, &table)].concat();
    let Ok(Status::Complete(found)) = SeekTable::find(&whole) else { panic!("the table is there") };
    let (events, _) = walk(&whole);
    assert_eq!(audit(found, &events), Ok(()));

    let rule = |result: Result<(), SeekTableError>| result.map_err(|error| error.rule()).err();
    let mut other_frame = whole.clone();
    other_frame[stream.len()] ^= 1 << choices.below(4);
    assert_eq!(rule(SeekTable::find(&other_frame).map(drop)), Some("T04"), "a skippable frame of another kind");
    let (after, _) = walk(&[&whole[..], &skippable(0, b"")].concat());
    assert_eq!(rule(audit(found, &after)), Some("T08"), "a frame after the table");
    if let Some(fewer) = frames.len().checked_sub(1) {
        let table = right_table(&frames[..fewer], checksums, choices);
        let (events, _) = walk(&[stream, &skippable(14, &table)].concat());
        let found = rule(audit(SeekTable::parse(&table).unwrap(), &events));
        // A table of the same size may end the stream already.
        assert!(matches!(found, Some("T07" | "T08")), "a frame without an entry: {found:?}");
    }

    let mut changed = table.clone();
    let (at, bit) = (choices.below(table.len()), choices.below(8));
    changed[at] ^= 1 << bit;
    let result = SeekTable::parse(&changed).and_then(|table| audit(table, &events));
    let expected = rule_of_change(&frames, &changed, checksums, at, bit);
    assert_eq!(rule(result), expected, "bit {bit} of byte {at} of {table:02x?}");
}

fn frames(events: &[Event]) -> Vec<Sizes> {
    let sizes = |event: &Event| match event {
        Event::FrameEnd(frame) => Some((frame.compressed_size, frame.decoded_size())),
        Event::SkippableEnd(frame) => Some((frame.compressed_size(), SizeRange::exactly(0))),
        _ => None,
    };
    events.iter().filter_map(sizes).map(|(size, decoded)| (u32::try_from(size).unwrap(), decoded)).collect()
}

fn right_table(frames: &[Sizes], checksums: bool, choices: &mut Lcg) -> Vec<u8> {
    let mut table = Vec::new();
    for (compressed_size, decoded_size) in frames {
        let size = if choices.below(2) == 0 { decoded_size.low } else { decoded_size.high.min(u64::from(u32::MAX)) };
        table.extend(compressed_size.to_le_bytes());
        table.extend(u32::try_from(size).unwrap().to_le_bytes());
        if checksums {
            table.extend(u32::try_from(choices.next_number()).unwrap().to_le_bytes());
        }
    }
    table.extend(u32::try_from(frames.len()).unwrap().to_le_bytes());
    table.push(u8::from(checksums) << 7);
    table.extend(zvet_core::SEEKABLE_MAGIC_NUMBER.to_le_bytes());
    table
}

fn written(table: &SeekTable<'_>, unused_bits: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut offset, mut decoded_offset) = (0, 0);
    for entry in table.entries() {
        assert_eq!((entry.offset, entry.decoded_offset), (offset, decoded_offset));
        offset += u64::from(entry.compressed_size);
        decoded_offset += u64::from(entry.decoded_size);
        bytes.extend(entry.compressed_size.to_le_bytes());
        bytes.extend(entry.decoded_size.to_le_bytes());
        bytes.extend(entry.checksum.map(u32::to_le_bytes).into_iter().flatten());
    }
    bytes.extend(u32::try_from(table.frames()).unwrap().to_le_bytes());
    bytes.push(u8::from(table.checksums()) << 7 | unused_bits);
    bytes.extend(zvet_core::SEEKABLE_MAGIC_NUMBER.to_le_bytes());
    bytes
}

fn audit(table: SeekTable<'_>, events: &[Event]) -> Result<(), SeekTableError> {
    let mut audit = SeekAudit::new(table);
    events.iter().try_for_each(|event| audit.observe(event))?;
    audit.finish()
}

fn rule_of_change(frames: &[Sizes], changed: &[u8], checksums: bool, at: usize, bit: usize) -> Option<&'static str> {
    let entry_size = if checksums { 12 } else { 8 };
    if let Some(in_footer) = at.checked_sub(changed.len() - FOOTER_SIZE) {
        return match (in_footer, bit) {
            (0..4, _) => Some("T03"),
            (4, 0..2) => None,
            (4, 2..7) => Some("T02"),
            (4, _) => (!frames.is_empty()).then_some("T03"),
            _ => Some("T01"),
        };
    }
    let (entry, field) = (at / entry_size, at % entry_size / 4);
    match field {
        0 => Some("T05"),
        1 => {
            let start = entry * entry_size + 4;
            let size = u32::from_le_bytes(changed[start..start + 4].try_into().unwrap());
            (!frames[entry].1.contains(u64::from(size))).then_some("T06")
        }
        _ => None,
    }
}
