//! Selection of a tool's access predicate.

use alloy_primitives::{Address, B256, U256};
use atr_bindings::ERC721_OWNER_PREDICATE;
use atr_deploy::Suite;
use atr_registry::{
    Call, PredicateInfo, PredicateWarning, REFERENCE_REGISTRY, Registry, predicates,
    reference_predicates,
};

use crate::{args::AddressArg, error::Error};

#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Access predicate (default: open to everyone)")]
pub(crate) struct AccessPredicateArgs {
    /// Access predicate of the tool
    #[arg(long, value_name = "ADDRESS", conflicts_with = "nft_gate")]
    access_predicate: Option<AddressArg>,

    /// Grant access to holders of an ERC-721 collection; with several, of any [repeatable]
    ///
    /// Uses the ERC721OwnerPredicate of the registry and configures it after the registration.
    #[arg(long, value_name = "COLLECTION")]
    nft_gate: Vec<AddressArg>,
}

/// A predicate with its properties; `info` is `None` for an open tool.
#[derive(Debug)]
pub(crate) struct SelectedPredicate {
    pub(crate) info: Option<PredicateInfo>,
    pub(crate) warnings: Vec<PredicateWarning>,
    collections: Vec<Address>,
}

impl AccessPredicateArgs {
    /// Fetches the selected predicate; an error if it belongs to another registry.
    pub(crate) async fn fetch(&self, registry: &Registry) -> eyre::Result<SelectedPredicate> {
        let collections: Vec<_> = self.nft_gate.iter().map(|address| address.0).collect();
        let predicate = if collections.is_empty() {
            self.access_predicate.map(|address| address.0)
        } else {
            Some(default_predicate(
                registry.address(),
                ERC721_OWNER_PREDICATE.name(),
            ))
        };
        let predicate = SelectedPredicate::fetch(registry, predicate, collections).await?;
        match &predicate.info {
            Some(info) if !predicate.collections.is_empty() && !info.has_code => {
                Err(Error::PredicateNotDeployed {
                    contract: ERC721_OWNER_PREDICATE.name(),
                    address: info.address,
                    registry: registry.address(),
                }
                .into())
            }
            _ => Ok(predicate),
        }
    }
}

impl SelectedPredicate {
    /// Fetches a predicate; an error if it belongs to another registry, whose tools have the same ids.
    pub(crate) async fn fetch(
        registry: &Registry,
        predicate: Option<Address>,
        collections: Vec<Address>,
    ) -> eyre::Result<Self> {
        let Some(predicate) = predicate else {
            return Ok(Self {
                info: None,
                warnings: Vec::new(),
                collections,
            });
        };
        let info = registry.predicate(predicate).await?;
        let warnings = info.warnings(registry.address());
        for warning in &warnings {
            if let PredicateWarning::ServesAnother { registry: other } = warning {
                return Err(Error::PredicateOfOtherRegistry {
                    predicate,
                    other: *other,
                    registry: registry.address(),
                }
                .into());
            }
        }
        Ok(Self {
            info: Some(info),
            warnings,
            collections,
        })
    }

    pub(crate) fn address(&self) -> Option<Address> {
        self.info.as_ref().map(|info| info.address)
    }

    /// The call that configures the predicate with `--nft-gate`.
    pub(crate) fn configure_call(&self, tool_id: U256) -> Option<Call> {
        let collections = self.collections.clone();
        let predicate = self.address().filter(|_| !collections.is_empty())?;
        Some(predicates::set_collections(predicate, tool_id, collections))
    }

    /// Upper bound of the gas of [`Self::configure_call`].
    pub(crate) const fn configure_gas(&self) -> u64 {
        predicates::set_collections_gas(self.collections.len())
    }

    /// The command equivalent to [`Self::configure_call`].
    pub(crate) fn configure_command(&self, tool: &str) -> String {
        let collections = self.collections.iter();
        let collections = collections.map(|address| format!(" --collection {address}"));
        format!(
            "atr predicate set-erc721 {tool}{}",
            collections.collect::<String>()
        )
    }

    /// Description without properties.
    pub(crate) fn describe(predicate: Option<Address>) -> String {
        predicate.map_or_else(
            || "none: open to everyone".to_owned(),
            |address| address.to_string(),
        )
    }

    /// Description in a plan.
    pub(crate) fn description(&self) -> String {
        let Some(info) = &self.info else {
            return Self::describe(None);
        };
        let holders = match self.collections.len() {
            0 => String::new(),
            1 => ", for holders of 1 collection".to_owned(),
            count => format!(", for holders of any of {count} collections"),
        };
        info.title() + &holders
    }
}

/// Address of the predicate `name` of a registry: the reference predicate for the reference registry if there is one, else the
/// one that `atr deploy` deploys.
pub(crate) fn default_predicate(registry: Address, name: &str) -> Address {
    let reference = reference_predicates();
    let known = reference.iter().find(|(contract, _)| *contract == name);
    match known {
        Some((_, address)) if registry == REFERENCE_REGISTRY => *address,
        _ => {
            let suite = Suite::for_registry(B256::ZERO, registry);
            let target = suite.targets().iter().find(|target| target.name() == name);
            target.expect("the suite has all predicates").address()
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::address;

    use super::*;

    #[test]
    fn default_predicates_depend_on_the_registry() {
        let reference = default_predicate(REFERENCE_REGISTRY, "ERC721OwnerPredicate");
        assert_eq!(
            reference,
            address!("0xc8721c9A776958FfFfEb602DA1b708bf1D318379")
        );
        let suite = Suite::new(B256::ZERO);
        let ours = default_predicate(suite.registry(), "ERC721OwnerPredicate");
        let deployed = suite
            .targets()
            .iter()
            .find(|target| target.name() == "ERC721OwnerPredicate");
        assert_eq!(
            ours,
            deployed.unwrap().address(),
            "the one `atr deploy` deploys"
        );
        assert_ne!(
            ours,
            default_predicate(Address::repeat_byte(1), "ERC721OwnerPredicate")
        );
    }
}
