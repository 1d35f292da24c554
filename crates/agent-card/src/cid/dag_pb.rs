//! Nodes of dag-pb, and the UnixFS messages inside them. Both are protobuf.

use super::Cid;

/// A dag-pb node.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) links: Vec<Link>,
    pub(super) data: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) cid: Cid,
    pub(super) name: String,
    /// Size of the linked DAG.
    pub(super) total_size: u64,
}

/// The `Data` message of UnixFS.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UnixFs {
    pub(super) kind: u64,
    pub(super) data: Option<Vec<u8>>,
    pub(super) file_size: Option<u64>,
    pub(super) block_sizes: Vec<u64>,
}

pub(super) const KIND_RAW: u64 = 0;
pub(super) const KIND_DIRECTORY: u64 = 1;
pub(super) const KIND_FILE: u64 = 2;
pub(super) const KIND_HAMT: u64 = 5;

const VARINT: u64 = 0;
const BYTES: u64 = 2;

impl Node {
    /// Links before data, as the dag-pb specification requires.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for link in &self.links {
            let mut inner = Vec::new();
            put_bytes(&mut inner, 1, &link.cid.to_bytes());
            put_bytes(&mut inner, 2, link.name.as_bytes());
            put_varint(&mut inner, 3, link.total_size);
            put_bytes(&mut out, 2, &inner);
        }
        put_bytes(&mut out, 1, &self.data);
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut node = Self::default();
        let mut reader = Reader(bytes);
        while let Some(field) = reader.field()? {
            match field {
                (1, Field::Bytes(data)) => node.data = data.to_vec(),
                (2, Field::Bytes(link)) => node.links.push(Link::decode(link)?),
                _ => return None,
            }
        }
        Some(node)
    }
}

impl Link {
    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut cid = None;
        let mut name = String::new();
        let mut total_size = 0;
        let mut reader = Reader(bytes);
        while let Some(field) = reader.field()? {
            match field {
                (1, Field::Bytes(bytes)) => cid = Some(Cid::try_from(bytes).ok()?),
                (2, Field::Bytes(bytes)) => name = str::from_utf8(bytes).ok()?.to_owned(),
                (3, Field::Varint(size)) => total_size = size,
                _ => return None,
            }
        }
        Some(Self {
            cid: cid?,
            name,
            total_size,
        })
    }
}

impl UnixFs {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_varint(&mut out, 1, self.kind);
        if let Some(data) = &self.data {
            put_bytes(&mut out, 2, data);
        }
        if let Some(size) = self.file_size {
            put_varint(&mut out, 3, size);
        }
        for size in &self.block_sizes {
            put_varint(&mut out, 4, *size);
        }
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut message = Self::default();
        let mut reader = Reader(bytes);
        while let Some(field) = reader.field()? {
            match field {
                (1, Field::Varint(kind)) => message.kind = kind,
                (2, Field::Bytes(data)) => message.data = Some(data.to_vec()),
                (3, Field::Varint(size)) => message.file_size = Some(size),
                (4, Field::Varint(size)) => message.block_sizes.push(size),
                // Hash function, fanout, mode and time do not change the content.
                _ => {}
            }
        }
        Some(message)
    }
}

pub(super) fn write_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads an unsigned varint of at most nine bytes.
pub(super) fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for at in 0..9 {
        let byte = *bytes.get(at)?;
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            *bytes = &bytes[at + 1..];
            return Some(value);
        }
    }
    None
}

/// Splits off the first bytes.
pub(super) fn take<'a>(bytes: &mut &'a [u8], length: u64) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
    *bytes = rest;
    Some(taken)
}

fn put_varint(out: &mut Vec<u8>, field: u64, value: u64) {
    write_varint(out, field << 3 | VARINT);
    write_varint(out, value);
}

fn put_bytes(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    write_varint(out, field << 3 | BYTES);
    write_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

enum Field<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The next field; the inner `None` is the end, the outer an error.
    fn field(&mut self) -> Option<Option<(u64, Field<'a>)>> {
        if self.0.is_empty() {
            return Some(None);
        }
        let key = read_varint(&mut self.0)?;
        let field = match key & 7 {
            VARINT => Field::Varint(read_varint(&mut self.0)?),
            BYTES => {
                let length = read_varint(&mut self.0)?;
                Field::Bytes(take(&mut self.0, length)?)
            }
            _ => return None,
        };
        Some(Some((key >> 3, field)))
    }
}
