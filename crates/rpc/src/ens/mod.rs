//! Forward resolution of ENS names: resolvers of parents (ENSIP-10) and answers outside the chain (ERC-3668) included.
//!
//! The universal resolver is used where the chain has it: names of later versions of ENS are found by it only. Elsewhere the
//! resolver is looked up in the registry.

mod name;
mod offchain;

use std::sync::atomic::AtomicUsize;

use alloy_primitives::{Address, B256, Bytes, FixedBytes, address, fixed_bytes};
use alloy_sol_types::{SolCall, SolError, sol};
use atr_fetch::SafeHttpClient;

pub use self::name::{EnsName, InvalidEnsName};
use self::offchain::{OffchainCaller, OffchainFailure};
use crate::{BlockView, Call, CallResult, Error};

sol! {
    function resolver(bytes32 node) external view returns (address);
    function addr(bytes32 node) external view returns (address);
    function text(bytes32 node, string key) external view returns (string);
    function owner(bytes32 node) external view returns (address);
    function setText(bytes32 node, string key, string value) external;
    function multicall(bytes[] data) external returns (bytes[] results);
    function supportsInterface(bytes4 id) external view returns (bool);

    /// ENSIP-10.
    interface ExtendedResolver {
        function resolve(bytes name, bytes data) external view returns (bytes);
    }

    interface UniversalResolver {
        error ResolverNotFound(bytes name);
        error ResolverNotContract(bytes name, address resolver);
        error UnsupportedResolverProfile(bytes4 selector);
        error HttpError(uint16 status, string message);

        function findResolver(bytes name) external view returns (address resolver, bytes32 node, uint256 offset);
        function resolve(bytes name, bytes data) external view returns (bytes result, address resolver);
    }
}

/// The registry of the Ethereum Name Service, at the same address on mainnet and its test networks.
pub const ENS_REGISTRY: Address = address!("0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e");

/// The universal resolver of that registry.
const UNIVERSAL_RESOLVER: Address = address!("0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe");

/// Interface id of resolvers that answer for subdomains (ENSIP-10).
const EXTENDED_RESOLVER_ID: FixedBytes<4> = fixed_bytes!("0x9061b923");

/// Gas of a call to a resolver, which the owner of the name chooses. Checks of proofs cost more than a lookup.
const RESOLVER_GAS: u64 = 10_000_000;

/// Why a lookup has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnsError {
    /// The node did not respond.
    #[error(transparent)]
    Rpc(#[from] Error),
    /// There is no ENS registry at the address.
    #[error("the ENS registry did not answer")]
    Registry,
    /// Neither the name nor a parent that answers for it has a resolver.
    #[error("the name has no resolver")]
    NoResolver,
    /// The resolver does not know this kind of record.
    #[error("the resolver does not have records of this kind")]
    Unsupported,
    /// The resolver or a gateway did not give a valid answer.
    #[error("{0}")]
    Resolver(String),
}

/// The names of one chain at one block.
#[derive(Debug)]
pub struct Ens<'a> {
    view: BlockView<'a>,
    registry: Address,
    universal_resolver: Option<Address>,
    http: SafeHttpClient,
    /// Requests to gateways that are left.
    gateway_requests: AtomicUsize,
}

/// The resolver of a name.
#[derive(Debug)]
pub struct NameResolver<'e, 'a> {
    ens: &'e Ens<'a>,
    name: EnsName,
    address: Address,
    is_parents: bool,
    is_extended: bool,
}

impl<'a> Ens<'a> {
    /// Uses a registry. Gateways of resolvers are untrusted: they are asked with this client.
    ///
    /// # Errors
    ///
    /// When the node does not respond.
    pub async fn connect(
        view: BlockView<'a>,
        registry: Address,
        http: SafeHttpClient,
    ) -> Result<Self, Error> {
        let has_universal = registry == ENS_REGISTRY && {
            let code = view.code(UNIVERSAL_RESOLVER).await?;
            !code.is_empty()
        };
        Ok(Self {
            view,
            registry,
            universal_resolver: has_universal.then_some(UNIVERSAL_RESOLVER),
            http,
            gateway_requests: AtomicUsize::new(offchain::MAX_REQUESTS),
        })
    }

    /// The address of a name. `None` if its record is empty.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub async fn address(&self, name: &EnsName) -> Result<Option<Address>, EnsError> {
        let resolver = self.resolver(name).await?;
        let address = resolver.address_record().await?;
        Ok((!address.is_zero()).then_some(address))
    }

    /// The resolver of the name, or that of its closest parent if it answers for subdomains.
    ///
    /// # Errors
    ///
    /// When there is none, or the node does not respond.
    pub async fn resolver(&self, name: &EnsName) -> Result<NameResolver<'_, 'a>, EnsError> {
        let (address, is_parents) = match self.universal_resolver {
            Some(universal) => self.find_by_universal_resolver(universal, name).await?,
            None => self.find_in_registry(name).await?,
        };
        let is_extended = match self.universal_resolver {
            // It asks the resolver.
            Some(_) => true,
            None => self.is_extended(address).await?,
        };
        if is_parents && !is_extended {
            return Err(EnsError::NoResolver);
        }
        Ok(NameResolver {
            ens: self,
            name: name.clone(),
            address,
            is_parents,
            is_extended,
        })
    }

    /// The owner of a name in the registry; zero if it has none.
    ///
    /// # Errors
    ///
    /// When the registry does not answer.
    pub async fn owner(&self, name: &EnsName) -> Result<Address, EnsError> {
        let call = ownerCall { node: name.hash() };
        let owner = self.read(self.registry, &call).await?;
        owner.ok_or(EnsError::Registry)
    }

    /// The resolver of the name or of its closest parent that has one, and whether it is a parent's.
    async fn find_in_registry(&self, name: &EnsName) -> Result<(Address, bool), EnsError> {
        for (index, parent) in name.ancestors().enumerate() {
            let call = resolverCall {
                node: parent.hash(),
            };
            let resolver = self.read(self.registry, &call).await?;
            let resolver = resolver.ok_or(EnsError::Registry)?;
            if !resolver.is_zero() {
                return Ok((resolver, index > 0));
            }
        }
        Err(EnsError::NoResolver)
    }

    async fn find_by_universal_resolver(
        &self,
        universal: Address,
        name: &EnsName,
    ) -> Result<(Address, bool), EnsError> {
        let call = UniversalResolver::findResolverCall {
            name: name.dns_encoding(),
        };
        let found = self.read(universal, &call).await?;
        let found = found.ok_or(EnsError::Registry)?;
        if found.resolver.is_zero() {
            return Err(EnsError::NoResolver);
        }
        Ok((found.resolver, !found.offset.is_zero()))
    }

    async fn is_extended(&self, resolver: Address) -> Result<bool, Error> {
        let call = supportsInterfaceCall {
            id: EXTENDED_RESOLVER_ID,
        };
        Ok(self.read(resolver, &call).await?.unwrap_or(false))
    }

    /// `None` if the call fails or its result is not of this type.
    async fn read<C: SolCall>(&self, to: Address, call: &C) -> Result<Option<C::Return>, Error> {
        let result = self
            .view
            .call(to, call.abi_encode().into(), Some(RESOLVER_GAS));
        Ok(match result.await? {
            CallResult::Returned(bytes) => C::abi_decode_returns_validate(&bytes).ok(),
            CallResult::Failed { .. } => None,
        })
    }
}

impl NameResolver<'_, '_> {
    /// The resolver's contract.
    #[must_use]
    pub const fn address(&self) -> Address {
        self.address
    }

    /// Whether the resolver belongs to a parent of the name, which answers for its subdomains.
    #[must_use]
    pub const fn is_parents(&self) -> bool {
        self.is_parents
    }

    /// A text record; empty if there is none (ENSIP-5).
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub async fn text(&self, key: &str) -> Result<String, EnsError> {
        let (node, key) = (self.node(), key.to_owned());
        match self.call(&textCall { node, key }).await {
            // A resolver without text records has none.
            Err(EnsError::Unsupported) => Ok(String::new()),
            other => other,
        }
    }

    async fn address_record(&self) -> Result<Address, EnsError> {
        self.call(&addrCall { node: self.node() }).await
    }

    fn node(&self) -> B256 {
        self.name.hash()
    }

    async fn call<C: SolCall>(&self, call: &C) -> Result<C::Return, EnsError> {
        let (to, data) = self.request(call.abi_encode().into());
        let caller =
            OffchainCaller::new(&self.ens.view, &self.ens.http, &self.ens.gateway_requests);
        let answer = match caller.call(to, data, RESOLVER_GAS).await? {
            Ok(answer) => answer,
            Err(OffchainFailure::Reverted { data }) => return Err(reverted(&data)),
            Err(failure) => return Err(EnsError::Resolver(failure.to_string())),
        };
        let failed = || EnsError::Resolver("the resolver failed".to_owned());
        let answer = self.unwrap(answer).ok_or_else(failed)?;
        C::abi_decode_returns_validate(&answer).map_err(|_| failed())
    }

    /// The contract to call, and the call data.
    fn request(&self, lookup: Bytes) -> (Address, Bytes) {
        let name = self.name.dns_encoding();
        let data = lookup;
        match self.ens.universal_resolver {
            Some(universal) => {
                let call = UniversalResolver::resolveCall { name, data };
                (universal, call.abi_encode().into())
            }
            None if self.is_extended => {
                let call = ExtendedResolver::resolveCall { name, data };
                (self.address, call.abi_encode().into())
            }
            None => (self.address, data),
        }
    }

    fn unwrap(&self, answer: Bytes) -> Option<Bytes> {
        if self.ens.universal_resolver.is_some() {
            let answer = UniversalResolver::resolveCall::abi_decode_returns_validate(&answer);
            return Some(answer.ok()?.result);
        }
        if self.is_extended {
            return ExtendedResolver::resolveCall::abi_decode_returns_validate(&answer).ok();
        }
        Some(answer)
    }
}

/// Calls of a resolver that set text records of a name: one call, or one for each record.
#[must_use]
pub fn set_text_calls(
    resolver: Address,
    name: &EnsName,
    records: &[(String, String)],
    one_by_one: bool,
) -> Vec<Call> {
    let node = name.hash();
    let set = |(key, value): &(String, String)| setTextCall {
        node,
        key: key.clone(),
        value: value.clone(),
    };
    match records {
        [_, _, ..] if !one_by_one => {
            let data = records.iter().map(|record| set(record).abi_encode().into());
            let data = data.collect();
            vec![Call::new(resolver, &multicallCall { data })]
        }
        records => records
            .iter()
            .map(|record| Call::new(resolver, &set(record)))
            .collect(),
    }
}

/// Errors of the universal resolver; every other one is the resolver's own.
fn reverted(data: &[u8]) -> EnsError {
    use UniversalResolver::{
        HttpError, ResolverNotContract, ResolverNotFound, UnsupportedResolverProfile,
    };
    if data.starts_with(&ResolverNotFound::SELECTOR)
        || data.starts_with(&ResolverNotContract::SELECTOR)
    {
        return EnsError::NoResolver;
    }
    if data.starts_with(&UnsupportedResolverProfile::SELECTOR) {
        return EnsError::Unsupported;
    }
    if let Ok(error) = HttpError::abi_decode_validate(data) {
        let message = atr_ids::excerpt(&error.message);
        return EnsError::Resolver(format!(
            "no gateway of the resolver answered (CCIP-Read): {message}"
        ));
    }
    EnsError::Resolver("the resolver failed".to_owned())
}
