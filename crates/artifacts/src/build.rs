//! The build record: compiler, sources, and the sources of each contract.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde::Serialize;
use serde_json::{Serializer, ser::Formatter};

use crate::{Artifact, CodeRange, CompilerRecord};

/// The files of one compilation.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// One per contract and interface, sorted by name.
    pub artifacts: Vec<Artifact>,
    /// `None` for mocks, which are never verified by an explorer.
    pub build: Option<BuildRecord>,
}

/// How the deployable contracts were compiled, including sources. `atr` submits it to block explorers without a compiler.
#[derive(Clone, Debug, Serialize)]
pub struct BuildRecord {
    /// Compiler and settings.
    pub compiler: CompilerRecord,
    /// Deployable contracts by name.
    pub contracts: BTreeMap<String, ContractRecord>,
    /// Source texts by file name.
    pub sources: BTreeMap<String, String>,
}

/// The build of one deployable contract.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractRecord {
    /// Source file that declares it.
    pub source_name: String,
    /// That file and all its imports.
    pub sources: Vec<String>,
    /// Positions of each immutable in the runtime code, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub immutable_references: BTreeMap<String, Vec<CodeRange>>,
}

impl BuildRecord {
    /// File name. It cannot collide with a contract: contract names start with a capital letter.
    pub const FILE_NAME: &'static str = "build.json";
}

/// Mocks that `atr dev` places on a local chain.
const DEVELOPMENT: [&str; 3] = ["PlainERC3009", "PlainERC721", "StandInDelegateRegistry"];

impl Compilation {
    /// Of the mocks, those that `atr dev` places on a local chain: the binary must not depend on test crates.
    #[must_use]
    pub fn for_development(&self) -> Self {
        let artifacts = self.artifacts.iter().filter(|artifact| {
            let name = artifact.contract_name.as_str();
            DEVELOPMENT.contains(&name)
        });
        Self {
            artifacts: artifacts.cloned().collect(),
            build: None,
        }
    }

    /// File contents by name: JSON with one line per entry of the ABI, and a final newline.
    ///
    /// # Panics
    ///
    /// Never: all map keys are strings.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, String> {
        let artifacts = self.artifacts.iter();
        let artifacts = artifacts.map(|artifact| (artifact.file_name(), to_json(artifact)));
        let build = self.build.iter();
        artifacts
            .chain(build.map(|build| (BuildRecord::FILE_NAME.to_owned(), to_json(build))))
            .collect()
    }
}

fn to_json(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, TwoLevels::default());
    value
        .serialize(&mut serializer)
        .expect("all map keys are strings");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// Indents two levels. Deeper values have one line each: a change of one function is a change of one line.
#[derive(Debug, Default)]
struct TwoLevels {
    depth: usize,
    /// Whether the innermost array or object has a value.
    has_value: bool,
}

impl TwoLevels {
    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        writer.write_all(bracket)
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.has_value && self.depth < 2 {
            self.indent(writer)?;
        }
        writer.write_all(bracket)
    }

    fn begin_value<W: ?Sized + Write>(&self, writer: &mut W, is_first: bool) -> io::Result<()> {
        if !is_first {
            writer.write_all(if self.depth > 2 { b", " } else { b"," })?;
        }
        if self.depth > 2 {
            return Ok(());
        }
        self.indent(writer)
    }

    fn indent<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        write!(writer, "\n{:1$}", "", 2 * self.depth)
    }
}

impl Formatter for TwoLevels {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.begin_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.begin_value(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}
