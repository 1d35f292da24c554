//! Errors of the CLI itself.
//!
//! Commands wrap these and library errors in `eyre`; `process` downcasts to choose the exit code.

use std::{io, path::PathBuf};

use alloy::signers::local::LocalSignerError;
use alloy_primitives::{Address, U256};
use atr_registry::predicates::{TokenStandard, composite::ExpressionError};

use crate::{
    args::{DocumentKind, InvalidValue},
    config::Source,
    outcome::Outcome,
};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    #[error("{path}: configuration file not found ({named_by})")]
    NoSuchConfig {
        path: PathBuf,
        named_by: &'static str,
    },
    #[error("{path}: cannot read the configuration file")]
    ReadConfig { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: the file is not valid UTF-8")]
    ConfigNotUtf8 { path: PathBuf, line: usize },
    #[error("{path}:{line}: invalid TOML: {message}")]
    ConfigNotToml {
        path: PathBuf,
        line: usize,
        message: String,
    },
    #[error("{path}:{line}: unknown key `{key}`; {hint}")]
    UnknownKey {
        path: PathBuf,
        line: usize,
        key: String,
        hint: String,
    },
    #[error("{path}:{line}: `{key}` must be {expected}, not {found}")]
    WrongType {
        path: PathBuf,
        line: usize,
        key: &'static str,
        expected: &'static str,
        found: &'static str,
    },
    #[error("{path}:{line}: `{key}`: {reason}")]
    InvalidKey {
        path: PathBuf,
        line: usize,
        key: &'static str,
        reason: InvalidValue,
    },
    #[error("environment variable {name}: {reason}")]
    InvalidVariable {
        name: &'static str,
        reason: InvalidValue,
    },
    #[error("{flag}: {reason}")]
    InvalidFlag {
        flag: &'static str,
        reason: InvalidValue,
    },
    /// Omits the value, which can contain an API key.
    #[error("{path}:{line}: `{name}` in [rpc_endpoints]: {reason}")]
    FoundryEndpoint {
        path: PathBuf,
        line: usize,
        name: String,
        reason: InvalidValue,
    },
    #[error("{path}:{line}: environment variable {variable} is not set")]
    FoundryVariable {
        path: PathBuf,
        line: usize,
        variable: String,
    },
    #[error("`{name}` is not set")]
    NotSet { name: &'static str },
    #[error("cannot determine the working directory")]
    WorkingDirectory { source: io::Error },
    #[error("{path}: cannot write")]
    Write { path: PathBuf, source: io::Error },
    /// Not used for a broken pipe, which is not an error.
    #[error("cannot write to standard output")]
    Print { source: io::Error },
    #[error(
        "--chain with a URL or an endpoint of foundry.toml conflicts with --rpc-url; use one of them"
    )]
    TwoRpcUrls,
    #[error("no chain selected; use --chain <name|id|url>, ATR_CHAIN, or `chain` in atr.toml")]
    NoChain,
    #[error(
        "no RPC URL for {chain}; use --rpc-url, ATR_RPC_URL, `rpc-url` in atr.toml, [rpc_endpoints] in foundry.toml, or ETH_RPC_URL"
    )]
    NoRpcUrl { chain: String },
    #[error("{setting_source}: {reason}")]
    NoEndpoint {
        setting_source: Source,
        reason: InvalidValue,
    },
    #[error(
        "{name}: {chain} has no ENS registry; use a node of mainnet (--ens-rpc-url, ATR_ENS_RPC_URL, or --chain mainnet), or set ATR_ENS_REGISTRY"
    )]
    NoEns { name: String, chain: String },
    #[error("{name}: the card is {}: {reasons}", if *is_unknown { "unknown" } else { "untrusted" })]
    CardNotTrusted {
        name: String,
        is_unknown: bool,
        reasons: String,
    },
    #[error("{name}: the card does not implement `{verb}`; it implements {verbs}")]
    NoVerb {
        name: String,
        verb: String,
        verbs: String,
    },
    #[error(
        "{name}: no record names the tool for {verb} (erc8257.tool, erc8257.tool.{verb}); use --tool <TOOL>"
    )]
    NoToolOfCard { name: String, verb: String },
    #[error("VERB and --tool belong to the ENS name of a card; the target is a tool")]
    VerbOfTool,
    #[error("{name}: the card has too many texts to check all; nothing was set")]
    CardUnknown { name: String },
    #[error("{name}: {count} violations of the specification; nothing was set")]
    InvalidCard { name: String, count: usize },
    #[error("{name}: {reason}")]
    EnsName { name: String, reason: String },
    #[error("block {block} does not exist on chain {chain_id}, or the node does not have it")]
    NoBlock { block: String, chain_id: u64 },
    #[error("the signer is {signer}, but --from is {from}")]
    OtherSigner { signer: Address, from: Address },
    #[error(
        "{token} does not have decimals(), as most ERC-20 tokens do; check the address, or use --decimals (0 if --min-balance is in base units)"
    )]
    NoDecimals { token: Address },
    #[error(
        "{token} is not an ERC-20 token (no decimals()); it declares {standard}: use `atr predicate set-{}`",
        slug(*standard)
    )]
    NotErc20 {
        token: Address,
        standard: TokenStandard,
    },
    #[error("the tool is on chain {tool}, but {setting_source} selects chain {setting}")]
    ToolOnOtherChain {
        tool: u64,
        setting: u64,
        setting_source: Source,
    },
    #[error("the node is on chain {found}, expected chain {expected}; check --chain and --rpc-url")]
    WrongChain { expected: u64, found: u64 },
    #[error("the node is behind: its latest block is {head}; try again later")]
    NodeBehind { head: u64 },
    #[error("no tool in this registry has the manifest URL {url}")]
    NoToolWithManifestUrl { url: String },
    #[error(
        "{count} tools have the manifest URL {url}; select one by id: {}{}",
        shown.join(", "),
        if shown.len() < *count { ", …" } else { "" }
    )]
    AmbiguousManifestUrl {
        url: String,
        count: usize,
        shown: Vec<String>,
    },
    #[error(
        "{contract} for registry {registry} is not deployed on this chain (no code at {address}); run \
         `atr deploy --registry {registry} --only {contract}`"
    )]
    PredicateNotDeployed {
        contract: &'static str,
        address: Address,
        registry: Address,
    },
    #[error(
        "{contract} is not deployed on this chain (no code at {address}); run `atr deploy --only {contract}`"
    )]
    ScriptNotDeployed {
        contract: &'static str,
        address: Address,
    },
    #[error(
        "{account} does not delegate to RegistrationScript at {script}, so it cannot run it by a transaction of its own; use --unsigned \
         to print the transaction, or leave out --script"
    )]
    ScriptNeedsOtherSigner { account: Address, script: Address },
    #[error("{}; --allow-unverified-token accepts it", problems.join("; "))]
    UnverifiedToken { problems: Vec<String> },
    #[error("no contract at {address} on this chain; check the address of the token or collection")]
    NoToken { address: Address },
    #[error("no contract at {address}; use --predicate {slug} for that of this registry")]
    NoContract { address: Address, slug: String },
    #[error(
        "predicate {predicate} belongs to registry {other}, not to {registry}; use a predicate of this registry"
    )]
    PredicateOfOtherRegistry {
        predicate: Address,
        other: Address,
        registry: Address,
    },
    #[error(
        "tool {id} has no access predicate; use --predicate {slug} to configure that of this registry, and enable it with \
         `atr tool set-predicate {id} {slug}`"
    )]
    ToolIsOpen { id: U256, slug: String },
    #[error(
        "predicate {predicate} is {found}, expected {name}; pass --predicate {slug} to configure the registry's {name}"
    )]
    WrongPredicateKind {
        predicate: Address,
        found: String,
        name: &'static str,
        slug: String,
    },
    #[error(
        "sender {sender} is not the creator of tool {id} ({creator}); only the creator can change the tool, and the creator cannot be \
         changed"
    )]
    NotCreator {
        id: U256,
        creator: Address,
        sender: Address,
    },
    #[error("tool {id} is not paused; access predicate: {current}")]
    NotPaused { id: U256, current: String },
    #[error("tool {id} never had another access predicate; use --predicate to set one")]
    NeverUnpaused { id: U256 },
    #[error("--expr: {source}; predicates are {}, or an address", names.join(", "))]
    Expression {
        source: ExpressionError,
        names: Vec<String>,
    },
    #[error(
        "{predicate} reads call data, so it must not be negated: invalid call data would grant access"
    )]
    CannotNegate { predicate: String },
    #[error(
        "the terms need {needed} gas together, and the maximum is {max}: {}; configure them with a smaller --stipend, and use \
         --expr instead of a composite as a term",
        terms.join(", ")
    )]
    TermsNeedTooMuchGas {
        needed: String,
        max: String,
        terms: Vec<String>,
    },
    #[error("{path}: cannot read the allowlist")]
    ReadAllowlist { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: {reason}")]
    AllowlistLine {
        path: PathBuf,
        line: usize,
        reason: InvalidValue,
    },
    /// An empty tree has no root.
    #[error("{path}: the allowlist is empty; to deny everyone, use the AlwaysDenyPredicate")]
    EmptyAllowlist { path: PathBuf },
    #[error("--pin requires exactly one tool")]
    PinWithSeveralTools,
    #[error("deregistering is irreversible: --yes also requires --confirm {id}")]
    DeregisterNotConfirmed { id: U256 },
    #[error(
        "no signer; use --account, --keystore, --mnemonic-file, --ledger, --aws, --gcp or --interactive, or set ATR_PRIVATE_KEY \
         (--dry-run needs no signer)"
    )]
    NoSigner,
    #[cfg_attr(
        all(feature = "ledger", feature = "aws", feature = "gcp"),
        expect(dead_code, reason = "all signers are enabled")
    )]
    #[error(
        "this build of atr does not support {flag}; install it with `cargo install --path crates/cli --features {feature}`"
    )]
    SignerNotBuilt {
        flag: &'static str,
        feature: &'static str,
    },
    #[cfg_attr(
        not(any(feature = "ledger", feature = "aws", feature = "gcp")),
        expect(dead_code, reason = "constructed by optional signers only")
    )]
    #[error("cannot connect to {signer}")]
    SignerUnreachable {
        signer: &'static str,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[cfg(feature = "gcp")]
    #[error(
        "--gcp: `{found}` is not a key version; use \
         projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/…"
    )]
    GcpKey { found: String },
    #[error("{path}: cannot read the file ({flag})")]
    SecretFile {
        path: PathBuf,
        flag: &'static str,
        source: io::Error,
    },
    #[error("{path}: cannot decrypt the keystore: wrong password, or not a keystore")]
    Keystore {
        path: PathBuf,
        source: LocalSignerError,
    },
    /// Omits the phrase, which is a secret.
    #[error(
        "{path}: invalid mnemonic (English word list) or derivation path (for example m/44'/60'/0'/0/0)"
    )]
    Mnemonic {
        path: PathBuf,
        source: LocalSignerError,
    },
    /// Omits the value, which is a secret.
    #[error("{named_by}: invalid private key; expected 64 hexadecimal digits, with or without 0x")]
    PrivateKey { named_by: &'static str },
    #[error("cannot prompt for {subject}: standard input is not a terminal; {alternative}")]
    NotInteractive {
        subject: &'static str,
        alternative: &'static str,
    },
    #[error("cannot read the input")]
    Prompt { source: io::Error },
    #[error(
        "--verifier etherscan requires an API key; set {name} or ETHERSCAN_API_KEY, or add the chain to [etherscan] of foundry.toml"
    )]
    NoExplorerKey { name: &'static str },
    #[error("no Blockscout explorer is known for {chain}; use --blockscout-url")]
    NoBlockscoutUrl { chain: String },
    #[error(
        "no directory for deployment records; set HOME or XDG_DATA_HOME, or use --records <directory>"
    )]
    NoRecordFolder,
    #[error(
        "no directory for the journal of transactions; set HOME, XDG_STATE_HOME or ATR_STATE_DIR"
    )]
    NoStateFolder,
    #[error("{}: cannot create the state directory", folder.display())]
    StateFolder { folder: PathBuf, source: io::Error },
    #[error("cannot open the database of the index")]
    IndexDatabase { source: atr_store::Error },
    #[error("{id} is not a registry: expected eip155:<chain>:<address>")]
    RegistryId { id: String },
    #[error("declined; nothing was signed")]
    Declined,
    #[error("{title} ({status}): {message}")]
    Refused {
        title: &'static str,
        /// HTTP status.
        status: u16,
        /// Text of the tool.
        message: String,
        /// A payment was sent.
        is_paid: bool,
    },
    #[error("{flag} {found} is not an amount of {symbol}")]
    MaxAmount {
        flag: &'static str,
        found: String,
        symbol: String,
        source: atr_auth::AmountError,
    },
    #[error("{path}: cannot read the arguments (--data)")]
    ReadData { path: String, source: io::Error },
    #[error("the operating system provides no random numbers")]
    NoRandomness,
    #[error("cannot start the async runtime")]
    Runtime { source: io::Error },
    #[error("{name}: cannot read the {kind}")]
    ReadDocument {
        name: String,
        kind: DocumentKind,
        source: io::Error,
    },
    #[error("{url}: cannot fetch the {kind}")]
    FetchDocument {
        url: String,
        kind: DocumentKind,
        source: atr_fetch::Error,
    },
    #[error("{url}: invalid {kind} URL")]
    DocumentUrl {
        url: String,
        kind: DocumentKind,
        source: atr_ids::Error,
    },
    #[error("--ca-file is for allowed hosts only; use --allow-host or ATR_ALLOW_HOST")]
    CaFileWithoutHost,
    #[error("{path}: cannot load root certificates (--ca-file)")]
    CaFile {
        path: PathBuf,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("{path}: the file already exists; use --output to write to another file")]
    FileExists { path: PathBuf },
    #[error("missing {}; required unless prompts are possible (a terminal, or --interactive)", .flags.join(", "))]
    MissingFields { flags: Vec<&'static str> },
    #[error("{flag}: {reason}")]
    InvalidField { flag: &'static str, reason: String },
    #[error("{name}: the {kind} is not a JSON document")]
    NotADocument {
        name: String,
        kind: DocumentKind,
        source: atr_manifest::Error,
    },
    #[error("the registration file does not refer back to {expected}: it has {found}")]
    BackReference { found: String, expected: String },
    #[error("the document cannot be converted")]
    Convert {
        source: atr_agent_card::bridge::BridgeError,
    },
    #[error("no valid input for \"{prompt}\"")]
    NoInput { prompt: &'static str },
    #[error("unknown command `{name}`; {hint}")]
    NoSuchCommand { name: String, hint: String },
    /// The URL is not secret.
    #[error("{url}: {reason}")]
    Api { url: String, reason: String },
    #[error("{flag}: {rule}")]
    SearchParameter { flag: String, rule: String },
    #[error("there is no index at {path}; fill it with `atr index` or `atr serve`, or use --api")]
    NoIndex { path: PathBuf },
    #[error("{}: {reason} (--toolset)", path.display())]
    Toolset { path: PathBuf, reason: String },
    #[error("cannot handle signals")]
    Signals { source: io::Error },
}

/// The short name of the predicate for tokens of a standard.
pub(crate) const fn slug(standard: TokenStandard) -> &'static str {
    match standard {
        TokenStandard::Erc20 => "erc20",
        TokenStandard::Erc721 => "erc721",
        TokenStandard::Erc1155 => "erc1155",
    }
}

impl Error {
    pub(crate) const fn outcome(&self) -> Outcome {
        match self {
            #[cfg(feature = "gcp")]
            Self::GcpKey { .. } => Outcome::UsageError,
            Self::NoSuchConfig { .. }
            | Self::ConfigNotUtf8 { .. }
            | Self::ConfigNotToml { .. }
            | Self::UnknownKey { .. }
            | Self::WrongType { .. }
            | Self::InvalidKey { .. }
            | Self::InvalidVariable { .. }
            | Self::InvalidFlag { .. }
            | Self::FoundryEndpoint { .. }
            | Self::FoundryVariable { .. }
            | Self::TwoRpcUrls
            | Self::NoChain
            | Self::NoRpcUrl { .. }
            | Self::NoEndpoint { .. }
            | Self::NoEns { .. }
            | Self::VerbOfTool
            | Self::OtherSigner { .. }
            | Self::NoDecimals { .. }
            | Self::ToolOnOtherChain { .. }
            | Self::WrongChain { .. }
            | Self::AmbiguousManifestUrl { .. }
            | Self::DeregisterNotConfirmed { .. }
            | Self::PinWithSeveralTools
            | Self::ToolIsOpen { .. }
            | Self::Expression { .. }
            | Self::AllowlistLine { .. }
            | Self::EmptyAllowlist { .. }
            | Self::NoSigner
            | Self::ScriptNeedsOtherSigner { .. }
            | Self::SignerNotBuilt { .. }
            | Self::SecretFile { .. }
            | Self::Keystore { .. }
            | Self::Mnemonic { .. }
            | Self::PrivateKey { .. }
            | Self::NotInteractive { .. }
            | Self::NoExplorerKey { .. }
            | Self::NoBlockscoutUrl { .. }
            | Self::NoRecordFolder
            | Self::NoStateFolder
            | Self::DocumentUrl { .. }
            | Self::StateFolder { .. }
            | Self::IndexDatabase { .. }
            | Self::RegistryId { .. }
            | Self::CaFile { .. }
            | Self::MaxAmount { .. }
            | Self::ReadData { .. }
            | Self::CaFileWithoutHost
            | Self::FileExists { .. }
            | Self::MissingFields { .. }
            | Self::InvalidField { .. }
            | Self::NoInput { .. }
            | Self::ReadConfig { .. }
            | Self::ReadAllowlist { .. }
            | Self::ReadDocument { .. }
            | Self::SearchParameter { .. }
            | Self::Toolset { .. }
            | Self::NoSuchCommand { .. } => Outcome::UsageError,
            Self::Convert { .. }
            | Self::NotADocument { .. }
            | Self::BackReference { .. }
            | Self::NoToolWithManifestUrl { .. }
            | Self::EnsName { .. }
            | Self::InvalidCard { .. }
            | Self::CardNotTrusted {
                is_unknown: false, ..
            }
            | Self::NoVerb { .. }
            | Self::NoToolOfCard { .. }
            | Self::NotSet { .. }
            | Self::PredicateNotDeployed { .. }
            | Self::ScriptNotDeployed { .. }
            | Self::NoContract { .. }
            | Self::NoToken { .. }
            | Self::NotErc20 { .. }
            | Self::UnverifiedToken { .. }
            | Self::PredicateOfOtherRegistry { .. }
            | Self::WrongPredicateKind { .. }
            | Self::CannotNegate { .. }
            | Self::TermsNeedTooMuchGas { .. }
            | Self::Declined
            | Self::Refused { status: ..500, .. }
            | Self::NotPaused { .. }
            | Self::NeverUnpaused { .. }
            | Self::NotCreator { .. } => Outcome::Failure,
            Self::NoBlock { .. }
            | Self::CardUnknown { .. }
            | Self::CardNotTrusted { .. }
            | Self::Refused { .. }
            | Self::FetchDocument { .. }
            | Self::WorkingDirectory { .. }
            | Self::NodeBehind { .. }
            | Self::SignerUnreachable { .. }
            | Self::Prompt { .. }
            | Self::NoRandomness
            | Self::Runtime { .. }
            | Self::Api { .. }
            | Self::NoIndex { .. }
            | Self::Signals { .. }
            | Self::Write { .. }
            | Self::Print { .. } => Outcome::Unknown,
        }
    }
}
