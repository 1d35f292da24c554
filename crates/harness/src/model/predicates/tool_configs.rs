//! Per-tool configuration.

use std::{collections::BTreeMap, fmt};

use alloy_primitives::{Address, LogData, U256, keccak256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use atr_bindings::{
    CompositePredicate::{CallerIsNotToolCreator, NotConfigured},
    ERC721OwnerPredicate::{StipendSet, gasNeededCall, getStipendsCall},
};

use super::{
    ModelResult, Predicate, Requirements, Slots, Stored, predicate::emits, stipends::Stipends,
};
use crate::model::{CallResult, Context, Registry, calldata::Arguments};

/// The configurations of all tools of one predicate.
#[derive(Clone, Debug)]
pub struct ToolConfigs<T> {
    pub(super) predicate: Address,
    pub(super) registry: Address,
    by_tool: BTreeMap<U256, T>,
}

impl<T> ToolConfigs<T> {
    /// Without configuration.
    #[must_use]
    pub const fn new(predicate: Address, registry: Address) -> Self {
        Self {
            predicate,
            registry,
            by_tool: BTreeMap::new(),
        }
    }

    pub(super) fn get(&self, id: U256) -> Option<&T> {
        self.by_tool.get(&id)
    }

    /// The configuration; reverts with `NotConfigured` if there is none.
    pub(super) fn require(&self, id: U256) -> Result<&T, CallResult> {
        self.get(id)
            .ok_or_else(|| CallResult::reverts(&NotConfigured { toolId: id }))
    }

    /// The storage: Solidity's layout of mappings in the given slots.
    pub(super) fn slots(&self, stored: impl Fn(&T) -> Vec<(u64, Stored)>) -> Slots {
        let mut slots = Slots::new();
        for (id, config) in &self.by_tool {
            for (mapping, stored) in stored(config) {
                let slot = keccak256((*id, U256::from(mapping)).abi_encode());
                slots.insert(slot.into(), stored);
            }
        }
        slots
    }

    /// Stores a configuration and emits events.
    pub(super) fn set(&mut self, id: U256, config: T, events: Vec<LogData>) -> CallResult {
        self.by_tool.insert(id, config);
        emits(self.predicate, events)
    }
}

/// Reverts unless the caller created the tool, which must be registered.
pub(super) fn require_creator(
    registry: &Registry,
    id: U256,
    caller: Address,
) -> Result<(), CallResult> {
    match registry.tool(id)?.creator == caller {
        true => Ok(()),
        false => Err(CallResult::reverts(&CallerIsNotToolCreator {
            toolId: id,
            caller,
        })),
    }
}

/// The calldata of a setter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setter<'a> {
    pub(super) arguments: Arguments<'a>,
    /// The last argument of the overload that takes a stipend.
    pub(super) stipend: Option<U256>,
}

impl<'a> Setter<'a> {
    /// Splits the calldata of a setter with `arguments` arguments, or of its overload with a stipend after them.
    pub(super) fn of<Plain: SolCall, Chosen: SolCall>(
        data: &'a [u8],
        arguments: usize,
    ) -> Option<Self> {
        let (selector, call) = Arguments::split(data)?;
        let stipend = match selector {
            found if found == Plain::SELECTOR => None,
            found if found == Chosen::SELECTOR => Some(call.number(arguments)?),
            _ => return None,
        };
        Some(Self {
            arguments: call,
            stipend,
        })
    }
}

/// The configuration of a tool, of a predicate that is nothing but its configurations.
pub(super) trait ToolConfig: Clone + fmt::Debug + 'static {
    /// The decoded arguments of the setter.
    type Input;

    /// `name()`.
    const NAME: &'static str;

    /// Whether the predicate supports `IReadsCallData`.
    const READS_DATA: bool = false;

    /// Decodes the setter: the tool, the arguments, and the chosen stipend.
    fn decode(data: &[u8]) -> Option<(U256, Self::Input, Option<U256>)>;

    /// Checks the arguments in the order of the contract.
    ///
    /// # Errors
    ///
    /// The revert.
    fn validate(
        input: Self::Input,
        stipend: U256,
        context: Context<'_>,
    ) -> Result<Self, CallResult>;

    /// The event of the setter.
    fn event(&self, id: U256) -> LogData;

    /// `hasAccess` of a configured tool.
    ///
    /// # Errors
    ///
    /// The revert, if the result is unknown.
    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult>;

    /// `getRequirements` of a configured tool.
    fn requirements(&self) -> Requirements;

    /// `getStipends`; none for a predicate that calls no other contract.
    fn stipends(&self) -> Option<Stipends>;

    /// `gasNeeded`.
    fn gas_needed(&self) -> u64;

    /// The slots, by the slot of their mapping.
    fn stored(&self) -> Vec<(u64, Stored)>;

    /// Any other view function; none if the selector is unknown.
    fn view(
        configs: &ToolConfigs<Self>,
        selector: [u8; 4],
        arguments: Arguments<'_>,
        context: Context<'_>,
    ) -> Option<ModelResult>;
}

impl<C: ToolConfig> Predicate for ToolConfigs<C> {
    fn name(&self) -> &'static str {
        C::NAME
    }

    fn registry(&self) -> Option<Address> {
        Some(self.registry)
    }

    fn reads_data(&self) -> bool {
        C::READS_DATA
    }

    fn has_access(
        &self,
        id: U256,
        account: Address,
        data: &[u8],
        context: Context<'_>,
    ) -> Result<bool, CallResult> {
        let config = self.require(id)?;
        for (_, stored) in config.stored() {
            if let Stored::WithList(_, words) = stored {
                context.record_list(words.len());
            }
        }
        config.has_access(id, account, data, context)
    }

    fn requirements(&self, id: U256, _: Context<'_>) -> Result<Requirements, CallResult> {
        self.require(id).map(C::requirements)
    }

    fn slots(&self) -> Slots {
        self.slots(C::stored)
    }

    fn view(&self, data: &[u8], context: Context<'_>) -> Option<ModelResult> {
        let (selector, arguments) = Arguments::split(data)?;
        let is_stipend = [getStipendsCall::SELECTOR, gasNeededCall::SELECTOR].contains(&selector);
        if !is_stipend {
            return C::view(self, selector, arguments, context);
        }
        let config = match self.require(arguments.number(0)?) {
            Ok(config) => config,
            Err(revert) => return Some(Err(revert)),
        };
        let returned = match selector {
            getStipendsCall::SELECTOR => stipends_view(config.stipends()?),
            _ => U256::from(config.gas_needed()).abi_encode(),
        };
        Some(Ok(CallResult::returns(returned)))
    }

    fn configure(
        &mut self,
        from: Address,
        data: &[u8],
        registry: &Registry,
        context: Context<'_>,
    ) -> ModelResult {
        let (id, input, stipend) = C::decode(data).ok_or_else(CallResult::reverts_without_data)?;
        require_creator(registry, id, from)?;
        let config = C::validate(input, stipend.unwrap_or_default(), context)?;
        let mut events = vec![config.event(id)];
        events.extend(stipend.map(|stipend| stipend_set(id, stipend)));
        Ok(self.set(id, config, events))
    }
}

/// What `getStipends` returns.
pub(super) fn stipends_view(stipends: Stipends) -> Vec<u8> {
    let Stipends { first, retry } = stipends;
    (U256::from(first), U256::from(retry)).abi_encode()
}

pub(super) fn stipend_set(id: U256, stipend: U256) -> LogData {
    let event = StipendSet {
        toolId: id,
        stipend,
    };
    event.encode_log_data()
}
