//! Who is to decide on access.

use alloy_primitives::{Address, B256, U256};
use atr_bindings::ERC721_OWNER_PREDICATE;
use atr_deploy::Suite;
use atr_registry::{
    Call, PredicateInfo, PredicateWarning, REFERENCE_REGISTRY, Registry, predicates,
    reference_predicates,
};

use crate::{args::Account, error::Error};

/// The gate of a tool, on the command line.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Gate (open to everyone without one)")]
pub(crate) struct GateArgs {
    /// Predicate that decides who may call the tool
    #[arg(long, value_name = "ADDRESS", conflicts_with = "nft_gate")]
    access_predicate: Option<Account>,

    /// ERC-721 collection whose holders may call the tool; with several, holders of any [repeatable]
    ///
    /// The ERC721OwnerPredicate of the registry is used, and set up in the same go.
    #[arg(long, value_name = "COLLECTION")]
    nft_gate: Vec<Account>,
}

/// A gate that was looked at.
#[derive(Debug)]
pub(crate) struct Gate {
    /// What is known of the predicate; none leaves the tool open.
    pub(crate) facts: Option<PredicateInfo>,
    /// What is known of it that one should know.
    pub(crate) warnings: Vec<PredicateWarning>,
    collections: Vec<Address>,
}

impl GateArgs {
    /// Looks at the predicate that was asked for. One that serves another registry is refused: its tools are others.
    pub(crate) async fn look(&self, registry: &Registry) -> eyre::Result<Gate> {
        let collections: Vec<_> = self.nft_gate.iter().map(|account| account.0).collect();
        let predicate = if collections.is_empty() {
            self.access_predicate.map(|account| account.0)
        } else {
            Some(known_predicate(
                registry.address(),
                ERC721_OWNER_PREDICATE.name(),
            ))
        };
        let gate = Gate::look(registry, predicate, collections).await?;
        match &gate.facts {
            Some(facts) if !gate.collections.is_empty() && !facts.has_code => {
                Err(Error::NoPredicate {
                    contract: ERC721_OWNER_PREDICATE.name(),
                    address: facts.address,
                    registry: registry.address(),
                }
                .into())
            }
            _ => Ok(gate),
        }
    }
}

impl Gate {
    /// Looks at a predicate; none leaves the tool open.
    pub(crate) async fn look(
        registry: &Registry,
        predicate: Option<Address>,
        collections: Vec<Address>,
    ) -> eyre::Result<Self> {
        let Some(predicate) = predicate else {
            return Ok(Self {
                facts: None,
                warnings: Vec::new(),
                collections,
            });
        };
        let facts = registry.predicate(predicate).await?;
        let warnings = facts.warnings(registry.address());
        for warning in &warnings {
            if let PredicateWarning::ServesAnother { registry: other } = warning {
                return Err(Error::PredicateOfAnother {
                    predicate,
                    other: *other,
                    registry: registry.address(),
                }
                .into());
            }
        }
        Ok(Self {
            facts: Some(facts),
            warnings,
            collections,
        })
    }

    pub(crate) fn predicate(&self) -> Option<Address> {
        self.facts.as_ref().map(|facts| facts.address)
    }

    /// The call that sets the predicate up for a tool, if it has to be.
    pub(crate) fn set_up(&self, tool_id: U256) -> Option<Call> {
        let collections = self.collections.clone();
        let predicate = self.predicate().filter(|_| !collections.is_empty())?;
        Some(predicates::set_collections(predicate, tool_id, collections))
    }

    /// Gas that takes at most.
    pub(crate) const fn set_up_gas(&self) -> u64 {
        predicates::set_collections_gas(self.collections.len())
    }

    /// The command that does the same, should it have to be done later.
    pub(crate) fn set_up_command(&self, tool: &str) -> String {
        let collections = self.collections.iter();
        let collections = collections.map(|address| format!(" --collection {address}"));
        format!(
            "atr predicate set-erc721 {tool}{}",
            collections.collect::<String>()
        )
    }

    /// A gate that was not looked at, in a few words.
    pub(crate) fn describe(predicate: Option<Address>) -> String {
        predicate.map_or_else(
            || "none: open to everyone".to_owned(),
            |address| address.to_string(),
        )
    }

    /// What a person reads of it in a plan.
    pub(crate) fn description(&self) -> String {
        let Some(facts) = &self.facts else {
            return Self::describe(None);
        };
        let rule = match self.collections.len() {
            0 => String::new(),
            1 => ", for holders of the collection".to_owned(),
            count => format!(", for holders of any of {count} collections"),
        };
        facts.title() + &rule
    }
}

/// The predicate of a make that serves a registry: the reference's for the reference where it has one, ours for every other.
pub(crate) fn known_predicate(registry: Address, name: &str) -> Address {
    let reference = reference_predicates();
    let of_reference = reference.iter().find(|(known, _)| *known == name);
    match of_reference {
        Some((_, address)) if registry == REFERENCE_REGISTRY => *address,
        _ => {
            let suite = Suite::for_registry(B256::ZERO, registry);
            let target = suite.targets().iter().find(|target| target.name() == name);
            target
                .expect("the suite has a predicate of every make")
                .address()
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::address;

    use super::*;

    #[test]
    fn each_registry_has_its_own_predicate() {
        let reference = known_predicate(REFERENCE_REGISTRY, "ERC721OwnerPredicate");
        assert_eq!(
            reference,
            address!("0xc8721c9A776958FfFfEb602DA1b708bf1D318379")
        );
        let suite = Suite::new(B256::ZERO);
        let ours = known_predicate(suite.registry(), "ERC721OwnerPredicate");
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
            known_predicate(Address::repeat_byte(1), "ERC721OwnerPredicate")
        );
    }
}
