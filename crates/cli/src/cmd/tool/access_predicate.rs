//! Selection of a tool's access predicate.

use alloy_primitives::Address;
use atr_bindings::PredicateKind;
use atr_deploy::predicate_address;
use atr_registry::{
    Configuration, PredicateInfo, PredicateWarning, Registry, predicates::erc721_owner,
};

use crate::{args::AddressArg, cmd::predicate::StipendChoice, error::Error};

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
    /// Of `--nft-gate`.
    gate: Option<Gate>,
}

/// The configuration of `--nft-gate`, with its stipend.
#[derive(Debug)]
struct Gate {
    collections: Vec<Address>,
    configuration: Configuration,
    choice: StipendChoice,
}

impl AccessPredicateArgs {
    /// Fetches the selected predicate; an error if it belongs to another registry.
    pub(crate) async fn fetch(&self, registry: &Registry) -> eyre::Result<SelectedPredicate> {
        let collections: Vec<_> = self.nft_gate.iter().map(|address| address.0).collect();
        let predicate = if collections.is_empty() {
            self.access_predicate.map(|address| address.0)
        } else {
            Some(predicate_address(registry.address(), PredicateKind::Erc721))
        };
        let mut predicate = SelectedPredicate::fetch(registry, predicate).await?;
        if collections.is_empty() {
            return Ok(predicate);
        }
        if let Some(info) = predicate.info.as_ref().filter(|info| !info.has_code) {
            return Err(Error::PredicateNotDeployed {
                contract: PredicateKind::Erc721.name(),
                address: info.address,
                registry: registry.address(),
            }
            .into());
        }
        let mut configuration = erc721_owner::Configuration {
            collections: collections.clone(),
            stipend: None,
        }
        .into();
        let choice = StipendChoice::apply(registry, &mut configuration, None, false).await;
        // Rejected by the predicate, but only after the tool is registered.
        if let Some(address) = choice.missing.first() {
            return Err(Error::NoCollection { address: *address }.into());
        }
        predicate.gate = Some(Gate {
            collections,
            configuration,
            choice,
        });
        Ok(predicate)
    }
}

impl SelectedPredicate {
    /// Fetches a predicate; an error if it belongs to another registry, whose tools have the same ids.
    pub(crate) async fn fetch(
        registry: &Registry,
        predicate: Option<Address>,
    ) -> eyre::Result<Self> {
        let Some(predicate) = predicate else {
            return Ok(Self {
                info: None,
                warnings: Vec::new(),
                gate: None,
            });
        };
        let info = registry.predicate_info(predicate).await?;
        let warnings = info.warnings(registry.address());
        for warning in &warnings {
            if let PredicateWarning::OtherRegistry { registry: other } = warning {
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
            gate: None,
        })
    }

    pub(crate) fn address(&self) -> Option<Address> {
        self.info.as_ref().map(|info| info.address)
    }

    /// The configuration of `--nft-gate`.
    pub(crate) fn configuration(&self) -> Option<Configuration> {
        self.gate.as_ref().map(|gate| gate.configuration.clone())
    }

    /// The stipend of [`Self::configuration`] in words.
    pub(crate) fn stipend(&self) -> Option<String> {
        self.gate.as_ref()?.choice.description.clone()
    }

    /// Warnings about the collections of `--nft-gate`.
    pub(crate) fn token_warnings(&self) -> &[String] {
        self.gate.as_ref().map_or(&[], |gate| &gate.choice.warnings)
    }

    fn collections(&self) -> &[Address] {
        self.gate.as_ref().map_or(&[], |gate| &gate.collections)
    }

    /// The command that sets [`Self::configuration`].
    pub(crate) fn configure_command(&self, tool: &str) -> String {
        let collections = self.collections().iter();
        let collections = collections.map(|address| format!(" --collection {address}"));
        format!(
            "atr predicate set-erc721 {tool}{}",
            collections.collect::<String>()
        )
    }

    /// Description without properties.
    pub(crate) fn describe(predicate: Option<Address>) -> String {
        predicate.map_or_else(
            || "open to everyone".to_owned(),
            |address| address.to_string(),
        )
    }

    /// Description in a plan.
    pub(crate) fn description(&self) -> String {
        let Some(info) = &self.info else {
            return Self::describe(None);
        };
        let holders = match self.collections().len() {
            0 => String::new(),
            1 => ", for holders of 1 collection".to_owned(),
            count => format!(", for holders of any of {count} collections"),
        };
        info.title() + &holders
    }
}
