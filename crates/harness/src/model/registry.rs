//! The registry: a list of tools.

mod gas;

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

use super::{Answer, Others, Reply, abi, calldata::Arguments};

/// Longest URI, in bytes.
const MAX_URI_BYTES: usize = 2_048;

/// A tool that was not removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Who registered it.
    pub creator: Address,
    /// Where its manifest is; any bytes.
    pub uri: Vec<u8>,
    /// The hash of its manifest.
    pub hash: B256,
    /// Who decides; zero for everyone.
    pub predicate: Address,
}

/// All tools, in order of their ids from 1 on; none for a removed one.
#[derive(Clone, Debug)]
pub struct Registry {
    address: Address,
    tools: Vec<Option<Tool>>,
}

impl Registry {
    /// The empty registry at this address.
    #[must_use]
    pub const fn new(address: Address) -> Self {
        Self {
            address,
            tools: Vec::new(),
        }
    }

    /// All tools, in order of their ids from 1 on; none for a removed one.
    #[must_use]
    pub fn tools(&self) -> &[Option<Tool>] {
        &self.tools
    }

    /// How many ids were given.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.tools.len() as u64
    }

    /// The tool of this id, or the error of asking for it.
    ///
    /// # Errors
    ///
    /// `ToolNotFound` or `ToolIsDeregistered`.
    pub fn tool(&self, id: U256) -> Result<&Tool, Reply> {
        match self.index(id).map(|index| &self.tools[index]) {
            None => Err(Reply::reverts(&ToolNotFound { toolId: id })),
            Some(None) => Err(Reply::reverts(&ToolIsDeregistered { toolId: id })),
            Some(Some(tool)) => Ok(tool),
        }
    }

    /// What the registry says about an account and a tool.
    ///
    /// # Errors
    ///
    /// As [`Registry::tool`].
    pub fn answer(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        others: &impl Others,
    ) -> Result<Answer, Reply> {
        let predicate = self.tool(id)?.predicate;
        if predicate.is_zero() {
            return Ok(Answer::Yes);
        }
        let question = IAccessPredicate::hasAccessCall {
            toolId: id,
            account,
            data: data.to_vec().into(),
        };
        Ok(others.answer(predicate, &question.abi_encode()))
    }

    /// Makes a call. With ether, or with calldata that is none of ours, nothing happens.
    pub fn call(&mut self, from: Address, value: U256, data: &[u8], others: &impl Others) -> Reply {
        let known = value.is_zero().then(|| self.dispatch(from, data, others));
        known.flatten().unwrap_or_else(Reply::reverts_silently)
    }

    fn dispatch(&mut self, from: Address, data: &[u8], others: &impl Others) -> Option<Reply> {
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
                Ok(tool) => Reply::returns(abi::tool_config(
                    tool.creator,
                    &tool.uri,
                    tool.hash,
                    tool.predicate,
                )),
                Err(refusal) => refusal,
            },
            hasAccessCall::SELECTOR | tryHasAccessCall::SELECTOR => {
                let arguments = arguments.require_words(3)?;
                let (id, account) = (arguments.number(0)?, arguments.address(1)?);
                match self.answer(id, account, arguments.bytes(2)?, others) {
                    Ok(answer) if selector == hasAccessCall::SELECTOR => {
                        Reply::returns((answer == Answer::Yes).abi_encode())
                    }
                    Ok(answer) => Reply::returns(answer.as_pair().abi_encode()),
                    Err(refusal) => refusal,
                }
            }
            toolCountCall::SELECTOR => Reply::returns(abi::number(self.tools.len())),
            nameCall::SELECTOR => Reply::returns("ToolRegistry".abi_encode()),
            versionCall::SELECTOR => Reply::returns("1.0".abi_encode()),
            supportsInterfaceCall::SELECTOR => {
                let id = arguments.bytes4(0)?;
                Reply::returns((id == TOOL_REGISTRY_ID || id == ERC165_ID).abi_encode())
            }
            _ => return None,
        })
    }

    /* CHANGING TOOLS */

    fn register(
        &mut self,
        from: Address,
        uri: &[u8],
        hash: B256,
        predicate: Address,
        others: &impl Others,
    ) -> Reply {
        let refusal = refuse_metadata(uri, hash).or_else(|| refuse_predicate(predicate, others));
        if let Some(refusal) = refusal {
            return refusal;
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
        Reply::returns_after(id, self.address, topics, abi::uri_and_hash(uri, hash))
    }

    fn deregister(&mut self, from: Address, id: U256) -> Reply {
        match self.tool_of(from, id) {
            Err(refusal) => refusal,
            Ok(index) => {
                self.tools[index] = None;
                let topics = vec![ToolDeregistered::SIGNATURE_HASH, id.into()];
                Reply::returns_after([], self.address, topics, [])
            }
        }
    }

    fn update(&mut self, from: Address, id: U256, uri: &[u8], hash: B256) -> Reply {
        let index = match self.tool_of(from, id) {
            Err(refusal) => return refusal,
            Ok(index) => index,
        };
        if let Some(refusal) = refuse_metadata(uri, hash) {
            return refusal;
        }
        let tool = self.live(index);
        if tool.uri == uri && tool.hash == hash {
            return Reply::returns([]);
        }
        tool.uri = uri.to_vec();
        tool.hash = hash;
        let topics = vec![ToolMetadataUpdated::SIGNATURE_HASH, id.into()];
        Reply::returns_after([], self.address, topics, abi::uri_and_hash(uri, hash))
    }

    fn set_predicate(
        &mut self,
        from: Address,
        id: U256,
        predicate: Address,
        others: &impl Others,
    ) -> Reply {
        let index = match self.tool_of(from, id) {
            Err(refusal) => return refusal,
            Ok(index) => index,
        };
        if self.live(index).predicate == predicate {
            return Reply::returns([]);
        }
        if let Some(refusal) = refuse_predicate(predicate, others) {
            return refusal;
        }
        self.live(index).predicate = predicate;
        let topics = vec![
            AccessPredicateUpdated::SIGNATURE_HASH,
            id.into(),
            predicate.into_word(),
        ];
        Reply::returns_after([], self.address, topics, [])
    }

    /* PARTS */

    /// Where the tool of this id stands in the list, if there ever was one.
    fn index(&self, id: U256) -> Option<usize> {
        let index = usize::try_from(id).ok()?.checked_sub(1)?;
        (index < self.tools.len()).then_some(index)
    }

    /// The same, if it is live and `from` created it.
    fn tool_of(&self, from: Address, id: U256) -> Result<usize, Reply> {
        if self.tool(id)?.creator != from {
            return Err(Reply::reverts(&NotToolCreator {
                toolId: id,
                caller: from,
            }));
        }
        Ok(self.index(id).expect("a tool that is there has a place"))
    }

    fn live(&mut self, index: usize) -> &mut Tool {
        let tool = self.tools[index].as_mut();
        tool.expect("`tool_of` gives places of live tools")
    }
}

fn refuse_metadata(uri: &[u8], hash: B256) -> Option<Reply> {
    if uri.is_empty() || uri.len() > MAX_URI_BYTES {
        return Some(Reply::reverts(&InvalidMetadataURI {}));
    }
    hash.is_zero()
        .then(|| Reply::reverts(&InvalidManifestHash {}))
}

/// The five steps: zero, no code, no ERC-165 or a no are accepted; after a yes it must claim to be a predicate.
fn refuse_predicate(predicate: Address, others: &impl Others) -> Option<Reply> {
    let asked = !predicate.is_zero() && others.has_code(predicate);
    let refused = asked
        && others.claims(predicate, ERC165_ID)
        && !others.claims(predicate, ACCESS_PREDICATE_ID);
    refused.then(|| Reply::reverts(&InvalidAccessPredicate { predicate }))
}
