use alloy_primitives::hex;

use super::*;

fn words(words: &[&str]) -> Vec<u8> {
    words
        .iter()
        .flat_map(|word| hex::decode(format!("{word:0>64}")).unwrap())
        .collect()
}

fn arguments(data: &[u8]) -> Arguments<'_> {
    Arguments(data, [0, 0, 0, 7])
}

const TEXT: &str = "6162000000000000000000000000000000000000000000000000000000000000";

#[test]
fn a_string_may_have_any_offset_but_must_be_complete() {
    let data = words(&["40", "ff", "2", TEXT]);
    assert_eq!(arguments(&data).bytes(0), Some(b"ab".as_slice()));
    assert_eq!(arguments(&data[..98]).bytes(0), Some(b"ab".as_slice()));
    assert_eq!(arguments(&data[..97]).bytes(0), None);
    assert_eq!(arguments(&data).bytes(1), None);
    assert_eq!(arguments(&words(&[&"f".repeat(64)])).bytes(0), None);
}

#[test]
fn a_list_must_be_complete() {
    let data = words(&["20", "2", "7", "8", "9"]);
    let listed = [7, 8].map(|number| U256::from(number).into());
    assert_eq!(arguments(&data).list(0, 1), Some(listed.to_vec()));
    assert_eq!(arguments(&data).list(0, 2), None);
    assert_eq!(arguments(&data[..127]).list(0, 1), None);
}

#[test]
fn the_upper_bytes_of_an_address_must_be_zero() {
    let data = words(&["01", "010000000000000000000000000000000000000000"]);
    let expected = Address::with_last_byte(1);
    assert_eq!(arguments(&data).address(0), Some(expected));
    assert_eq!(arguments(&data).address(1), None);
}

#[test]
fn a_nested_offset_may_point_backwards() {
    // The offset of the group points back to word 1, the length of the list.
    let back = "f".repeat(62) + "e0";
    let data = words(&["20", "1", &back, "5"]);
    let first = Group {
        address: U256::ONE.into(),
        numbers: Vec::new(),
    };
    // Word 2 is the offset of the inner list and points back to word 0, which is a length of 32.
    assert_eq!(arguments(&data).groups(0), Some(vec![None]));
    let data = words(&["20", "1", "20", "5", "40", "1", "9"]);
    let complete = Group {
        address: U256::from(5).into(),
        numbers: vec![U256::from(9)],
    };
    assert_eq!(arguments(&data).groups(0), Some(vec![Some(complete)]));
    assert_eq!(arguments(&data[..223]).groups(0), Some(vec![None]));
    let out_of_range = words(&["20", "1", &format!("c{}", "0".repeat(63))]);
    let empty = Group {
        address: B256::ZERO,
        ..first
    };
    assert_eq!(arguments(&out_of_range).groups(0), Some(vec![Some(empty)]));

    // The offset of the inner list would include the last byte of the selector.
    let selector = words(&["20", "1", &("f".repeat(62) + "9f")]);
    assert_eq!(arguments(&selector).groups(0), Some(vec![None]));
}
