//! A tool as it is registered: its verified manifest and what callers are offered.

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall, sol};
use atr_auth::{Network, Offers, Token, Tokens};
use atr_gate::pricing;
use atr_ids::{MetadataUri, ToolRef};
use atr_manifest::Manifest;
use atr_registry::Registry;
use atr_rpc::{BlockView, call_all};
use atr_verify::{Freshness, Status, Verdict, Verifier};

use super::{
    error::GateError,
    settings::{self, GateSettings, ToolSettings},
};
use crate::{
    args::ManifestFile,
    cmd::verify::{reason, status},
    context::Context,
    network::registry,
    process::clock,
};

sol! {
    interface IToken {
        function name() external view returns (string);
        function version() external view returns (string);
        function symbol() external view returns (string);
        function decimals() external view returns (uint8);
        function eip712Domain() external view returns (
            bytes1 fields,
            string name,
            string version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] extensions
        );
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
    let mut status = status(verdict).0.to_owned();
    if let Some(reason) = reason(verdict) {
        status += &format!(": {reason}");
    }
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

/// Reads the EIP-712 domain of a token. It must be of (name, version, chain id, address), and is compared with what the token itself
/// computes.
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
        IToken::symbolCall {}.abi_encode().into(),
        IToken::decimalsCall {}.abi_encode().into(),
        IToken::eip712DomainCall {}.abi_encode().into(),
        IToken::nameCall {}.abi_encode().into(),
        IToken::versionCall {}.abi_encode().into(),
        IToken::DOMAIN_SEPARATORCall {}.abi_encode().into(),
    ];
    let view = BlockView::latest(registry.provider());
    let results = call_all(view, address, &calls).await?.into_iter();
    let results = results.map(|result| result.returned().unwrap_or_default());
    let results: Vec<_> = results.collect();
    let [symbol, decimals, domain, name, version, separator] = results.as_slice() else {
        return Err(failed("the node returned another number of results").into());
    };
    let symbol = IToken::symbolCall::abi_decode_returns(symbol).unwrap_or_default();
    let decimals = IToken::decimalsCall::abi_decode_returns(decimals);
    let decimals = decimals.map_err(|_| failed("no ERC-20 token at this address"))?;
    let token = |name, version| Token::new(network, address, name, version, decimals, symbol);
    if let Ok(domain) = IToken::eip712DomainCall::abi_decode_returns(domain) {
        let is_standard = domain.fields.0 == [0x0f]
            && domain.chainId == U256::from(network.chain_id())
            && domain.verifyingContract == address;
        if !is_standard {
            return Err(failed("its EIP-712 domain has other fields").into());
        }
        return Ok(token(domain.name, domain.version));
    }
    let name = IToken::nameCall::abi_decode_returns(name);
    let version = IToken::versionCall::abi_decode_returns(version);
    let separator = IToken::DOMAIN_SEPARATORCall::abi_decode_returns(separator);
    let (Ok(name), Ok(version), Ok(separator)) = (name, version, separator) else {
        return Err(failed("it does not report its EIP-712 domain").into());
    };
    let token = token(name, version);
    if token.domain_separator() != separator {
        return Err(failed("its EIP-712 domain has other fields").into());
    }
    Ok(token)
}

fn endpoint_path(manifest: &Manifest) -> String {
    let path = manifest.endpoint().path_query_fragment();
    let end = path.find(['?', '#']).unwrap_or(path.len());
    path[..end].to_owned()
}
