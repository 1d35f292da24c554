//! A tool as it is registered: its verified manifest and what callers are offered.

use alloy_primitives::Address;
use alloy_sol_types::{SolCall, sol};
use atr_auth::{Network, Offers, Token, Tokens};
use atr_gate::pricing;
use atr_ids::{MetadataUri, ToolRef};
use atr_manifest::Manifest;
use atr_registry::Registry;
use atr_rpc::{BlockView, call_all};
use atr_verify::{Freshness, ManifestSource, Status, Verdict, Verifier};

use super::{
    error::GateError,
    settings::{self, GateSettings, ToolSettings},
};
use crate::{
    cmd::verify::summarize, context::Context, network::registry, output::Palette, process::clock,
};

sol! {
    interface IToken {
        function name() external view returns (string);
        function version() external view returns (string);
        function symbol() external view returns (string);
        function decimals() external view returns (uint8);
        function DOMAIN_SEPARATOR() external view returns (bytes32);
    }
}

/// A verified tool with its offers.
#[derive(Clone, Debug)]
pub(super) struct Publication {
    pub(super) tool: ToolRef,
    pub(super) registry: Registry,
    pub(super) manifest: Manifest,
    pub(super) uri: MetadataUri,
    pub(super) predicate: Option<Address>,
    pub(super) offers: Offers,
    /// Path of the tool on this server.
    pub(super) path: String,
}

/// The manifest in a file, instead of at its URL.
struct ManifestFile(Vec<u8>);

impl ManifestSource for ManifestFile {
    async fn manifest(&self, _: &MetadataUri) -> Result<Vec<u8>, atr_fetch::Error> {
        Ok(self.0.clone())
    }
}

impl Publication {
    /// Verifies a tool and reads its price.
    pub(super) async fn load(
        context: &Context,
        gate: &GateSettings,
        settings: &ToolSettings,
    ) -> eyre::Result<Self> {
        let registry = registry::connect_for_tool(context, &settings.tool).await?;
        let tool = registry::find_tool(&registry, &settings.tool).await?;
        let verdict = verify(context, gate, settings, &registry, tool).await?;
        let verified = verdict
            .into_verified()
            .map_err(|verdict| not_verified(&verdict))?;
        let manifest = verified.manifest().clone();
        let evidence = verified.evidence();
        let uri = evidence
            .metadata_uri
            .as_deref()
            .unwrap_or_default()
            .parse()?;
        let offers = offers(&registry, tool, &manifest, settings).await?;
        let path = settings.path.clone();
        let path = path.unwrap_or_else(|| endpoint_path(&manifest));
        Ok(Self {
            tool,
            predicate: evidence.access_predicate,
            registry,
            manifest,
            uri,
            offers,
            path,
        })
    }
}

async fn verify(
    context: &Context,
    gate: &GateSettings,
    settings: &ToolSettings,
    registry: &Registry,
    tool: ToolRef,
) -> eyre::Result<Verdict> {
    let (now, freshness) = (clock::now(), Freshness::default());
    Ok(match &settings.manifest {
        Some(path) => {
            let file = ManifestFile(settings::read("--manifest", path)?);
            let verifier = Verifier::try_new(registry.clone(), file, freshness)?;
            verifier.verify(tool, None, now).await?
        }
        None => {
            let client = gate.fetch.client(context)?;
            let verifier = Verifier::try_new(registry.clone(), client, freshness)?;
            verifier.verify(tool, None, now).await?
        }
    })
}

fn not_verified(verdict: &Verdict) -> GateError {
    let mut status = summarize(verdict, &Palette::default());
    if let Some(failure) = verdict.failure() {
        status += &format!(
            ": observed {}, expected {}",
            failure.observed, failure.expected
        );
    } else if let Some(violation) = verdict.rules().and_then(|rules| rules.violations.first()) {
        status += &format!(
            ": {} at {}",
            violation.code.as_str(),
            violation.pointer.as_str()
        );
    }
    GateError::NotVerified {
        tool: verdict.tool(),
        status,
        is_unreachable: verdict.failing() == Some(atr_verify::Check::Fetch),
        is_unknown: verdict.status() == Status::Unknown,
    }
}

async fn offers(
    registry: &Registry,
    tool: ToolRef,
    manifest: &Manifest,
    settings: &ToolSettings,
) -> eyre::Result<Offers> {
    let chain = registry.chain_id();
    let network = Network::from_chain_id(chain).ok_or(GateError::NoToken { chain })?;
    let mut tokens = Tokens::default();
    let configured = match settings.token {
        Some(address) => Some(read_token(registry, network, address).await?),
        None => None,
    };
    if let Some(token) = &configured {
        tokens.insert(token.clone());
    }
    let free = configured.or_else(|| Token::usdc(network));
    if manifest.prices().is_empty() && free.is_none() {
        return Err(GateError::NoToken { chain }.into());
    }
    let of_price = |source| GateError::Price { tool, source };
    let offers = pricing::offers(manifest, &tokens, settings.operator, free.as_ref());
    let offers = offers.map_err(of_price)?;
    if let Some(price) = &settings.price {
        pricing::check_price(price, &offers).map_err(of_price)?;
    }
    Ok(offers)
}

/// Reads the EIP-712 domain of a token, and compares it with the token's domain separator.
async fn read_token(
    registry: &Registry,
    network: Network,
    address: Address,
) -> eyre::Result<Token> {
    let failed = |reason: &str| GateError::Token {
        token: address,
        reason: reason.to_owned(),
    };
    let calls = [
        IToken::nameCall {}.abi_encode().into(),
        IToken::versionCall {}.abi_encode().into(),
        IToken::symbolCall {}.abi_encode().into(),
        IToken::decimalsCall {}.abi_encode().into(),
        IToken::DOMAIN_SEPARATORCall {}.abi_encode().into(),
    ];
    let view = BlockView::latest(registry.provider());
    let results = call_all(view, address, &calls).await?.into_iter();
    let results: Vec<_> = results
        .map(|result| result.returned().unwrap_or_default())
        .collect();
    let [name, version, symbol, decimals, separator] = results.as_slice() else {
        return Err(failed("the node returned another number of results").into());
    };
    let domain = IToken::nameCall::abi_decode_returns(name).ok().zip(
        // OpenZeppelin's tokens have no version(); theirs is 1.
        Some(IToken::versionCall::abi_decode_returns(version).unwrap_or_else(|_| "1".to_owned())),
    );
    let display = IToken::decimalsCall::abi_decode_returns(decimals).ok();
    let symbol = IToken::symbolCall::abi_decode_returns(symbol).unwrap_or_default();
    let separator = IToken::DOMAIN_SEPARATORCall::abi_decode_returns(separator).ok();
    let (Some((name, version)), Some(decimals), Some(separator)) = (domain, display, separator)
    else {
        return Err(failed("no EIP-3009 token at this address").into());
    };
    let token = Token::new(network, address, name, version, decimals, symbol);
    if token.domain_separator() != separator {
        let reason = "its EIP-712 domain is not (name, version, chain id, address)";
        return Err(failed(reason).into());
    }
    Ok(token)
}

fn endpoint_path(manifest: &Manifest) -> String {
    let path = manifest.endpoint().path_query_fragment();
    let end = path.find(['?', '#']).unwrap_or(path.len());
    path[..end].to_owned()
}
