//! Many calls in one transaction.

/// Bytes before the call data.
const HEADER: u8 = 62;

/// Creation code that makes the same call `count` times and creates an empty contract: the fastest way to register many tools.
///
/// # Panics
///
/// If the call data is longer than 65,535 bytes.
#[must_use]
pub fn repeated_call(to: [u8; 20], count: u32, data: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(data.len()).unwrap().to_be_bytes();
    let failure = HEADER - 2;
    // codecopy(0, HEADER, length)
    let mut code = vec![0x61, high, low, 0x60, HEADER, 0x5f, 0x39];
    // push4 count
    code.push(0x63);
    code.extend_from_slice(&count.to_be_bytes());
    let start = u8::try_from(code.len()).unwrap();
    // start: call(gas, to, 0, 0, length, 0, 0)
    code.extend_from_slice(&[0x5b, 0x5f, 0x5f, 0x61, high, low, 0x5f, 0x5f, 0x73]);
    code.extend_from_slice(&to);
    // If it fails, jump to the failure.
    code.extend_from_slice(&[0x5a, 0xf1, 0x15, 0x60, failure, 0x57]);
    // Count down; stop at zero.
    code.extend_from_slice(&[0x60, 1, 0x90, 0x03, 0x80, 0x60, start, 0x57, 0x00]);
    code.resize(usize::from(failure), 0x00);
    // failure: invalid
    code.extend_from_slice(&[0x5b, 0xfe]);
    code.extend_from_slice(data);
    code
}
