//! UnixFS files and folders.

use std::collections::BTreeMap;

use super::{
    Car, Cid, DAG_PB, RAW,
    dag_pb::{KIND_DIRECTORY, KIND_FILE, KIND_HAMT, KIND_RAW, Link, Node, UnixFs, write_varint},
    new_cid,
};

/// Size of the chunks of a file, the default of every importer.
pub const CHUNK_BYTES: usize = 262_144;

/// Links of a node, the default of every importer.
const MAX_LINKS: usize = 174;

/// Size of a file that is built or read. Larger than a card.
pub const MAX_FILE_BYTES: usize = 4 << 20;

/// Segments of a path, and levels of a file.
const MAX_DEPTH: usize = 32;

/// Blocks that one file may have. A small block can be linked many times.
const MAX_VISITS: usize = 4_096;

/// How importers store the chunks of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// The bytes themselves; the default with CIDs of version 1.
    Raw,
    /// dag-pb nodes; the default with CIDs of version 0.
    DagPb,
}

impl Leaves {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Raw, Self::DagPb];
}

/// The blocks of a file or folder.
#[derive(Clone, Debug)]
pub struct Dag {
    root: Cid,
    /// Size of all blocks below and including the root, as links count it.
    total_size: u64,
    /// Size of the file's content.
    file_size: u64,
    blocks: Vec<(Cid, Vec<u8>)>,
}

impl Dag {
    /// Builds the blocks of a file. `None` if it is larger than [`MAX_FILE_BYTES`].
    #[must_use]
    pub fn of_file(bytes: &[u8], leaves: Leaves) -> Option<Self> {
        if bytes.len() > MAX_FILE_BYTES {
            return None;
        }
        let mut level: Vec<Self> = if bytes.is_empty() {
            vec![Self::leaf(bytes, leaves)]
        } else {
            let chunks = bytes.chunks(CHUNK_BYTES);
            chunks.map(|chunk| Self::leaf(chunk, leaves)).collect()
        };
        while level.len() > 1 {
            let mut parents = Vec::new();
            while !level.is_empty() {
                let rest = level.split_off(level.len().min(MAX_LINKS));
                parents.push(Self::parent(std::mem::replace(&mut level, rest)));
            }
            level = parents;
        }
        level.pop()
    }

    /// Builds the blocks of a folder from paths such as `agents/a.json`. `None` if a path is not usable or a file is too large.
    #[must_use]
    pub fn of_folder(files: &BTreeMap<String, Vec<u8>>, leaves: Leaves) -> Option<Self> {
        let mut entries: BTreeMap<&str, Entry<'_>> = BTreeMap::new();
        for (path, bytes) in files {
            let (name, rest) = match path.split_once('/') {
                Some((name, rest)) => (name, Some(rest)),
                None => (path.as_str(), None),
            };
            if matches!(name, "" | "." | "..") {
                return None;
            }
            let entry = entries.entry(name).or_default();
            match rest {
                Some(rest) => {
                    entry.folder.insert(rest.to_owned(), bytes.clone());
                }
                None => entry.file = Some(bytes),
            }
        }
        let mut node = Node {
            data: UnixFs {
                kind: KIND_DIRECTORY,
                ..UnixFs::default()
            }
            .encode(),
            ..Node::default()
        };
        let mut blocks = Vec::new();
        for (name, entry) in entries {
            let child = match (entry.file, entry.folder.is_empty()) {
                (Some(bytes), true) => Self::of_file(bytes, leaves)?,
                (None, false) => Self::of_folder(&entry.folder, leaves)?,
                _ => return None,
            };
            node.links.push(child.link(name));
            blocks.extend(child.blocks);
        }
        Some(Self::of_node(&node, 0, blocks))
    }

    /// CID of the root.
    #[must_use]
    pub const fn root(&self) -> &Cid {
        &self.root
    }

    /// The blocks as a CAR of version 1.
    #[must_use]
    pub fn to_car(&self) -> Vec<u8> {
        let root = self.root.to_bytes();
        // DAG-CBOR: {"roots": [CID], "version": 1}. A CID is tag 42 of a byte string that starts with 0.
        let mut header = b"\xa2\x65roots\x81\xd8\x2a\x58".to_vec();
        header.push(u8::try_from(root.len() + 1).unwrap_or(u8::MAX));
        header.push(0);
        header.extend_from_slice(&root);
        header.extend_from_slice(b"\x67version\x01");
        let mut car = Vec::new();
        write_varint(&mut car, header.len() as u64);
        car.extend_from_slice(&header);
        for (cid, block) in &self.blocks {
            let cid = cid.to_bytes();
            write_varint(&mut car, (cid.len() + block.len()) as u64);
            car.extend_from_slice(&cid);
            car.extend_from_slice(block);
        }
        car
    }

    fn leaf(chunk: &[u8], leaves: Leaves) -> Self {
        let size = chunk.len() as u64;
        match leaves {
            Leaves::Raw => Self {
                root: new_cid(RAW, chunk),
                total_size: size,
                file_size: size,
                blocks: vec![(new_cid(RAW, chunk), chunk.to_vec())],
            },
            Leaves::DagPb => {
                let message = UnixFs {
                    kind: KIND_FILE,
                    data: (!chunk.is_empty()).then(|| chunk.to_vec()),
                    file_size: Some(size),
                    block_sizes: Vec::new(),
                };
                let node = Node {
                    links: Vec::new(),
                    data: message.encode(),
                };
                Self::of_node(&node, size, Vec::new())
            }
        }
    }

    fn parent(children: Vec<Self>) -> Self {
        let file_size = children.iter().map(|child| child.file_size).sum();
        let message = UnixFs {
            kind: KIND_FILE,
            data: None,
            file_size: Some(file_size),
            block_sizes: children.iter().map(|child| child.file_size).collect(),
        };
        let node = Node {
            links: children.iter().map(|child| child.link("")).collect(),
            data: message.encode(),
        };
        let blocks = children.into_iter().flat_map(|child| child.blocks);
        Self::of_node(&node, file_size, blocks.collect())
    }

    fn of_node(node: &Node, file_size: u64, mut blocks: Vec<(Cid, Vec<u8>)>) -> Self {
        let block = node.encode();
        let links: u64 = node.links.iter().map(|link| link.total_size).sum();
        let total_size = block.len() as u64 + links;
        let root = new_cid(DAG_PB, &block);
        blocks.push((root, block));
        Self {
            root,
            total_size,
            file_size,
            blocks,
        }
    }

    fn link(&self, name: &str) -> Link {
        Link {
            cid: self.root,
            name: name.to_owned(),
            total_size: self.total_size,
        }
    }
}

/// A name in a folder: a file, or the files below it.
#[derive(Default)]
struct Entry<'a> {
    file: Option<&'a [u8]>,
    folder: BTreeMap<String, Vec<u8>>,
}

/// Why a file could not be read from blocks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages name the fields")]
#[non_exhaustive]
pub enum ResolveError {
    #[error("the block {cid} is missing")]
    MissingBlock { cid: String },
    #[error("the folder has no entry \"{name}\"")]
    NoEntry { name: String },
    #[error("the path names a folder, not a file")]
    NotAFile,
    #[error("the path goes through a file")]
    NotAFolder,
    #[error("the file is larger than {MAX_FILE_BYTES} bytes, or has too many blocks")]
    TooLarge,
    #[error("{feature} is not supported")]
    Unsupported { feature: String },
    #[error("the block {cid} is malformed")]
    Malformed { cid: String },
}

impl ResolveError {
    /// Whether verified blocks show that the path does not lead to a file. Otherwise it is not known.
    #[must_use]
    pub const fn is_definite(&self) -> bool {
        matches!(
            self,
            Self::NoEntry { .. } | Self::NotAFile | Self::NotAFolder
        )
    }
}

impl Car<'_> {
    /// The content of the file at a path below a CID.
    pub fn file(&self, root: &Cid, path: &str) -> Result<Vec<u8>, ResolveError> {
        let mut cid = *root;
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        for (depth, segment) in segments.enumerate() {
            if depth == MAX_DEPTH {
                return Err(ResolveError::TooLarge);
            }
            let (node, message) = match self.node(&cid)? {
                Block::Raw(_) => return Err(ResolveError::NotAFolder),
                Block::Node(node, message) => (node, message),
            };
            match message.kind {
                KIND_DIRECTORY => {}
                KIND_HAMT => {
                    return Err(ResolveError::Unsupported {
                        feature: "a sharded folder".to_owned(),
                    });
                }
                _ => return Err(ResolveError::NotAFolder),
            }
            let link = node.links.iter().find(|link| link.name == segment);
            cid = link.map(|link| link.cid).ok_or_else(|| {
                let name = atr_ids::excerpt(segment);
                ResolveError::NoEntry { name }
            })?;
        }
        let mut file = Vec::new();
        let mut visits = 0;
        self.read(&cid, 0, &mut visits, &mut file)?;
        Ok(file)
    }

    fn read(
        &self,
        cid: &Cid,
        depth: usize,
        visits: &mut usize,
        file: &mut Vec<u8>,
    ) -> Result<(), ResolveError> {
        *visits += 1;
        if depth > MAX_DEPTH || *visits > MAX_VISITS {
            return Err(ResolveError::TooLarge);
        }
        let (node, message) = match self.node(cid)? {
            Block::Raw(bytes) => return append(file, bytes),
            Block::Node(node, message) => (node, message),
        };
        match message.kind {
            KIND_FILE | KIND_RAW => {}
            KIND_DIRECTORY | KIND_HAMT => return Err(ResolveError::NotAFile),
            kind => {
                return Err(ResolveError::Unsupported {
                    feature: format!("UnixFS type {kind}"),
                });
            }
        }
        append(file, message.data.as_deref().unwrap_or_default())?;
        for link in &node.links {
            self.read(&link.cid, depth + 1, visits, file)?;
        }
        Ok(())
    }

    fn node(&self, cid: &Cid) -> Result<Block<'_>, ResolveError> {
        let missing = || ResolveError::MissingBlock {
            cid: cid.to_string(),
        };
        let malformed = || ResolveError::Malformed {
            cid: cid.to_string(),
        };
        let bytes = self.block(cid).ok_or_else(missing)?;
        match cid.codec() {
            RAW => Ok(Block::Raw(bytes)),
            DAG_PB => {
                let node = Node::decode(bytes).ok_or_else(malformed)?;
                let message = UnixFs::decode(&node.data).ok_or_else(malformed)?;
                Ok(Block::Node(node, message))
            }
            codec => Err(ResolveError::Unsupported {
                feature: format!("codec {codec:#x}"),
            }),
        }
    }
}

enum Block<'a> {
    Raw(&'a [u8]),
    Node(Node, UnixFs),
}

fn append(file: &mut Vec<u8>, bytes: &[u8]) -> Result<(), ResolveError> {
    if file.len() + bytes.len() > MAX_FILE_BYTES {
        return Err(ResolveError::TooLarge);
    }
    file.extend_from_slice(bytes);
    Ok(())
}
