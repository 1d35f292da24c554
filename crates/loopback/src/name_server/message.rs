//! DNS messages (RFC 1035), as far as addresses need them.

use std::net::IpAddr;

use super::DnsAnswer;

pub(super) const A: u16 = 1;
pub(super) const AAAA: u16 = 28;

const HEADER: usize = 12;
const NO_ERROR: u8 = 0;
const SERVER_FAILURE: u8 = 2;
const NAME_ERROR: u8 = 3;
/// Seconds the answer may be kept: long, so that who keeps it is found out.
const TIME_TO_LIVE: u32 = 3600;

/// The one question of a query.
#[derive(Clone, Debug)]
pub(super) struct Question {
    id: [u8; 2],
    /// As it came: clients that vary upper and lower case want it back.
    raw: Vec<u8>,
    /// In lower case, without the last dot.
    pub(super) name: String,
    pub(super) kind: u16,
}

impl Question {
    pub(super) fn read(packet: &[u8]) -> Option<Self> {
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
            raw: packet[HEADER..at + 5].to_vec(),
            name: labels.join("."),
            kind: u16::from_be_bytes([fields[0], fields[1]]),
        })
    }

    /// The packet that says so, if anything is said.
    pub(super) fn answer(&self, answer: &DnsAnswer) -> Option<Vec<u8>> {
        let (code, addresses) = match answer {
            DnsAnswer::Addresses(addresses) => (NO_ERROR, addresses.as_slice()),
            DnsAnswer::NoSuchName => (NAME_ERROR, &[][..]),
            DnsAnswer::Failure => (SERVER_FAILURE, &[][..]),
            DnsAnswer::Silence => return None,
        };
        let asked_for = |address: &&IpAddr| match self.kind {
            A => address.is_ipv4(),
            AAAA => address.is_ipv6(),
            _ => false,
        };
        let records: Vec<_> = addresses.iter().filter(asked_for).collect();
        let mut packet = self.id.to_vec();
        // An answer, recursion asked for and available.
        packet.extend([0x81, 0x80 | code]);
        let counts = [1, u16::try_from(records.len()).unwrap(), 0, 0];
        packet.extend(counts.iter().flat_map(|count| count.to_be_bytes()));
        packet.extend(&self.raw);
        for record in records {
            let data = match record {
                IpAddr::V4(address) => address.octets().to_vec(),
                IpAddr::V6(address) => address.octets().to_vec(),
            };
            // The name is the question's: a pointer to it.
            packet.extend([0xc0, 0x0c]);
            packet.extend(self.kind.to_be_bytes());
            packet.extend([0, 1]);
            packet.extend(TIME_TO_LIVE.to_be_bytes());
            packet.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
            packet.extend(data);
        }
        Some(packet)
    }
}
