//! Selection of a tool's access predicate.

use alloy_primitives::{Address, U256};
use atr_registry::{GateExpression, PredicateInfo, PredicateWarning, RegistrationAccess, Registry};
use atr_rpc::Call;

use crate::{
    args::{AddressArg, GateArg, PredicateArg, TokenArgs},
    cmd::tool::gate::PlannedGate,
    context::Context,
    error::Error,
    output::predicate_kind,
};

/// Help of `--gate`, shared by the commands that have it.
pub(crate) const GATE_HELP: &str = "\
Grant access to accounts that meet these conditions

Conditions: erc721:ADDRESS, erc1155:ADDRESS:ID,ID, erc20:ADDRESS:AMOUNT (a token amount, decimal), subscription:ADDRESS[:TIER], \
allowlist:FILE (one account per line), access-proof. They combine with and, or, not, any(…), all(…) and parentheses: \
'any(erc721:0x…, erc20:0x…:100) and not erc1155:0x…:7'. Uses the predicates of the registry: that of the only condition, or the \
CompositePredicate, and configures all of them. Conditions that need a proof (allowlist, access-proof) cannot be negated. For a trait \
of a token, use `atr predicate set-trait`.";

#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Access predicate (default: open to everyone)")]
pub(crate) struct AccessPredicateArgs {
    #[arg(
        long,
        value_name = "EXPRESSION",
        help = GATE_HELP.split('\n').next().unwrap_or_default(),
        long_help = GATE_HELP,
        conflicts_with_all = ["access_predicate", "nft_gate"]
    )]
    gate: Option<GateArg>,

    /// Access predicate of the tool: a name such as `always-deny`, or an address
    #[arg(long, value_name = "PREDICATE", conflicts_with = "nft_gate")]
    access_predicate: Option<PredicateArg>,

    /// Same as --gate erc721:COLLECTION; with several, of any [repeatable]
    #[arg(long, value_name = "COLLECTION")]
    nft_gate: Vec<AddressArg>,

    #[command(flatten)]
    tokens: TokenArgs,
}

const OPEN: &str = "open to everyone";

/// A predicate with its properties; `info` is `None` for an open tool.
#[derive(Debug)]
pub(crate) struct SelectedPredicate {
    pub(crate) info: Option<PredicateInfo>,
    pub(crate) warnings: Vec<PredicateWarning>,
    /// Of `--gate` or `--nft-gate`.
    pub(crate) gate: Option<PlannedGate>,
}

impl AccessPredicateArgs {
    /// Fetches the selected predicate; an error if it belongs to another registry.
    pub(crate) async fn fetch(
        &self,
        context: &Context,
        registry: &Registry,
    ) -> eyre::Result<SelectedPredicate> {
        let collections: Vec<_> = self.nft_gate.iter().map(|address| address.0).collect();
        let nft_gate = GateExpression::any_erc721(&collections);
        if let Some(gate) = self.gate.as_ref().map(|gate| &gate.0).or(nft_gate.as_ref()) {
            return SelectedPredicate::from_gate(context, registry, gate, self.tokens).await;
        }
        let predicate = self.access_predicate;
        let predicate = predicate.map(|predicate| predicate.address(registry.address()));
        SelectedPredicate::fetch(registry, predicate).await
    }
}

impl SelectedPredicate {
    /// Checks the predicates of a gate, and fetches its access predicate.
    pub(crate) async fn from_gate(
        context: &Context,
        registry: &Registry,
        gate: &GateExpression,
        tokens: TokenArgs,
    ) -> eyre::Result<Self> {
        let gate = PlannedGate::try_new(gate, context, registry, tokens).await?;
        let predicate = gate.gate.predicate();
        Ok(Self {
            gate: Some(gate),
            ..Self::fetch(registry, Some(predicate)).await?
        })
    }

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

    /// Who has access to a tool that is registered with this predicate.
    pub(crate) fn access(&self) -> RegistrationAccess {
        match (&self.gate, self.address()) {
            (Some(gate), _) => RegistrationAccess::Gate(gate.gate.clone()),
            (None, Some(predicate)) => RegistrationAccess::Predicate(predicate),
            (None, None) => RegistrationAccess::Open,
        }
    }

    /// What the transactions after the registration configure, with limits of their gas.
    pub(crate) fn follow_ups(&self, tool_id: U256) -> Vec<(String, Call, u64)> {
        let gate = self.gate.as_ref();
        gate.map_or_else(Vec::new, |gate| gate.follow_ups(tool_id))
    }

    /// Warnings about the gate.
    pub(crate) fn gate_warnings(&self) -> &[String] {
        self.gate.as_ref().map_or(&[], |gate| &gate.warnings)
    }

    /// Description without a request: the address, and the name of a predicate of the registry.
    pub(crate) fn describe(registry: &Registry, predicate: Option<Address>) -> String {
        let Some(address) = predicate else {
            return OPEN.to_owned();
        };
        match predicate_kind(registry.address(), address) {
            Some(kind) => format!("{} at {address}", kind.name()),
            None => address.to_string(),
        }
    }

    /// Description in a plan.
    pub(crate) fn description(&self) -> String {
        match &self.info {
            Some(info) => info.title(),
            None => OPEN.to_owned(),
        }
    }
}
