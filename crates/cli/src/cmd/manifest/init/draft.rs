//! A first manifest.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use alloy_primitives::Address;
use atr_ids::{HttpsUrl, MetadataUri, Slug};
use atr_manifest::{MANIFEST_TYPE, to_nfc};
use serde::Serialize;

use super::super::report::{As, Verdict};
use crate::{
    error::Error,
    output::{Palette, Report},
};

/// What is known of a manifest to be written, as it was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) endpoint: Option<String>,
    pub(crate) creator_address: Option<String>,
    pub(crate) slug: Option<String>,
    pub(crate) tags: Vec<String>,
}

/// A manifest to be written, and where it will be served.
#[derive(Debug)]
pub(crate) struct Draft {
    manifest: FirstManifest,
    uri: MetadataUri,
}

/// In the order in which a person reads it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FirstManifest {
    r#type: &'static str,
    name: String,
    description: String,
    version: &'static str,
    endpoint: String,
    creator_address: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    inputs: Schema,
    outputs: Schema,
}

/// The schema of an object that has no members yet.
#[derive(Debug, Default, Serialize)]
struct Schema {
    r#type: Object,
    properties: Empty,
}

#[derive(Debug, Default, Serialize)]
enum Object {
    #[default]
    #[serde(rename = "object")]
    Object,
}

#[derive(Debug, Default, Serialize)]
struct Empty {}

/// The file that was written, and what to do with it.
#[derive(Debug, Serialize)]
pub(crate) struct WrittenManifest {
    file: PathBuf,
    /// The URL to serve it at, and to register.
    metadata_uri: String,
    hash: Option<String>,
}

impl Draft {
    /// A draft from answers alone: what is missing is told all at once.
    pub(crate) fn of(answers: Answers) -> Result<Self, Error> {
        let needed = [
            ("--name", &answers.name),
            ("--description", &answers.description),
            ("--endpoint", &answers.endpoint),
            ("--creator-address", &answers.creator_address),
        ];
        let flags: Vec<_> = needed
            .iter()
            .filter(|(_, answer)| answer.is_none())
            .map(|(flag, _)| *flag)
            .collect();
        let Answers {
            name: Some(name),
            description: Some(description),
            endpoint: Some(endpoint),
            creator_address: Some(creator_address),
            slug,
            tags,
        } = answers
        else {
            return Err(Error::MissingAnswers { flags });
        };
        let endpoint = parse_endpoint(&endpoint)?;
        let slug = match slug {
            Some(slug) => parse_slug(&slug)?,
            None => default_slug(&name).ok_or_else(|| Error::UnusableAnswer {
                flag: "--slug",
                reason: "none can be made from the name: give one of a-z, 0-9 and inner hyphens"
                    .to_owned(),
            })?,
        };
        Ok(Self {
            uri: MetadataUri::new(endpoint.origin().clone(), slug),
            manifest: FirstManifest {
                r#type: MANIFEST_TYPE,
                name: to_nfc(&name).into_owned(),
                description: to_nfc(&description).into_owned(),
                version: "1.0.0",
                endpoint: endpoint.to_string(),
                creator_address: parse_creator(&creator_address)?,
                tags,
                inputs: Schema::default(),
                outputs: Schema::default(),
            },
        })
    }

    /// Writes the file, whole or not at all, or tells why the manifest would be refused.
    pub(crate) fn write(
        &self,
        file: Option<&Path>,
    ) -> Result<Result<WrittenManifest, Verdict>, Error> {
        let mut text =
            serde_json::to_string_pretty(&self.manifest).expect("strings and objects only");
        text.push('\n');
        let verdict = Verdict::on("the manifest".to_owned(), text.as_bytes(), As::Producer);
        if !verdict.is_valid() {
            return Ok(Err(verdict));
        }
        let file = match file {
            Some(file) => file.to_owned(),
            None => PathBuf::from(format!("{}.json", self.uri.slug())),
        };
        write_new(&file, text.as_bytes())?;
        Ok(Ok(WrittenManifest {
            file,
            metadata_uri: self.uri.to_string(),
            hash: verdict.into_hash(),
        }))
    }
}

/// Writes a file that was not there: first under another name, so that nobody sees half of it.
fn write_new(file: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => Error::FileExists {
            path: file.to_owned(),
        },
        _ => Error::Write {
            path: file.to_owned(),
            source,
        },
    };
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    // A manifest is for everybody to read, unlike other temporary files.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut temporary = builder.tempfile_in(folder).map_err(failed)?;
    temporary.write_all(bytes).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary
        .persist_noclobber(file)
        .map_err(|error| failed(error.error))?;
    Ok(())
}

pub(super) fn parse_endpoint(text: &str) -> Result<HttpsUrl, Error> {
    HttpsUrl::from_unicode(text).map_err(|error| Error::UnusableAnswer {
        flag: "--endpoint",
        reason: error.to_string(),
    })
}

pub(super) fn parse_slug(text: &str) -> Result<Slug, Error> {
    text.parse()
        .map_err(|error: atr_ids::Error| Error::UnusableAnswer {
            flag: "--slug",
            reason: error.to_string(),
        })
}

/// An address in any case, as the manifest wants it. A wrong checksum is refused: a digit may be wrong.
pub(super) fn parse_creator(text: &str) -> Result<String, Error> {
    let unusable = |reason: &str| Error::UnusableAnswer {
        flag: "--creator-address",
        reason: format!("`{}` {reason}", atr_ids::excerpt(text)),
    };
    let address: Address = text
        .starts_with("0x")
        .then(|| text.parse().ok())
        .flatten()
        .ok_or_else(|| unusable("is not 0x and 40 hex digits"))?;
    let digits = &text[2..];
    let is_mixed = digits.bytes().any(|byte| byte.is_ascii_lowercase())
        && digits.bytes().any(|byte| byte.is_ascii_uppercase());
    if is_mixed && address.to_checksum(None) != text {
        return Err(unusable(
            "fails its checksum (EIP-55): a digit may be wrong",
        ));
    }
    if address.is_zero() {
        return Err(unusable("is the zero address, which can register nothing"));
    }
    Ok(format!("{address:#x}"))
}

/// The name as a slug, if anything of it remains.
pub(super) fn default_slug(name: &str) -> Option<Slug> {
    let words: Vec<_> = name
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let slug = words.join("-").to_ascii_lowercase();
    let cut = &slug[..slug.len().min(atr_ids::MAX_SLUG_CHARACTERS)];
    cut.trim_end_matches('-').parse().ok()
}

impl Report for WrittenManifest {
    fn human(&self, palette: &Palette) -> String {
        format!(
            "{} {}\n\nServe it at\n  {}\nas application/json, in UTF-8 without a byte-order mark and without a redirect.\n\nFill in inputs and outputs (JSON Schema), then\n  atr manifest validate {}\n",
            palette.heading("Wrote"),
            self.file.display(),
            self.metadata_uri,
            self.file.display(),
        )
    }
}
