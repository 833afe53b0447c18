//! The codes of this wing. Names are a contract: tools filter on them.

use crate::finding::{Code, Severity};

macro_rules! codes {
    ($($name:ident $severity:ident $code:literal $summary:literal)*) => {
        $(
            #[doc = $summary]
            pub static $name: Code =
                Code { name: $code, severity: Severity::$severity, summary: $summary };
        )*
        /// Every code of this wing.
        pub static CODES: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    // Container and sections.
    BLOCK_HEADER Error "block-header" "the section table of the block cannot be right"
    SECTION_ORDER Warning "section-order" "sections do not follow each other in the usual order"
    SECTION_UNALIGNED Error "section-unaligned" "a section does not begin on a cache line"
    VERSION_UNKNOWN Error "version-unknown" "a version word that no known library accepts"
    OUT_OF_BOUNDS Error "out-of-bounds" "something reaches past the end of its section"
    LENGTH_DIFFERS Warning "length-differs" "the block is not as long as the donor's"

    // GPL.
    QUANTIZE_UNKNOWN Error "quantize-unknown" "a number type outside the library's table"
    COMPONENTS_UNSUPPORTED Error "components-unsupported" "a component count outside the library's table"
    NO_SKINNED_SUBMESH Error "no-skinned-submesh" "skinning data without a submesh of component count 6"
    SKINNED_SUBMESH_NOT_FIRST Warning "skinned-submesh-not-first" "the skinned submesh is not the first, or not the only one"
    SKINNED_POSITIONS_NOT_S16 Error "skinned-positions-not-s16" "the kernels read and write s16, the positions are declared as something else"
    SHIFT_MISMATCH Warning "shift-mismatch" "fraction bits of positions and skinning differ"
    SHIFT_OUT_OF_RANGE Error "shift-out-of-range" "a skinning shift of 0 or above 31"
    HEADER_UNALIGNED Error "header-unaligned" "an array header off a word boundary"
    POSITIONS_UNALIGNED Error "positions-unaligned" "the skinned position array does not begin on a cache line"
    PRIMITIVE_INDEX Error "primitive-index" "a primitive uses an index behind the end of an array"
    PRIMITIVE_OVERRUN Error "primitive-overrun" "a primitive is longer than its list"
    PRIMITIVE_OPCODE Error "primitive-opcode" "a primitive list holds a command that does not exist"
    PRIMITIVE_LIST_UNALIGNED Error "primitive-list-unaligned" "a primitive list does not begin on a cache line"
    PRIMITIVE_LIST_LENGTH Error "primitive-list-length" "the length of a primitive list is no multiple of 32"
    PRIMITIVE_TRAILING_DATA Note "primitive-trailing-data" "bytes that are not zero behind the last primitive"
    DESCRIPTOR_DIRECT Error "descriptor-direct" "a vertex descriptor asks for direct data"
    DESCRIPTOR_INDEX_WIDTH Error "descriptor-index-width" "8-bit indices into an array of more than 256 elements"
    DISPLAY_STATE_UNKNOWN Warning "display-state-unknown" "a display state that neither the library nor Super Sluggers knows"
    GEO_UNOWNED Error "geo-unowned" "no bone owns a rigid submesh"
    GEO_OWNED_TWICE Warning "geo-owned-twice" "several bones own a rigid submesh"
    GEO_OWNS_SKINNED Warning "geo-owns-skinned" "a bone owns the skinned submesh"
    GEO_OUT_OF_RANGE Error "geo-out-of-range" "a bone owns a submesh that does not exist"
    TEXTURE_OUT_OF_BOUNDS Error "texture-out-of-bounds" "an image or palette reaches past the end of its section"
    TEXTURE_FORMAT Error "texture-format" "a texture format that the graphics processor does not know"
    PALETTE_NAME_EMPTY Error "palette-name-empty" "a texture channel without a palette name"

    // SKN: entries and the machine.
    COUNT_WRAPS Error "count-wraps" "a vertex count with which the kernel's loop counter wraps"
    COUNT_BELOW_VANILLA Warning "count-below-vanilla" "an entry of two vertices"
    SOURCE_OVER_VANILLA_LIMIT Warning "source-over-vanilla-limit" "a source larger than that of any known model"
    SOURCE_OVER_BUFFER Error "source-over-buffer" "a source larger than its buffer in the locked cache"
    DMA_LENGTH_WRAPS Error "dma-length-wraps" "one transfer of more than 128 lines"
    STORE_SIZE_WRAPS Error "store-size-wraps" "an SK1 entry of more than 65,535 bytes"
    DMA_ADDRESS_UNALIGNED Error "dma-address-unaligned" "a transfer from or to an address that is not a cache line's"
    VERTEX_OFFSET Error "vertex-offset" "the first vertex does not lie on a slot of the position array"
    LINE_SHARED Error "line-shared" "two SK1/SK2 entries store the same cache line"
    DESTINATION_OVERLAP Error "destination-overlap" "two SK1/SK2 entries write the same slot"
    WRITE_BACK_OVER_STRUCTURE Error "write-back-over-structure" "a write reaches a structure of the model"
    WRITE_OUTSIDE_SCRATCH Warning "write-outside-scratch" "a write behind the position array, into bytes that nothing owns"
    WRITE_OUTSIDE_MODEL Error "write-outside-model" "a write outside the block or GPL file"
    BONE_OUT_OF_RANGE Error "bone-out-of-range" "an entry uses a bone that the skeleton lacks"
    BONE_NOT_IN_DONOR_SKIN Warning "bone-not-in-donor-skin" "an entry uses a bone that the donor's skin does not"
    BONE_OWNS_MESH Warning "bone-owns-mesh" "an entry uses a bone that owns a rigid submesh"
    ENTRIES_UNSORTED Note "entries-unsorted" "SK1 or SK2 entries are not in ascending destination order"
    SOURCE_OFF_MIRROR Warning "source-off-mirror" "a source does not lie at its place in the mirror of the position array"
    ARRAY_UNALIGNED Warning "array-unaligned" "a variable array does not begin on a cache line"
    ARRAY_OVERLAP Warning "array-overlap" "two variable arrays overlap"
    ARRAY_ORDER Note "array-order" "variable arrays are not in the usual order"
    PADDING_NOT_ZERO Note "padding-not-zero" "padding that is not zero"
    PREFIX_NOT_ZERO Note "prefix-not-zero" "bytes before the first vertex of a source that are not zero"

    // SKN: accumulation, clear, flush, weights.
    ACCUMULATED_NOT_CLEARED Error "accumulated-not-cleared" "a slot that only SKAcc writes is not cleared and grows in every frame"
    CLEARED_NOT_ACCUMULATED Warning "cleared-not-accumulated" "cleared slots into which nothing accumulates"
    CLEAR_HITS_DIRECT Error "clear-hits-direct" "the clear range covers slots that SK1 or SK2 entries write"
    CLEAR_RANGE Warning "clear-range" "the clear range is not the one that known models compute"
    CLEAR_EXTRA_LINE Note "clear-extra-line" "the clear range is one line longer than needed"
    CLEAR_CUT_SHORT Warning "clear-cut-short" "clearing whole lines leaves the end of the range uncleared"
    CLEAR_WITHOUT_ACCUMULATION Warning "clear-without-accumulation" "a clear range without SKAcc entries, which never runs"
    ACCUMULATE_INTO_SK1 Warning "accumulate-into-sk1" "an SKAcc entry adds to a slot that an SK1 entry writes"
    ACCUMULATION_SHARES_LINE Warning "accumulation-shares-line" "a slot that only SKAcc writes shares a line with an SK1 or SK2 entry"
    ACCUMULATE_BASE Warning "accumulate-base" "an SKAcc entry whose destination base is not 0"
    FLUSH_MISSING Error "flush-missing" "lines that SKAcc writes and no flush index covers"
    FLUSH_TAIL Warning "flush-tail" "a line that SKAcc writes holds only the end of a flushed vertex, so the flush misses it"
    FLUSH_SUPERFLUOUS Note "flush-superfluous" "flush indices of lines that SKAcc does not write"
    FLUSH_OUT_OF_RANGE Error "flush-out-of-range" "a flush index outside the skinned slots"
    WEIGHT_SUM Warning "weight-sum" "a slot's weights do not sum to 256"
    WEIGHT_ZERO Note "weight-zero" "weights of zero"
    WEIGHT_DUPLICATE Note "weight-duplicate" "the same bone adds to a slot twice"
    SLOT_UNWRITTEN Error "slot-unwritten" "primitives draw a slot that no list writes"
    SATURATED Warning "saturated" "the output reaches the end of the s16 range"
    NAN_MATRIX Error "nan-matrix" "a bone matrix with a cell that is no finite number"
    FRAME_FAULT Error "frame-fault" "the frame faults"
    OUTPUT_DIFFERS Error "output-differs" "the frame's output is not what the data ask for"

    // ACT, ANM, facial.
    BONE_COUNT Error "bone-count" "the bone tree does not reach as many bones as the header counts"
    TREE_LINK Error "tree-link" "a link of the bone tree leads nowhere, or to a bone again"
    BONE_ORDER Warning "bone-order" "bones in tree order are not in table order"
    CONTROL_IGNORED Warning "control-ignored" "a control holds values that its type byte leaves out"
    LIBRARY_FAULT Warning "library-fault" "a fault of the library shows in what the model does"
    TRACK_WITHOUT_BONE Note "track-without-bone" "an animation track of no bone"
    KEY_ORDER Error "key-order" "key frames that are not in ascending time order"
    INTERPOLATION_UNKNOWN Error "interpolation-unknown" "an interpolation that the library does not know"
    FACIAL_RUN_LIST Error "facial-run-list" "a facial run list that cannot be followed"
    FACIAL_COUNT Error "facial-count" "counts of a facial section that contradict each other"
    FACIAL_COMPONENT Error "facial-component" "a facial component size or kind that is not known"
    FACIAL_INDEX Error "facial-index" "a facial index outside its submesh"
    FACIAL_OFF_MIRROR Error "facial-off-mirror" "a facial pose lands outside its vertex's source record"
    LOD_BONE_MISSING Error "lod-bone-missing" "the low-detail model uses a bone that the high-detail one lacks"
}
