use alloy_primitives::hex;

use super::*;

fn words(words: &[&str]) -> Vec<u8> {
    words
        .iter()
        .flat_map(|word| hex::decode(format!("{word:0>64}")).unwrap())
        .collect()
}

fn of(data: &[u8]) -> Arguments<'_> {
    Arguments(data, [0, 0, 0, 7])
}

const TEXT: &str = "6162000000000000000000000000000000000000000000000000000000000000";

#[test]
fn a_string_may_stand_anywhere_but_must_be_there() {
    let data = words(&["40", "ff", "2", TEXT]);
    assert_eq!(of(&data).bytes(0), Some(b"ab".as_slice()));
    assert_eq!(of(&data[..98]).bytes(0), Some(b"ab".as_slice()));
    assert_eq!(of(&data[..97]).bytes(0), None);
    assert_eq!(of(&data).bytes(1), None);
    assert_eq!(of(&words(&[&"f".repeat(64)])).bytes(0), None);
}

#[test]
fn a_list_must_be_there_to_the_last_word() {
    let data = words(&["20", "2", "7", "8", "9"]);
    let listed = [7, 8].map(|number| U256::from(number).into());
    assert_eq!(of(&data).list(0, 1), Some(listed.to_vec()));
    assert_eq!(of(&data).list(0, 2), None);
    assert_eq!(of(&data[..127]).list(0, 1), None);
}

#[test]
fn a_list_of_bytes_must_be_there_to_the_last_byte_but_not_padded() {
    let data = words(&["20", "2", "40", "80", "2", TEXT, "0"]);
    let listed = Ok(vec![b"ab".as_slice(), b"".as_slice()]);
    let incomplete = Err(NoCopy::Incomplete);
    assert_eq!(of(&data).byte_strings(0), listed);
    assert_eq!(of(&data[..223]).byte_strings(0), incomplete);
    let alone = words(&["20", "1", "20", "2", TEXT]);
    let listed = Ok(vec![b"ab".as_slice()]);
    assert_eq!(of(&alone[..130]).byte_strings(0), listed);
    assert_eq!(of(&alone[..129]).byte_strings(0), incomplete);
    assert_eq!(of(&words(&["20", "ff"])).byte_strings(0), incomplete);
    let endless = words(&["20", &"f".repeat(16)]);
    assert_eq!(of(&endless).byte_strings(0), Err(NoCopy::NoMemory));
}

#[test]
fn an_address_must_be_clean() {
    let data = words(&["01", "010000000000000000000000000000000000000000"]);
    let one = Address::with_last_byte(1);
    assert_eq!(of(&data).address(0), Some(one));
    assert_eq!(of(&data).address(1), None);
}

#[test]
fn a_group_may_stand_behind_the_place_its_offset_counts_from() {
    // Word 1 is the length of the list, and the address of a group whose offset leads back to it.
    let back = "f".repeat(62) + "e0";
    let data = words(&["20", "1", &back, "5"]);
    let one = Group {
        address: U256::ONE.into(),
        numbers: Vec::new(),
    };
    // Its list is told by word 2, and so leads back too: to word 0, which says 32 numbers.
    assert_eq!(of(&data).groups(0), Some(vec![None]));
    let data = words(&["20", "1", "20", "5", "40", "1", "9"]);
    let whole = Group {
        address: U256::from(5).into(),
        numbers: vec![U256::from(9)],
    };
    assert_eq!(of(&data).groups(0), Some(vec![Some(whole)]));
    assert_eq!(of(&data[..223]).groups(0), Some(vec![None]));
    let nowhere = words(&["20", "1", &format!("c{}", "0".repeat(63))]);
    let empty = Group {
        address: B256::ZERO,
        ..one
    };
    assert_eq!(of(&nowhere).groups(0), Some(vec![Some(empty)]));

    // The offset of its list would begin with the last byte of the selector.
    let selector = words(&["20", "1", &("f".repeat(62) + "9f")]);
    assert_eq!(of(&selector).groups(0), Some(vec![None]));
}
