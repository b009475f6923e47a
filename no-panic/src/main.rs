//! Every public function of zvet-core, in a program that does not link unless the compiler shows that none of them can
//! panic. `./prove` builds it, and looks that no function is missing.
//!
//! Left out is what formats (`Display`, `Debug`): that runs `core::fmt` and the caller's writer. With overflow checks, the
//! loops inside of blocks are left out, too: that their sums stay small is in the format, where the compiler does not see
//! it. They are no wrapping sums all the same, so that tests and fuzzing, which have the checks on, would see one overflow.

use std::hint::black_box;

use no_panic::no_panic;
use zvet_core::entropy::{Depth, Dictionaries, Dictionary, DictionaryShape, EntropyWalker, Workspace};
use zvet_core::{
    BlockCounts, BlockHeader, Bounds, Budget, Descriptor, Error, ErrorKind, Event, Foreign, Frame, FrameHeader,
    FrameIndex, Limits, Location, Magic, Ratio, SeekAudit, SeekEntries, SeekEntry, SeekTable, SeekTableError,
    SizeRange, Skippable, Walker, WindowDescriptor,
};

type Streaming<'a> = EntropyWalker<&'a mut Workspace, &'a mut [u8], &'a [Dictionary<'a>]>;
#[cfg(feature = "inside-of-blocks")]
type InMemory = EntropyWalker<Workspace, [u8; 0], ()>;
type Index = FrameIndex<8>;

/// Each entry is a function by itself, of arguments that nothing is known of, and none of them is optimised away.
macro_rules! entries {
    ($($(#[$meta:meta])* $name:ident($($argument:ident: $kind:ty),*) $call:expr;)*) => {
        $(
            $(#[$meta])*
            #[no_panic]
            #[inline(never)]
            fn $name($($argument: $kind),*) {
                let _ = black_box($call);
            }
        )*

        fn main() {
            $($(#[$meta])* let _ = black_box($name as *const ());)*
        }
    };
}

entries! {
    magic_of(bytes: [u8; 4]) Magic::of(bytes);
    magic_may_begin_with(bytes: &[u8]) Magic::may_begin_with(bytes);
    foreign_of(bytes: &[u8]) Foreign::of(bytes);

    descriptor_single_segment(descriptor: Descriptor) Descriptor::single_segment(descriptor);
    descriptor_unused_bit(descriptor: Descriptor) Descriptor::unused_bit(descriptor);
    descriptor_reserved_bit(descriptor: Descriptor) Descriptor::reserved_bit(descriptor);
    descriptor_content_checksum(descriptor: Descriptor) Descriptor::content_checksum(descriptor);
    descriptor_window_descriptor_size(descriptor: Descriptor) Descriptor::window_descriptor_size(descriptor);
    descriptor_dictionary_id_size(descriptor: Descriptor) Descriptor::dictionary_id_size(descriptor);
    descriptor_content_size_size(descriptor: Descriptor) Descriptor::content_size_size(descriptor);
    descriptor_header_size(descriptor: Descriptor) Descriptor::header_size(descriptor);
    window_exponent(window: WindowDescriptor) WindowDescriptor::exponent(window);
    window_mantissa(window: WindowDescriptor) WindowDescriptor::mantissa(window);
    window_size(window: WindowDescriptor) WindowDescriptor::window_size(window);

    header_parse(bytes: &[u8]) FrameHeader::parse(bytes);
    header_descriptor(header: &FrameHeader) FrameHeader::descriptor(header);
    header_header_size(header: &FrameHeader) FrameHeader::header_size(header);
    header_single_segment(header: &FrameHeader) FrameHeader::single_segment(header);
    header_content_checksum(header: &FrameHeader) FrameHeader::content_checksum(header);
    header_window_descriptor(header: &FrameHeader) FrameHeader::window_descriptor(header);
    header_window_size(header: &FrameHeader) FrameHeader::window_size(header);
    header_block_maximum_size(header: &FrameHeader) FrameHeader::block_maximum_size(header);
    header_dictionary_id(header: &FrameHeader) FrameHeader::dictionary_id(header);
    header_content_size(header: &FrameHeader) FrameHeader::content_size(header);

    block_parse(bytes: [u8; 3]) BlockHeader::parse(bytes);
    block_check(block: BlockHeader, maximum: u32) BlockHeader::check(block, maximum);
    block_content_size(block: BlockHeader) BlockHeader::content_size(block);
    block_regenerated_size(block: BlockHeader, maximum: u32) BlockHeader::regenerated_size(block, maximum);
    blocks_total(blocks: BlockCounts) BlockCounts::total(blocks);

    frame_decoded_size(frame: &Frame) Frame::decoded_size(frame);
    frame_check_dictionary(frame: &Frame, ids: &[u32]) Frame::check_dictionary(frame, ids);
    frame_location(frame: &Frame) Frame::location(frame);
    skippable_compressed_size(frame: Skippable) Skippable::compressed_size(frame);
    size_exactly(size: u64) SizeRange::exactly(size);
    size_exact(size: SizeRange) SizeRange::exact(size);
    size_contains(range: SizeRange, size: u64) SizeRange::contains(range, size);
    size_plus(one: SizeRange, other: SizeRange) SizeRange::plus(one, other);
    error_new(at: Location, kind: ErrorKind) Error::new(at, kind);
    error_rule(error: &Error) Error::rule(error);
    error_class(error: &Error) Error::class(error);
    kind_rule(kind: &ErrorKind) ErrorKind::rule(kind);
    kind_class(kind: &ErrorKind) ErrorKind::class(kind);

    walker_new() Walker::new();
    walker_push(walker: &mut Walker, input: &[u8]) Walker::push(walker, input);
    walker_skippable(walker: &Walker) Walker::skippable(walker);
    walker_skipped(walker: &mut Walker, bytes: u64) Walker::skipped(walker, bytes);
    walker_finish(walker: &Walker) Walker::finish(walker);
    walker_offset(walker: &Walker) Walker::offset(walker);
    walker_frames(walker: &Walker) Walker::frames(walker);
    walker_frame(walker: &Walker) Walker::frame(walker);
    walker_skippable_frame(walker: &Walker) Walker::skippable_frame(walker);
    walker_location(walker: &Walker) Walker::location(walker);

    walker_default() Walker::default();
    bounds_default() Bounds::default();
    limits_default() Limits::default();
    index_default() Index::default();

    workspace_new() Workspace::new();
    workspace_default() Workspace::default();
    dictionary_raw(bytes: &[u8]) Dictionary::raw(bytes);
    #[cfg(feature = "inside-of-blocks")]
    dictionary_parse(bytes: &[u8], workspace: &mut Workspace) Dictionary::parse(bytes, workspace);
    dictionary_id(dictionary: &Dictionary<'_>) Dictionary::id(dictionary);
    dictionary_shape(dictionary: &Dictionary<'_>) Dictionary::shape(dictionary);
    dictionary_of_shape(bytes: &[u8], shape: DictionaryShape) Dictionary::of_shape(bytes, shape);
    dictionaries_for_frame(dictionaries: &[Dictionary<'_>], header: &FrameHeader)
        Dictionaries::for_frame(&dictionaries, header);
    no_dictionaries_for_frame(header: &FrameHeader) Dictionaries::for_frame(&(), header);

    entropy_new(workspace: &mut Workspace, depth: Depth) EntropyWalker::new(depth, workspace, [], ());
    entropy_restart(walker: &mut Streaming<'_>) EntropyWalker::restart(walker);
    #[cfg(feature = "inside-of-blocks")]
    entropy_push(walker: &mut Streaming<'_>, input: &[u8]) EntropyWalker::push(walker, input);
    #[cfg(feature = "inside-of-blocks")]
    entropy_push_in_memory(walker: &mut InMemory, input: &[u8]) EntropyWalker::push(walker, input);
    entropy_skippable(walker: &Streaming<'_>) EntropyWalker::skippable(walker);
    entropy_skipped(walker: &mut Streaming<'_>, bytes: u64) EntropyWalker::skipped(walker, bytes);
    entropy_finish(walker: &Streaming<'_>) EntropyWalker::finish(walker);
    entropy_undecided(walker: &mut Streaming<'_>) EntropyWalker::undecided(walker);
    entropy_made(walker: &Streaming<'_>) EntropyWalker::made(walker);
    entropy_offset(walker: &Streaming<'_>) EntropyWalker::offset(walker);
    entropy_frame(walker: &Streaming<'_>) EntropyWalker::frame(walker);
    entropy_skippable_frame(walker: &Streaming<'_>) EntropyWalker::skippable_frame(walker);
    entropy_content_left(walker: &Streaming<'_>) EntropyWalker::content_left(walker);

    bounds_ruled_out(bounds: &Bounds, frame: &Frame) Bounds::ruled_out(bounds, frame);
    bounds_classify(bounds: &Bounds, frame: &Frame) Bounds::classify(bounds, frame);
    ratio_allowed(ratio: Ratio, input: u64) Ratio::allowed(ratio, input);
    budget_new(limits: Limits) Budget::new(limits);
    budget_output(budget: &Budget) Budget::output(budget);
    budget_open(budget: &mut Budget, frame: &Frame) Budget::open(budget, frame);
    budget_spend(budget: &mut Budget, at: Location, output: u64, input: u64) Budget::spend(budget, at, output, input);
    budget_made_before(budget: &mut Budget, block: &zvet_core::Block, made: u64)
        Budget::made_before(budget, block, made);
    budget_observe(budget: &mut Budget, event: &Event) Budget::observe(budget, event);

    index_new() FrameIndex::<8>::new();
    index_record(index: &mut Index, event: &Event) FrameIndex::record(index, event);
    index_entries(index: &Index) FrameIndex::entries(index);
    index_missed(index: &Index) FrameIndex::missed(index);
    index_is_complete(index: &Index) FrameIndex::is_complete(index);

    seek_table_parse(content: &[u8]) SeekTable::parse(content);
    seek_table_find(tail: &[u8]) SeekTable::find(tail);
    seek_table_frames(table: &SeekTable<'_>) SeekTable::frames(table);
    seek_table_checksums(table: &SeekTable<'_>) SeekTable::checksums(table);
    seek_table_content_size(table: &SeekTable<'_>) SeekTable::content_size(table);
    seek_table_entries(table: &SeekTable<'_>) SeekTable::entries(table);
    seek_entries_next(entries: &mut SeekEntries<'_>) entries.next();
    seek_entries_size_hint(entries: &SeekEntries<'_>) entries.size_hint();
    seek_entries_len(entries: &SeekEntries<'_>) entries.len();
    seek_entry_contains(entry: &SeekEntry, offset: u64) SeekEntry::contains(entry, offset);
    seek_error_rule(error: &SeekTableError) SeekTableError::rule(error);
    seek_audit_new(table: SeekTable<'_>) SeekAudit::new(table);
    seek_audit_observe(audit: &mut SeekAudit<'_>, event: &Event) SeekAudit::observe(audit, event);
    seek_audit_finish(audit: &SeekAudit<'_>) SeekAudit::finish(audit);

    #[cfg(feature = "index-out-of-bounds")]
    an_index_out_of_bounds(bytes: &[u8]) bytes[3];
    #[cfg(feature = "overflow")]
    an_overflow(number: u32) number + 1;
}
