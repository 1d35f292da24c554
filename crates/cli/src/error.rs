//! What can go wrong in the frame itself, before or around a command.
//!
//! Commands wrap these and the errors of the rooms they call in `eyre`; `process` looks inside to choose the exit code.

use std::{io, path::PathBuf};

use alloy::signers::local::LocalSignerError;
use alloy_primitives::{Address, U256};

use crate::{args::InvalidValue, config::Source, outcome::Outcome};

/// Why the frame could not do its part.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// The file named by `--config` or `ATR_CONFIG` is not there.
    #[error("{path}: no such configuration file ({named_by})")]
    NoSuchConfig {
        path: PathBuf,
        named_by: &'static str,
    },
    /// The configuration file is there and cannot be read.
    #[error("{path}: cannot read the configuration file")]
    ReadConfig { path: PathBuf, source: io::Error },
    /// The configuration file is not text.
    #[error("{path}:{line}: the file is not UTF-8; TOML must be")]
    ConfigNotUtf8 { path: PathBuf, line: usize },
    /// The configuration file is not TOML.
    #[error("{path}:{line}: not TOML: {message}")]
    ConfigNotToml {
        path: PathBuf,
        line: usize,
        message: String,
    },
    /// The configuration file has a key that means nothing.
    #[error("{path}:{line}: unknown key `{key}`; {hint}")]
    UnknownKey {
        path: PathBuf,
        line: usize,
        key: String,
        hint: String,
    },
    /// The configuration file has a known key with a value of the wrong type.
    #[error("{path}:{line}: `{key}` must be {expected}, not {found}")]
    WrongType {
        path: PathBuf,
        line: usize,
        key: &'static str,
        expected: &'static str,
        found: &'static str,
    },
    /// The configuration file has a known key with a value that breaks its rule.
    #[error("{path}:{line}: `{key}`: {reason}")]
    InvalidKey {
        path: PathBuf,
        line: usize,
        key: &'static str,
        reason: InvalidValue,
    },
    /// An environment variable has a value that breaks its rule.
    #[error("environment variable {name}: {reason}")]
    InvalidVariable {
        name: &'static str,
        reason: InvalidValue,
    },
    /// The working directory cannot be told, so neither can the nearest `atr.toml`.
    #[error("cannot tell the working directory")]
    WorkingDirectory { source: io::Error },
    /// A file that was asked for could not be written.
    #[error("{path}: cannot write")]
    Write { path: PathBuf, source: io::Error },
    /// The answer could not be printed, for another reason than nobody listening.
    #[error("cannot write the answer")]
    Print { source: io::Error },
    /// `--chain` with a URL and `--rpc-url` at once.
    #[error("--chain names a node, and so does --rpc-url: give one of them")]
    TwoNodes,
    /// A command needs a chain, and nobody has named one.
    #[error("no chain: give --chain <name|id|url>, ATR_CHAIN, or `chain` in atr.toml")]
    NoChain,
    /// A command needs a node, and nobody has named one.
    #[error("no node for {chain}: give --rpc-url <url>, ATR_RPC_URL, or `rpc-url` in atr.toml")]
    NoNode { chain: String },
    /// Deployments talk over HTTP.
    #[error("`{scheme}` does not serve here: give the node's http or https URL")]
    NodeScheme { scheme: String },
    /// A tool on one chain, and another chain named beside it.
    #[error("the tool is on chain {named}, and {source_of_other} says {chosen}: give one of them")]
    TwoChains {
        named: u64,
        chosen: u64,
        source_of_other: Source,
    },
    /// The node is on another chain than the one that was asked for.
    #[error("the node is on chain {found}, not on {expected}: check --chain and --rpc-url")]
    WrongChain { expected: u64, found: u64 },
    /// Nobody has registered this place here.
    #[error("no tool in this registry has its manifest at {place}")]
    NoToolAt { place: String },
    /// A place stands for several tools, and one is needed.
    #[error(
        "{count} tools have their manifest at {place}; name one of them: {}{}",
        shown.join(", "),
        if shown.len() < *count { ", …" } else { "" }
    )]
    SeveralTools {
        place: String,
        count: usize,
        shown: Vec<String>,
    },
    /// A predicate that is needed is not deployed.
    #[error(
        "{contract} for registry {registry} is not deployed here ({address} has no code); deploy it: \
         atr deploy --registry {registry} --only {contract}"
    )]
    NoPredicate {
        contract: &'static str,
        address: Address,
        registry: Address,
    },
    /// Nothing is where a predicate is said to be.
    #[error("there is no contract at {address}; {name} of this registry is {known}")]
    NoContract {
        address: Address,
        name: &'static str,
        known: Address,
    },
    /// A predicate's tools are those of another registry.
    #[error(
        "{predicate} serves registry {other}, not {registry}: its tools with the same ids are others; choose a predicate of this registry"
    )]
    PredicateOfAnother {
        predicate: Address,
        other: Address,
        registry: Address,
    },
    /// A tool lets everyone in, and a predicate is to be configured.
    #[error(
        "tool {id} is open to everyone: name the predicate with --predicate ({name} of this registry is {known}), and set it \
         with `atr tool set-predicate {id} {known}`"
    )]
    NoGate {
        id: U256,
        name: &'static str,
        known: Address,
    },
    /// A predicate of another make than the command is for.
    #[error(
        "{predicate} calls itself {found}, not {name}: name another with --predicate ({name} of this registry is {known})"
    )]
    OtherMake {
        predicate: Address,
        found: String,
        name: &'static str,
        known: Address,
    },
    /// Only the creator may configure what guards a tool.
    #[error("tool {id} belongs to {creator}; {sender} cannot change who may use it")]
    NotCreator {
        id: U256,
        creator: Address,
        sender: Address,
    },
    /// A list of accounts that cannot be read.
    #[error("{path}: cannot read the list of accounts")]
    ReadAccounts { path: PathBuf, source: io::Error },
    /// A line that names no account.
    #[error("{path}:{line}: {reason}")]
    AccountLine {
        path: PathBuf,
        line: usize,
        reason: InvalidValue,
    },
    /// A list with nobody on it: it has no root, and an empty list is not how a tool is closed.
    #[error("{path}: nobody is on the list; to let nobody in set the AlwaysDenyPredicate")]
    NoAccounts { path: PathBuf },
    /// A pinned hash is that of one manifest.
    #[error("--pin is the hash of one manifest; verify the tools one by one")]
    OnePin,
    /// Taking a tool back needs two consents, and a script has given one.
    #[error("a removed tool never comes back: --yes alone is not enough, add --confirm {id}")]
    SecondConsent { id: U256 },
    /// Something has to be signed, and nobody has said by whom.
    #[error(
        "no signer: give --account, --keystore, --mnemonic-file, --ledger, --aws, --gcp or --interactive, or set ATR_PRIVATE_KEY; \
         --dry-run needs none"
    )]
    NoSigner,
    /// A signer this build was made without.
    #[cfg_attr(
        all(feature = "ledger", feature = "aws", feature = "gcp"),
        expect(dead_code, reason = "this build has them all")
    )]
    #[error(
        "this atr was built without {flag}; build it with `cargo install --path crates/cli --features {feature}`"
    )]
    SignerNotBuilt {
        flag: &'static str,
        feature: &'static str,
    },
    /// A device or a service that holds a key is not there.
    #[cfg_attr(
        not(any(feature = "ledger", feature = "aws", feature = "gcp")),
        expect(dead_code, reason = "made by signers behind features")
    )]
    #[error("{signer} cannot be reached")]
    SignerUnreachable {
        signer: &'static str,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A key of Google Cloud KMS that is not named in full.
    #[cfg(feature = "gcp")]
    #[error(
        "--gcp: `{found}` is not a key; name it as \
         projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/…"
    )]
    GcpKey { found: String },
    /// A file with a key, a phrase or a password cannot be read.
    #[error("{path}: cannot be read ({flag})")]
    SecretFile {
        path: PathBuf,
        flag: &'static str,
        source: io::Error,
    },
    /// A keystore that does not open.
    #[error("{path}: the keystore does not open: wrong password, or not a keystore")]
    Keystore {
        path: PathBuf,
        source: LocalSignerError,
    },
    /// A phrase or a path to a key that makes no key. What it was is not said: it is a secret.
    #[error(
        "{path}: makes no key: not a phrase of the English list, or not a derivation path (m/44'/60'/0'/0/0)"
    )]
    Mnemonic {
        path: PathBuf,
        source: LocalSignerError,
    },
    /// A private key that is none. What it was is not said: it is a secret.
    #[error("{named_by}: not a private key; it has 64 hexadecimal digits, with or without 0x")]
    PrivateKey { named_by: &'static str },
    /// Something has to be asked, and nobody can answer.
    #[error("cannot ask {what}: standard input is not a terminal; {instead}")]
    NobodyToAsk {
        what: &'static str,
        instead: &'static str,
    },
    /// A question that was not answered.
    #[error("no answer to the question")]
    NotAnswered { source: dialoguer::Error },
    /// An explorer that needs a key was named, and there is none.
    #[error("--verifier etherscan needs a key: set {name}")]
    NoExplorerKey { name: &'static str },
    /// Records cannot be kept because no place is known.
    #[error(
        "nowhere to keep records: outside a repository HOME or XDG_DATA_HOME must be set; or give --records <folder>"
    )]
    NoRecordFolder,
    /// The runtime for asking nodes could not be started.
    #[error("cannot start asking")]
    Runtime { source: io::Error },
    /// A manifest that was named could not be read.
    #[error("{name}: cannot read the manifest")]
    ReadManifest { name: String, source: io::Error },
    /// A manifest could not be had from its URL.
    #[error("{url}: cannot read the manifest")]
    FetchManifest {
        url: String,
        source: atr_fetch::Error,
    },
    /// A URL no manifest is read from.
    #[error("{url}: not a URL to read a manifest from")]
    ManifestUrl { url: String, source: atr_ids::Error },
    /// Root certificates that cannot be read.
    #[error("{path}: no root certificates to trust (--ca-file)")]
    CaFile {
        path: PathBuf,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file that must not be overwritten.
    #[error("{path}: the file is there already; name another with --output, or move it away")]
    FileExists { path: PathBuf },
    /// Answers a command needs and has nobody to ask for.
    #[error("{} must be given when nobody can be asked (or --interactive, to answer on standard input)", .flags.join(", "))]
    MissingAnswers { flags: Vec<&'static str> },
    /// A value on the command line that cannot be used.
    #[error("{flag}: {reason}")]
    UnusableAnswer { flag: &'static str, reason: String },
    /// Standard input ended, or kept giving answers that cannot be used.
    #[error("no usable answer to \"{question}\"")]
    NoAnswer { question: &'static str },
    /// A command that was asked about does not exist.
    #[error("there is no command `{name}`; {hint}")]
    NoSuchCommand { name: String, hint: String },
}

impl Error {
    /// The exit code a command that fails with this ends with.
    pub(crate) const fn outcome(&self) -> Outcome {
        match self {
            #[cfg(feature = "gcp")]
            Self::GcpKey { .. } => Outcome::Misuse,
            Self::NoSuchConfig { .. }
            | Self::ConfigNotUtf8 { .. }
            | Self::ConfigNotToml { .. }
            | Self::UnknownKey { .. }
            | Self::WrongType { .. }
            | Self::InvalidKey { .. }
            | Self::InvalidVariable { .. }
            | Self::TwoNodes
            | Self::NoChain
            | Self::NoNode { .. }
            | Self::NodeScheme { .. }
            | Self::TwoChains { .. }
            | Self::WrongChain { .. }
            | Self::SeveralTools { .. }
            | Self::SecondConsent { .. }
            | Self::OnePin
            | Self::NoGate { .. }
            | Self::AccountLine { .. }
            | Self::NoAccounts { .. }
            | Self::NoSigner
            | Self::SignerNotBuilt { .. }
            | Self::SecretFile { .. }
            | Self::Keystore { .. }
            | Self::Mnemonic { .. }
            | Self::PrivateKey { .. }
            | Self::NobodyToAsk { .. }
            | Self::NoExplorerKey { .. }
            | Self::NoRecordFolder
            | Self::ManifestUrl { .. }
            | Self::CaFile { .. }
            | Self::FileExists { .. }
            | Self::MissingAnswers { .. }
            | Self::UnusableAnswer { .. }
            | Self::NoAnswer { .. }
            | Self::NoSuchCommand { .. } => Outcome::Misuse,
            Self::NoToolAt { .. }
            | Self::NoPredicate { .. }
            | Self::NoContract { .. }
            | Self::PredicateOfAnother { .. }
            | Self::OtherMake { .. }
            | Self::NotCreator { .. } => Outcome::No,
            Self::ReadConfig { .. }
            | Self::ReadAccounts { .. }
            | Self::ReadManifest { .. }
            | Self::FetchManifest { .. }
            | Self::WorkingDirectory { .. }
            | Self::SignerUnreachable { .. }
            | Self::NotAnswered { .. }
            | Self::Runtime { .. }
            | Self::Write { .. }
            | Self::Print { .. } => Outcome::Unknown,
        }
    }
}
