//! The predicates of this project. Each module contains all code that is specific to one predicate; the list of
//! predicates is [`for_each_predicate`].

pub mod access_proof;
pub mod always_deny;
pub mod composite;
pub mod erc1155_owner;
pub mod erc20_balance;
pub mod erc721_owner;
pub mod merkle_allowlist;
pub mod subscription;
pub mod trait_gated;

mod gas;
mod info;
mod measure;
mod reader;
mod stipend;
mod token;
mod warning;

use alloy_primitives::{Address, U256};
use atr_bindings::{CompositePredicate, ERC721OwnerPredicate, PredicateKind, for_each_predicate};
use serde::{Serialize, Serializer, ser::SerializeMap};

pub use self::{
    gas::PredicateGas,
    info::{PredicateInfo, PredicateWarning},
    measure::{MeasuredCall, Measurement, PREDICATE_GAS_LIMIT, StipendMeasurement, TokenMismatch},
    stipend::{Stipends, TokenCall, TokenCalls, TokenStandard},
    warning::ConfigurationWarning,
};
use self::{
    measure::with_margin,
    reader::{ConfigurationReader, ReadError},
};
use crate::{
    Call, Error, Registry, RequirementKind,
    abi::{AbiSlice, Malformed},
    revert_reason::decode_errors,
};

/// Constants and errors of a predicate. Implemented by its configuration, or by a marker type if it has none.
trait PredicateModule {
    /// Address in the public reference deployment.
    const REFERENCE_ADDRESS: Option<Address> = None;

    /// Decodes revert data of errors that only this predicate has, to the name and a message.
    fn decode_error(_data: &[u8]) -> Option<(&'static str, String)> {
        None
    }
}

/// The configuration of a predicate.
trait PredicateConfiguration: PredicateModule + Sized {
    /// The call that sets the configuration. Only the creator of the tool can send it.
    fn set_call(&self, predicate: Address, tool_id: U256) -> Call;

    /// Upper bound of the gas of [`Self::set_call`], to plan with before the tool exists.
    fn gas_limit(&self) -> u64;

    /// Describes the accounts with access, one line per entry.
    fn describe(&self) -> Vec<String>;

    /// The calls to other contracts when this account is checked; `None` if the predicate makes none.
    fn token_calls(&self, _account: Address) -> Option<TokenCalls> {
        None
    }

    /// The chosen stipend; `None` if the predicate has no stipend per tool.
    fn stipend(&mut self) -> Option<&mut Option<u64>> {
        None
    }

    /// Reads the configuration from a predicate, without the stipend.
    async fn read(reader: &ConfigurationReader<'_>, tool_id: U256) -> Result<Self, ReadError>;
}

macro_rules! define_configuration {
    (
        configurable { $(
            $module:ident, $kind:ident, $contract:ident, $code:ident, $artifact:literal, $reads_call_data:literal,
            [$($requirement:ident)?], $doc:literal;
        )* }
        stateless { $(
            $stateless_module:ident, $stateless_kind:ident, $stateless_contract:ident, $stateless_code:ident,
            $stateless_artifact:literal, $stateless_reads_call_data:literal, [$($stateless_requirement:ident)?],
            $stateless_doc:literal;
        )* }
    ) => {
        /// The configuration of a predicate for one tool.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(tag = "predicate", rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Configuration {
            $(#[doc = concat!("[`", stringify!($contract), "`](atr_bindings::", stringify!($contract), ")")]
            $kind($module::Configuration),)*
        }

        impl Configuration {
            /// The predicate that this configuration belongs to.
            #[must_use]
            pub const fn kind(&self) -> PredicateKind {
                match self {
                    $(Self::$kind(_) => PredicateKind::$kind,)*
                }
            }

            /// The call that sets the configuration. Only the creator of the tool can send it.
            #[must_use]
            pub fn set_call(&self, predicate: Address, tool_id: U256) -> Call {
                match self {
                    $(Self::$kind(configuration) => configuration.set_call(predicate, tool_id),)*
                }
            }

            /// Upper bound of the gas of [`Self::set_call`], to plan with before the tool exists.
            #[must_use]
            pub fn gas_limit(&self) -> u64 {
                match self {
                    $(Self::$kind(configuration) => configuration.gas_limit(),)*
                }
            }

            /// Describes the accounts with access, one line per entry.
            #[must_use]
            pub fn describe(&self) -> Vec<String> {
                match self {
                    $(Self::$kind(configuration) => configuration.describe(),)*
                }
            }

            /// The calls to other contracts when this account is checked; `None` if the predicate makes none.
            #[must_use]
            pub fn token_calls(&self, account: Address) -> Option<TokenCalls> {
                match self {
                    $(Self::$kind(configuration) => configuration.token_calls(account),)*
                }
            }

            /// The stipend that the creator chose (`None` inside: the default); `None` if the predicate has no stipend per tool.
            #[must_use]
            pub fn stipend(&mut self) -> Option<&mut Option<u64>> {
                match self {
                    $(Self::$kind(configuration) => configuration.stipend(),)*
                }
            }

            async fn read(
                kind: PredicateKind,
                reader: &ConfigurationReader<'_>,
                tool_id: U256,
            ) -> Result<Self, ReadError> {
                match kind {
                    $(PredicateKind::$kind => {
                        $module::Configuration::read(reader, tool_id).await.map(Self::$kind)
                    })*
                    $(PredicateKind::$stateless_kind => Err(ReadError::Invalid),)*
                }
            }
        }

        $(
            impl From<$module::Configuration> for Configuration {
                fn from(configuration: $module::Configuration) -> Self {
                    Self::$kind(configuration)
                }
            }
        )*

        /// Address of a predicate in the public reference deployment, which has only some of them.
        #[must_use]
        pub const fn reference_address(kind: PredicateKind) -> Option<Address> {
            match kind {
                $(PredicateKind::$kind => $module::Configuration::REFERENCE_ADDRESS,)*
                $(PredicateKind::$stateless_kind => $stateless_module::Module::REFERENCE_ADDRESS,)*
            }
        }

        /// Decodes the data of a requirement of this predicate's kind.
        pub(crate) fn decode_requirement(
            kind: PredicateKind,
            data: AbiSlice<'_>,
        ) -> Result<RequirementKind, Malformed> {
            match kind {
                $($(PredicateKind::$kind => {
                    let _ = atr_bindings::$requirement;
                    $module::Requirement::decode(data).map(Into::into)
                })?)*
                $($(PredicateKind::$stateless_kind => {
                    let _ = atr_bindings::$stateless_requirement;
                    $stateless_module::Requirement::decode(data).map(Into::into)
                })?)*
                #[allow(unreachable_patterns, reason = "reached by predicates without a requirement kind")]
                _ => Ok(RequirementKind::Other),
            }
        }

        /// Decodes revert data of any predicate to the error's name and a message.
        pub(crate) fn decode_error(data: &[u8]) -> Option<(&'static str, String)> {
            common_error(data)
                $(.or_else(|| $module::Configuration::decode_error(data)))*
                $(.or_else(|| $stateless_module::Module::decode_error(data)))*
        }
    };
}

for_each_predicate!(define_configuration);

impl Configuration {
    /// Whether an access check can use as much gas as with another configuration, so that a composite keeps the gas of its term.
    #[must_use]
    pub fn has_same_gas(&self, other: &Self) -> bool {
        let gas = |configuration: &Self| {
            let calls = configuration.token_calls(Address::ZERO);
            let calls = calls.map(|calls| {
                let units = calls.calls.iter().map(|call| call.units);
                (calls.default, calls.max, units.collect::<Vec<_>>())
            });
            let stipend = configuration.clone().stipend().map(|stipend| *stipend);
            (configuration.kind(), calls, stipend)
        };
        !matches!(self, Self::Composite(_)) && gas(self) == gas(other)
    }
}

/// Errors that several predicates share.
fn common_error(data: &[u8]) -> Option<(&'static str, String)> {
    decode_errors! { data;
        CompositePredicate::CallerIsNotToolCreator(e) =>
            format!("{} is not the creator of tool {}", e.caller, e.toolId);
        CompositePredicate::NotConfigured(e) => format!("the predicate is not configured for tool {}", e.toolId);
        CompositePredicate::CallFailed(e) => format!("the call to {} failed", e.target);
        CompositePredicate::NotEnoughGas(e) => format!("{} gas is needed for the next call", e.needed);
        CompositePredicate::CannotBeNegated(_) => "the predicate reads call data, so it must not be negated";
        CompositePredicate::CodeStoreFailed(_) => "the configuration could not be stored";
        CompositePredicate::RequirementsTooLarge(_) => "the requirements exceed the limits";
        CompositePredicate::ZeroRegistry(_) => "the registry is the zero address";
        ERC721OwnerPredicate::InvalidStipend(e) =>
            format!("a stipend of {} gas; it must be from {} to {}", e.stipend, e.min, e.max);
    }
}

/// The configuration stored in a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigurationState {
    /// The predicate is configured for the tool.
    Configured(Configuration),
    /// The predicate is not configured for the tool: access is unknown for every account.
    NotConfigured,
    /// The contract is not a known predicate, or returned invalid data.
    Unreadable,
}

impl Serialize for ConfigurationState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let status = match self {
            Self::Configured(configuration) => return configuration.serialize(serializer),
            Self::NotConfigured => "not-configured",
            Self::Unreadable => "unreadable",
        };
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("predicate", status)?;
        map.end()
    }
}

impl Registry {
    /// Reads the configuration of a predicate of this kind, for example of [`PredicateInfo::kind`]. The kind is a claim of the
    /// contract, so the result is untrusted.
    ///
    /// # Errors
    ///
    /// When an RPC request fails.
    pub async fn configuration(
        &self,
        predicate: Address,
        kind: PredicateKind,
        tool_id: U256,
    ) -> Result<ConfigurationState, Error> {
        let reader = ConfigurationReader::new(self.view_at(self.block().await?), predicate);
        if reader.is_not_configured(tool_id).await? {
            return Ok(ConfigurationState::NotConfigured);
        }
        let mut configuration = match Configuration::read(kind, &reader, tool_id).await {
            Ok(configuration) => configuration,
            Err(ReadError::Invalid) => return Ok(ConfigurationState::Unreadable),
            Err(ReadError::Rpc(error)) => return Err(error),
        };
        let default = configuration.token_calls(Address::ZERO);
        if let (Some(calls), Some(stipend)) = (default, configuration.stipend()) {
            let stipends = reader.stipends(tool_id).await?;
            *stipend = stipends.and_then(|stipends| stipends.chosen(calls.default));
        }
        Ok(ConfigurationState::Configured(configuration))
    }
}

fn or_empty(lines: Vec<String>) -> Vec<String> {
    if lines.is_empty() {
        return vec!["none: the list is empty, access is denied".to_owned()];
    }
    lines
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{B256, hex, keccak256};
    use alloy_sol_types::SolCall;

    use super::*;
    use crate::Logic;

    /// Every configuration, with the function that sets it without and with stipends.
    fn configurations() -> [(Configuration, &'static str, &'static str); 8] {
        let (address, id) = (Address::ZERO, U256::ONE);
        let term = composite::Term {
            predicate: address,
            negate: false,
        };
        [
            (
                erc721_owner::Configuration {
                    collections: vec![],
                    stipend: None,
                }
                .into(),
                "setCollections(uint256,address[])",
                "setCollections(uint256,address[],uint256)",
            ),
            (
                erc1155_owner::Configuration {
                    tokens: vec![],
                    stipend: None,
                }
                .into(),
                "setCollectionTokens(uint256,(address,uint256[])[])",
                "setCollectionTokens(uint256,(address,uint256[])[],uint256)",
            ),
            (
                subscription::Configuration {
                    collection: address,
                    min_tier: 1,
                    stipend: None,
                }
                .into(),
                "configureToolGating(uint256,address,uint8)",
                "configureToolGating(uint256,address,uint8,uint256)",
            ),
            (
                erc20_balance::Configuration {
                    token: address,
                    min_balance: id,
                    stipend: None,
                }
                .into(),
                "configureToolERC20(uint256,address,uint256)",
                "configureToolERC20(uint256,address,uint256,uint256)",
            ),
            (
                trait_gated::Configuration {
                    collection: address,
                    traits_contract: address,
                    trait_key: B256::ZERO,
                    allowed_values: vec![],
                    stipend: None,
                }
                .into(),
                "configureToolTrait(uint256,address,address,bytes32,bytes32[])",
                "configureToolTrait(uint256,address,address,bytes32,bytes32[],uint256)",
            ),
            (
                access_proof::Configuration { stipend: None }.into(),
                "setStipend(uint256,uint256)",
                "setStipend(uint256,uint256)",
            ),
            (
                merkle_allowlist::Configuration { root: B256::ZERO }.into(),
                "setAllowlistRoot(uint256,bytes32)",
                "setAllowlistRoot(uint256,bytes32)",
            ),
            (
                composite::Configuration::flat(Logic::Any, [term]).into(),
                "setComposition(uint256,uint8,(address,bool)[])",
                "setClauses(uint256,uint8,(address,bool)[][],uint256[])",
            ),
        ]
    }

    #[test]
    fn set_calls_have_the_published_selectors() {
        let configurations = configurations();
        let check = |configuration: &Configuration, signature: &str| {
            let call = configuration.set_call(Address::ZERO, U256::ONE);
            assert_eq!(
                hex::encode(&call.data[..4]),
                hex::encode(&keccak256(signature)[..4]),
                "{signature}"
            );
            assert!(
                call.description.ends_with(" for tool 1"),
                "{}",
                call.description
            );
        };
        let count = configurations.len();
        for (mut configuration, default, chosen) in configurations {
            check(&configuration, default);
            match &mut configuration {
                Configuration::Composite(composite) => composite.term_gas = vec![3_000],
                other => {
                    if let Some(stipend) = other.stipend() {
                        *stipend = Some(20_000);
                    }
                }
            }
            check(&configuration, chosen);
        }
        let configurable = PredicateKind::ALL
            .into_iter()
            .filter(|kind| kind.is_configurable());
        assert_eq!(count, configurable.count());
    }

    #[test]
    fn the_gas_of_a_configuration_follows_from_its_calls_and_stipend() {
        let erc721 = |count: usize, stipend| {
            let collections = vec![Address::repeat_byte(count as u8); count];
            Configuration::from(erc721_owner::Configuration {
                collections,
                stipend,
            })
        };
        let erc20 = |min_balance: u64| {
            Configuration::from(erc20_balance::Configuration {
                token: Address::ZERO,
                min_balance: U256::from(min_balance),
                stipend: None,
            })
        };
        assert!(erc20(1).has_same_gas(&erc20(2)));
        assert!(!erc20(1).has_same_gas(&erc721(1, None)));
        assert!(!erc721(1, None).has_same_gas(&erc721(2, None)));
        assert!(!erc721(1, None).has_same_gas(&erc721(1, Some(20_000))));
    }

    #[test]
    fn a_composition_with_clauses_is_set_with_clauses() {
        let term = |byte, negate| composite::Term {
            predicate: Address::repeat_byte(byte),
            negate,
        };
        let configuration = composite::Configuration {
            logic: Logic::All,
            clauses: vec![vec![term(1, false), term(2, false)], vec![term(3, true)]],
            term_gas: vec![],
        };
        let call = configuration.set_call(Address::ZERO, U256::ONE);
        let call = CompositePredicate::setClausesCall::abi_decode(&call.data).unwrap();
        let clauses: Vec<_> = call.clauses.iter().map(Vec::len).collect();
        assert_eq!((call.op, clauses, call.stipends.len()), (0, vec![2, 1], 0));
        assert!(call.clauses[1][0].negate);
    }

    #[test]
    fn every_error_of_the_predicates_has_a_message() {
        for kind in PredicateKind::ALL {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../bindings/artifacts");
            let path = format!("{folder}/{}.json", kind.name());
            let artifact: serde_json::Value =
                serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            let entries = artifact["abi"].as_array().unwrap().iter();
            for error in entries.filter(|entry| entry["type"] == "error") {
                let name = error["name"].as_str().unwrap();
                let inputs = error["inputs"].as_array().unwrap();
                let types: Vec<_> = inputs
                    .iter()
                    .map(|input| input["type"].as_str().unwrap())
                    .collect();
                let selector = &keccak256(format!("{name}({})", types.join(",")))[..4];
                let data = [selector, &vec![0; 32 * types.len()]].concat();
                let reason = crate::RevertReason::decode(data.into(), "");
                assert_eq!(reason.error, Some(name), "{kind:?}");
            }
        }
    }

    #[test]
    fn a_state_without_a_configuration_serializes_its_name() {
        let json = serde_json::to_string(&ConfigurationState::NotConfigured).unwrap();
        assert_eq!(json, r#"{"predicate":"not-configured"}"#);
        let mut list = erc721_owner::Configuration {
            collections: vec![],
            stipend: None,
        };
        let state = ConfigurationState::Configured(list.clone().into());
        let json = serde_json::to_string(&state).unwrap();
        assert_eq!(json, r#"{"predicate":"erc721","collections":[]}"#);
        list.stipend = Some(20_000);
        let state = ConfigurationState::Configured(list.into());
        let json = serde_json::to_string(&state).unwrap();
        assert_eq!(
            json,
            r#"{"predicate":"erc721","collections":[],"stipend":20000}"#
        );
    }
}
