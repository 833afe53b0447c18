use super::*;
use std::collections::HashSet;

/// Decodes by the table: the lanes, and a normal's W.
fn decode(semantic: Semantic, member_type: MemberType, bytes: &[u8]) -> (Vec<f32>, Option<i32>) {
    let row = interpretation(semantic, member_type).expect("a row");
    assert_eq!(bytes.len(), member_type.size().unwrap() as usize, "the example fills the member");
    let lanes = row.unpack.lanes(bytes, usize::from(row.lanes), 2048.0);
    (lanes[..usize::from(row.lanes)].to_vec(), row.w.read(bytes))
}

fn shorts(values: [i32; 4]) -> Vec<u8> {
    values.iter().flat_map(|value| (*value as u16).to_le_bytes()).collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// One example a row: (semantic, type, bytes, lanes, W).
type Example = (Semantic, MemberType, Vec<u8>, Vec<f32>, Option<i32>);

const BYTES: [u8; 4] = [255, 0, 128, 7];
const R: f32 = f32::from_bits(0x3C010204);

fn biased(lanes: usize) -> Vec<f32> {
    [128.0 * R, -127.0 * R, R, -120.0 * R][..lanes].to_vec()
}

fn skinning_examples() -> Vec<Example> {
    use MemberType as T;
    use Semantic as S;
    let over_255 = vec![1.0, 0.0, 128.0 / 255.0, 7.0 / 255.0];
    let over_127 = vec![-1.0 / 127.0, 0.0, -128.0 / 127.0, 7.0 / 127.0];
    let over_32767 = vec![1.0, -1.0, 1.0 / 32767.0, -32768.0 / 32767.0];
    let edge = shorts([32767, -32767, 1, -32768]);
    let integers = vec![255.0, 0.0, 128.0, 7.0];
    vec![
        (S::POSITION, T::FLOAT3, floats(&[1.5, -2.0, 3.25]), vec![1.5, -2.0, 3.25], None),
        (S::POSITION, T::FLOAT4, floats(&[1.5, -2.0, 3.25, 0.0]), vec![1.5, -2.0, 3.25, 0.0], None),
        (S::BONE_WEIGHTS, T::COLOR, BYTES.to_vec(), over_127, None),
        (S::BONE_WEIGHTS, T::UBYTE4_NORM, BYTES.to_vec(), over_255, None),
        (S::BONE_WEIGHTS, T::SHORT4, edge.clone(), over_32767.clone(), None),
        (S::BONE_WEIGHTS, T::SHORT4_NORM, edge, over_32767, None),
        (S::BONE_INDICES, T::UBYTE4, BYTES.to_vec(), integers.clone(), None),
        (S::BONE_INDICES, T::USHORT4, shorts([1, 256, 40000, 3]), vec![1.0, 256.0, 40000.0, 3.0], None),
        (S::BONE_INDICES, T::BYTE4_E, BYTES.to_vec(), integers, None),
    ]
}

fn normal_examples() -> Vec<Example> {
    use MemberType as T;
    use Semantic as S;
    let reversed = vec![7.0 / 127.0, -128.0 / 127.0, 0.0];
    vec![
        (S::NORMAL, T::FLOAT3, floats(&[0.0, 1.0, 0.5]), vec![0.0, 1.0, 0.5], None),
        (S::NORMAL, T::FLOAT4, floats(&[0.0, 1.0, 0.5, 9.0]), vec![0.0, 1.0, 0.5], Some(9)),
        (S::NORMAL, T::COLOR, BYTES.to_vec(), biased(3), Some(7)),
        (S::NORMAL, T::UBYTE4, BYTES.to_vec(), biased(3), Some(7)),
        (S::NORMAL, T::BYTE4, BYTES.to_vec(), reversed, Some(255)),
        (S::NORMAL, T::UBYTE4_NORM, BYTES.to_vec(), biased(3), Some(7)),
        (S::NORMAL, T::SHORT4_NORM, shorts([32767, -32767, 0, -3]), vec![1.0, -1.0, 0.0], Some(-3)),
        (S::NORMAL, T::HALF4, shorts([65534, 0, 32767, -3]), vec![1.0, -1.0, 0.0], Some(-3)),
        (S::NORMAL, T::BYTE4_E, BYTES.to_vec(), biased(3), Some(7)),
        (S::TANGENT, T::FLOAT3, floats(&[0.0, 1.0, 0.5]), vec![0.0, 1.0, 0.5], None),
        (S::TANGENT, T::FLOAT4, floats(&[0.0, 1.0, 0.5, -1.0]), vec![0.0, 1.0, 0.5, -1.0], None),
        (S::TANGENT, T::COLOR, BYTES.to_vec(), biased(4), None),
        (S::TANGENT, T::UBYTE4, BYTES.to_vec(), biased(4), None),
        (S::TANGENT, T::UBYTE4_NORM, BYTES.to_vec(), biased(4), None),
        (S::TANGENT, T::SHORT4_NORM, shorts([32767, -32767, 0, -32767]), vec![1.0, -1.0, 0.0, -1.0], None),
        (S::TANGENT, T::BYTE4_E, BYTES.to_vec(), biased(4), None),
        (S::BITANGENT, T::COLOR, BYTES.to_vec(), biased(4), None),
        (S::BITANGENT, T::UBYTE4, BYTES.to_vec(), biased(4), None),
        (S::BITANGENT, T::UBYTE4_NORM, BYTES.to_vec(), biased(4), None),
        (S::BITANGENT, T::SHORT4_NORM, shorts([32767, -32767, 0, -32767]), vec![1.0, -1.0, 0.0, -1.0], None),
        (S::BITANGENT, T::BYTE4_E, BYTES.to_vec(), biased(4), None),
    ]
}

fn texture_examples() -> Vec<Example> {
    use MemberType as T;
    use Semantic as S;
    let pair = [0x00, 0x08, 0x00, 0xFC];
    let coordinates = vec![1.0, -0.5];
    let over_255 = vec![1.0, 0.0, 128.0 / 255.0, 7.0 / 255.0];
    let over_127 = vec![-1.0 / 127.0, 0.0, -128.0 / 127.0, 7.0 / 127.0];
    let halves = [0x00, 0x3C, 0x00, 0xC0, 0x00, 0x38, 0x00, 0x00];
    vec![
        (S::UV, T::FLOAT1, floats(&[0.25]), vec![0.25], None),
        (S::UV, T::FLOAT2, floats(&[0.25, 2.0]), vec![0.25, 2.0], None),
        (S::UV, T::FLOAT3, floats(&[0.25, 2.0, 3.0]), vec![0.25, 2.0, 3.0], None),
        (S::UV, T::FLOAT4, floats(&[0.25, 2.0, 3.0, 4.0]), vec![0.25, 2.0, 3.0, 4.0], None),
        (S::UV, T::COLOR, pair.to_vec(), coordinates.clone(), None),
        (S::UV, T::UBYTE4, pair.to_vec(), coordinates.clone(), None),
        (S::UV, T::BYTE4, pair.to_vec(), coordinates.clone(), None),
        (S::UV, T::UBYTE4_NORM, BYTES.to_vec(), over_255.clone(), None),
        (S::UV, T::BYTE4_NORM, BYTES.to_vec(), over_127, None),
        (S::UV, T::SHORT2, pair.to_vec(), coordinates, None),
        (S::UV, T::SHORT4, shorts([2048, -1024, 1, -32768]), vec![1.0, -0.5, 1.0 / 2048.0, -16.0], None),
        (S::UV, T::USHORT2, vec![1, 0, 0xFF, 0xFF], vec![1.0, 65535.0], None),
        (S::UV, T::HALF2, halves[..4].to_vec(), vec![1.0, -2.0], None),
        (S::UV, T::HALF4, halves.to_vec(), vec![1.0, -2.0, 0.5, 0.0], None),
        (S::COLOUR, T::FLOAT4, floats(&[1.0, 0.5, 0.0, 1.0]), vec![1.0, 0.5, 0.0, 1.0], None),
        (S::COLOUR, T::COLOR, BYTES.to_vec(), over_255.clone(), None),
        (S::COLOUR, T::UBYTE4_NORM, BYTES.to_vec(), over_255, None),
    ]
}

#[test]
fn every_row_of_the_table_decodes_its_example() {
    let examples = [skinning_examples(), normal_examples(), texture_examples()].concat();
    let mut seen = HashSet::new();
    for (semantic, member_type, bytes, lanes, w) in examples {
        let name = format!("{} of type {:#x}", semantic.name(), member_type.0);
        assert_eq!(decode(semantic, member_type, &bytes), (lanes, w), "{name}");
        assert!(seen.insert((semantic, member_type)), "{name} twice");
    }
    let rows: HashSet<_> = TABLE.iter().map(|row| (row.semantic, row.member_type)).collect();
    assert_eq!(rows.len(), TABLE.len(), "no pair has two rows");
    assert_eq!(rows, seen, "a row without an example");
}

#[test]
fn the_rounded_reciprocal_of_127_is_not_a_division_by_127() {
    let differing = (0u8..=254).filter(|byte| {
        let centred = f32::from(*byte) - 127.0;
        centred * RECIPROCAL_127 != centred / 127.0
    });
    assert!(differing.count() > 0);
    let (lanes, _) = decode(Semantic::NORMAL, MemberType::UBYTE4, &[254, 127, 0, 0]);
    assert_eq!(lanes, [127.0 * RECIPROCAL_127, 0.0, -127.0 * RECIPROCAL_127]);
}

#[test]
fn texture_shorts_follow_the_versions_divisor() {
    let lanes = Unpack::TextureShorts.lanes(&[0x00, 0x04, 0x00, 0x08], 2, 1024.0);
    assert_eq!(lanes, [1.0, 2.0, 0.0, 0.0]);
}

#[test]
fn the_other_reading_of_short_weights_flips_the_sign_bit() {
    let lanes = Unpack::FlippedShorts.lanes(&shorts([0x7FFF, -32768, 0, 0]), 4, 2048.0);
    assert_eq!(lanes, [1.0, 0.0, 32768.0 / 65535.0, 32768.0 / 65535.0]);
}

#[test]
fn a_float_w_that_is_not_whole_names_no_bone() {
    assert_eq!(IntegerW::Float(0).read(&2.5f32.to_le_bytes()), None);
    assert_eq!(IntegerW::Float(0).read(&f32::NAN.to_le_bytes()), None);
    assert_eq!(IntegerW::Short(6).read(&[0; 7]), None);
}
