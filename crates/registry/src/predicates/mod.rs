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

mod info;
mod reader;

use alloy_primitives::{Address, U256};
use atr_bindings::{CompositePredicate, PredicateKind, for_each_predicate};
use serde::{Serialize, Serializer, ser::SerializeMap};

pub use self::info::{PredicateInfo, PredicateWarning};
use self::reader::{ConfigurationReader, ReadError};
use crate::{
    Call, Error, Registry, RequirementKind,
    abi::{AbiSlice, Malformed},
    transaction::decode_errors,
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

    /// Reads the configuration from a predicate.
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

/// Errors that several predicates share.
fn common_error(data: &[u8]) -> Option<(&'static str, String)> {
    decode_errors! { data;
        CompositePredicate::CallerIsNotToolCreator(e) =>
            format!("{} is not the creator of tool {}", e.caller, e.toolId);
        CompositePredicate::NotConfigured(e) => format!("the predicate is not configured for tool {}", e.toolId);
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
        match Configuration::read(kind, &reader, tool_id).await {
            Ok(configuration) => Ok(ConfigurationState::Configured(configuration)),
            Err(ReadError::Invalid) => Ok(ConfigurationState::Unreadable),
            Err(ReadError::Rpc(error)) => Err(error),
        }
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

    use super::*;
    use crate::Logic;

    #[test]
    fn set_calls_have_the_published_selectors() {
        let (address, id) = (Address::ZERO, U256::ONE);
        let configurations: [(Configuration, &str); 7] = [
            (
                erc721_owner::Configuration {
                    collections: vec![],
                }
                .into(),
                "setCollections(uint256,address[])",
            ),
            (
                erc1155_owner::Configuration { tokens: vec![] }.into(),
                "setCollectionTokens(uint256,(address,uint256[])[])",
            ),
            (
                subscription::Configuration {
                    collection: address,
                    min_tier: 1,
                }
                .into(),
                "configureToolGating(uint256,address,uint8)",
            ),
            (
                erc20_balance::Configuration {
                    token: address,
                    min_balance: id,
                }
                .into(),
                "configureToolERC20(uint256,address,uint256)",
            ),
            (
                trait_gated::Configuration {
                    collection: address,
                    traits_contract: address,
                    trait_key: B256::ZERO,
                    allowed_values: vec![],
                }
                .into(),
                "configureToolTrait(uint256,address,address,bytes32,bytes32[])",
            ),
            (
                merkle_allowlist::Configuration { root: B256::ZERO }.into(),
                "setAllowlistRoot(uint256,bytes32)",
            ),
            (
                composite::Configuration {
                    logic: Logic::Any,
                    terms: vec![],
                }
                .into(),
                "setComposition(uint256,uint8,(address,bool)[])",
            ),
        ];
        for (configuration, signature) in &configurations {
            let call = configuration.set_call(address, id);
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
        }
        let configurable = PredicateKind::ALL
            .into_iter()
            .filter(|kind| kind.is_configurable());
        assert_eq!(configurations.len(), configurable.count());
    }

    #[test]
    fn a_state_without_a_configuration_serializes_its_name() {
        let json = serde_json::to_string(&ConfigurationState::NotConfigured).unwrap();
        assert_eq!(json, r#"{"predicate":"not-configured"}"#);
        let list = erc721_owner::Configuration {
            collections: vec![],
        };
        let json = serde_json::to_string(&ConfigurationState::Configured(list.into())).unwrap();
        assert_eq!(json, r#"{"predicate":"erc721","collections":[]}"#);
    }
}
