//! DNS messages (RFC 1035) with A, AAAA and NS records.

use std::net::IpAddr;

use super::DnsResponse;

pub(super) const A: u16 = 1;
pub(super) const AAAA: u16 = 28;
const NS: u16 = 2;

const HEADER: usize = 12;
const NO_ERROR: u8 = 0;
const SERVER_FAILURE: u8 = 2;
const NAME_ERROR: u8 = 3;
/// In seconds. Long, so that tests detect clients that cache responses.
const TIME_TO_LIVE: u32 = 3600;

/// A query with one question.
#[derive(Clone, Debug)]
pub(super) struct Query {
    id: [u8; 2],
    /// The question section, unchanged: clients that randomize case compare it.
    question: Vec<u8>,
    /// In lower case, without the trailing dot.
    pub(super) name: String,
    pub(super) record_type: u16,
}

impl Query {
    pub(super) fn parse(packet: &[u8]) -> Option<Self> {
        let id = packet.get(..2)?.try_into().ok()?;
        let mut at = HEADER;
        let mut labels = Vec::new();
        loop {
            let length = usize::from(*packet.get(at)?);
            if length == 0 {
                break;
            }
            let label = packet.get(at + 1..=at + length)?;
            labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
            at += 1 + length;
        }
        let fields = packet.get(at + 1..at + 5)?;
        Some(Self {
            id,
            question: packet[HEADER..at + 5].to_vec(),
            name: labels.join("."),
            record_type: u16::from_be_bytes([fields[0], fields[1]]),
        })
    }

    /// Encodes a response. None if the server does not respond.
    pub(super) fn response_packet(&self, response: &DnsResponse) -> Option<Vec<u8>> {
        let addresses = |addresses: &[IpAddr]| -> Vec<Vec<u8>> {
            let data = addresses.iter().filter_map(|address| match address {
                IpAddr::V4(address) if self.record_type == A => Some(address.octets().to_vec()),
                IpAddr::V6(address) if self.record_type == AAAA => Some(address.octets().to_vec()),
                _ => None,
            });
            data.collect()
        };
        let (code, records) = match response {
            DnsResponse::Addresses(found) | DnsResponse::OneFamily(found) => {
                (NO_ERROR, addresses(found))
            }
            DnsResponse::NameServers(names) if self.record_type == NS => {
                (NO_ERROR, names.iter().map(|name| encode(name)).collect())
            }
            DnsResponse::NameServers(_) => (NO_ERROR, Vec::new()),
            DnsResponse::NxDomain => (NAME_ERROR, Vec::new()),
            DnsResponse::ServFail => (SERVER_FAILURE, Vec::new()),
            DnsResponse::NoResponse => return None,
        };
        if records.is_empty() && matches!(response, DnsResponse::OneFamily(_)) {
            return None;
        }
        let mut packet = self.id.to_vec();
        // Flags: response, recursion desired and available.
        packet.extend([0x81, 0x80 | code]);
        let counts = [1, u16::try_from(records.len()).unwrap(), 0, 0];
        packet.extend(counts.iter().flat_map(|count| count.to_be_bytes()));
        packet.extend(&self.question);
        for data in records {
            // Compressed name: a pointer to the question.
            packet.extend([0xc0, 0x0c]);
            packet.extend(self.record_type.to_be_bytes());
            packet.extend([0, 1]);
            packet.extend(TIME_TO_LIVE.to_be_bytes());
            packet.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
            packet.extend(data);
        }
        Some(packet)
    }
}

/// A name as labels with their lengths.
fn encode(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in name.split('.') {
        bytes.push(u8::try_from(label.len()).unwrap());
        bytes.extend(label.as_bytes());
    }
    bytes.push(0);
    bytes
}
