//! Model of the registry: a list of tools.

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use atr_bindings::{
    ACCESS_PREDICATE_ID, ERC165_ID, IAccessPredicate,
    IToolRegistry::{
        AccessPredicateUpdated, InvalidAccessPredicate, InvalidManifestHash, InvalidMetadataURI,
        NotToolCreator, ToolDeregistered, ToolIsDeregistered, ToolMetadataUpdated, ToolNotFound,
        ToolRegistered, deregisterToolCall, getToolConfigCall, hasAccessCall, nameCall,
        registerToolCall, setAccessPredicateCall, toolCountCall, tryHasAccessCall,
        updateToolMetadataCall, versionCall,
    },
    TOOL_REGISTRY_ID,
    ToolRegistry::supportsInterfaceCall,
};

use super::{Access, CallResult, ExternalContracts, abi, calldata::Arguments};

/// Maximum URI length in bytes.
const MAX_URI_BYTES: usize = 2_048;

/// A registered tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Tool {
    pub creator: Address,
    /// `metadataURI`; arbitrary bytes.
    pub uri: Vec<u8>,
    pub hash: B256,
    /// Zero for an open tool.
    pub predicate: Address,
}

/// All tools by id, starting at 1; none for a deregistered tool.
#[derive(Clone, Debug)]
pub struct Registry {
    address: Address,
    tools: Vec<Option<Tool>>,
}

impl Registry {
    /// An empty registry.
    #[must_use]
    pub const fn new(address: Address) -> Self {
        Self {
            address,
            tools: Vec::new(),
        }
    }

    /// A registry whose first `count` tools were deregistered.
    #[must_use]
    pub fn after_deregistrations(address: Address, count: usize) -> Self {
        Self {
            address,
            tools: vec![None; count],
        }
    }

    /// All tools by id, starting at 1; none for a deregistered tool.
    #[must_use]
    pub fn tools(&self) -> &[Option<Tool>] {
        &self.tools
    }

    /// `toolCount`.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.tools.len() as u64
    }

    /// The tool with this id.
    ///
    /// # Errors
    ///
    /// `ToolNotFound` or `ToolIsDeregistered`.
    pub fn tool(&self, id: U256) -> Result<&Tool, CallResult> {
        match self.index(id).map(|index| &self.tools[index]) {
            None => Err(CallResult::reverts(&ToolNotFound { toolId: id })),
            Some(None) => Err(CallResult::reverts(&ToolIsDeregistered { toolId: id })),
            Some(Some(tool)) => Ok(tool),
        }
    }

    /// The outcome of an access check.
    ///
    /// # Errors
    ///
    /// As [`Registry::tool`].
    pub fn access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        others: &impl ExternalContracts,
    ) -> Result<Access, CallResult> {
        let predicate = self.tool(id)?.predicate;
        if predicate.is_zero() {
            return Ok(Access::Granted);
        }
        let call = IAccessPredicate::hasAccessCall {
            toolId: id,
            account,
            data: data.to_vec().into(),
        };
        Ok(others.access(predicate, &call.abi_encode()))
    }

    /// Executes a call. Reverts without data on value and on calldata that does not decode.
    pub fn call(
        &mut self,
        from: Address,
        value: U256,
        data: &[u8],
        others: &impl ExternalContracts,
    ) -> CallResult {
        let decoded = value.is_zero().then(|| self.dispatch(from, data, others));
        decoded
            .flatten()
            .unwrap_or_else(CallResult::reverts_without_data)
    }

    fn dispatch(
        &mut self,
        from: Address,
        data: &[u8],
        others: &impl ExternalContracts,
    ) -> Option<CallResult> {
        let (selector, arguments) = Arguments::split(data)?;
        Some(match selector {
            registerToolCall::SELECTOR => {
                let arguments = arguments.require_words(3)?;
                let (uri, hash) = (arguments.bytes(0)?, arguments.word(1)?);
                self.register(from, uri, hash, arguments.address(2)?, others)
            }
            deregisterToolCall::SELECTOR => self.deregister(from, arguments.number(0)?),
            updateToolMetadataCall::SELECTOR => {
                let arguments = arguments.require_words(3)?;
                let (id, uri) = (arguments.number(0)?, arguments.bytes(1)?);
                self.update(from, id, uri, arguments.word(2)?)
            }
            setAccessPredicateCall::SELECTOR => {
                let (id, predicate) = (arguments.number(0)?, arguments.address(1)?);
                self.set_predicate(from, id, predicate, others)
            }
            getToolConfigCall::SELECTOR => match self.tool(arguments.number(0)?) {
                Ok(tool) => CallResult::returns(abi::tool_config(
                    tool.creator,
                    &tool.uri,
                    tool.hash,
                    tool.predicate,
                )),
                Err(revert) => revert,
            },
            hasAccessCall::SELECTOR | tryHasAccessCall::SELECTOR => {
                let arguments = arguments.require_words(3)?;
                let (id, account) = (arguments.number(0)?, arguments.address(1)?);
                match self.access(id, account, arguments.bytes(2)?, others) {
                    Ok(access) if selector == hasAccessCall::SELECTOR => {
                        CallResult::returns((access == Access::Granted).abi_encode())
                    }
                    Ok(access) => CallResult::returns(access.as_pair().abi_encode()),
                    Err(revert) => revert,
                }
            }
            toolCountCall::SELECTOR => CallResult::returns(abi::number(self.tools.len())),
            nameCall::SELECTOR => CallResult::returns("ToolRegistry".abi_encode()),
            versionCall::SELECTOR => CallResult::returns("1.0".abi_encode()),
            supportsInterfaceCall::SELECTOR => {
                let id = arguments.bytes4(0)?;
                CallResult::returns((id == TOOL_REGISTRY_ID || id == ERC165_ID).abi_encode())
            }
            _ => return None,
        })
    }

    /* WRITES */

    fn register(
        &mut self,
        from: Address,
        uri: &[u8],
        hash: B256,
        predicate: Address,
        others: &impl ExternalContracts,
    ) -> CallResult {
        let revert = check_metadata(uri, hash).or_else(|| check_predicate(predicate, others));
        if let Some(revert) = revert {
            return revert;
        }
        self.tools.push(Some(Tool {
            creator: from,
            uri: uri.to_vec(),
            hash,
            predicate,
        }));
        let id = abi::number(self.tools.len());
        let topics = vec![
            ToolRegistered::SIGNATURE_HASH,
            id,
            from.into_word(),
            predicate.into_word(),
        ];
        CallResult::returns_with_log(id, self.address, topics, abi::uri_and_hash(uri, hash))
    }

    fn deregister(&mut self, from: Address, id: U256) -> CallResult {
        match self.own_tool(from, id) {
            Err(revert) => revert,
            Ok(index) => {
                self.tools[index] = None;
                let topics = vec![ToolDeregistered::SIGNATURE_HASH, id.into()];
                CallResult::returns_with_log([], self.address, topics, [])
            }
        }
    }

    fn update(&mut self, from: Address, id: U256, uri: &[u8], hash: B256) -> CallResult {
        let index = match self.own_tool(from, id) {
            Err(revert) => return revert,
            Ok(index) => index,
        };
        if let Some(revert) = check_metadata(uri, hash) {
            return revert;
        }
        let tool = self.tool_mut(index);
        if tool.uri == uri && tool.hash == hash {
            return CallResult::returns([]);
        }
        tool.uri = uri.to_vec();
        tool.hash = hash;
        let topics = vec![ToolMetadataUpdated::SIGNATURE_HASH, id.into()];
        CallResult::returns_with_log([], self.address, topics, abi::uri_and_hash(uri, hash))
    }

    fn set_predicate(
        &mut self,
        from: Address,
        id: U256,
        predicate: Address,
        others: &impl ExternalContracts,
    ) -> CallResult {
        let index = match self.own_tool(from, id) {
            Err(revert) => return revert,
            Ok(index) => index,
        };
        if self.tool_mut(index).predicate == predicate {
            return CallResult::returns([]);
        }
        if let Some(revert) = check_predicate(predicate, others) {
            return revert;
        }
        self.tool_mut(index).predicate = predicate;
        let topics = vec![
            AccessPredicateUpdated::SIGNATURE_HASH,
            id.into(),
            predicate.into_word(),
        ];
        CallResult::returns_with_log([], self.address, topics, [])
    }

    /* HELPERS */

    /// The index of a tool, deregistered or not.
    fn index(&self, id: U256) -> Option<usize> {
        let index = usize::try_from(id).ok()?.checked_sub(1)?;
        (index < self.tools.len()).then_some(index)
    }

    /// The index of a registered tool that `from` created.
    fn own_tool(&self, from: Address, id: U256) -> Result<usize, CallResult> {
        if self.tool(id)?.creator != from {
            return Err(CallResult::reverts(&NotToolCreator {
                toolId: id,
                caller: from,
            }));
        }
        Ok(self.index(id).expect("a registered tool has an index"))
    }

    fn tool_mut(&mut self, index: usize) -> &mut Tool {
        let tool = self.tools[index].as_mut();
        tool.expect("`own_tool` returns indices of registered tools")
    }
}

fn check_metadata(uri: &[u8], hash: B256) -> Option<CallResult> {
    if uri.is_empty() || uri.len() > MAX_URI_BYTES {
        return Some(CallResult::reverts(&InvalidMetadataURI {}));
    }
    hash.is_zero()
        .then(|| CallResult::reverts(&InvalidManifestHash {}))
}

/// Accepts the zero address, accounts without code and contracts without ERC-165. A contract with ERC-165 must support
/// `IAccessPredicate`.
fn check_predicate(predicate: Address, others: &impl ExternalContracts) -> Option<CallResult> {
    let is_probed = !predicate.is_zero() && others.has_code(predicate);
    let is_rejected = is_probed
        && others.supports(predicate, ERC165_ID)
        && !others.supports(predicate, ACCESS_PREDICATE_ID);
    is_rejected.then(|| CallResult::reverts(&InvalidAccessPredicate { predicate }))
}
