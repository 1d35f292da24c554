//! What `atr dev` runs, and what to try.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{
    chain::{AGENT, CHAIN_ID, Contracts, HOLDER, OTHER, PUBLISHER, TOKEN_ID},
    facilitator::Facilitator,
    sample::{self, EXAMPLE_INPUT, Sample, SampleTool},
};
use crate::{
    error::Error,
    output::{Palette, Report, field},
};

/// What the variables of the environment file come from.
pub(super) struct Environment<'a> {
    pub(super) folder: &'a Path,
    pub(super) rpc_url: &'a str,
    pub(super) host: &'a str,
    pub(super) ca_file: &'a Path,
    /// URL of the index.
    pub(super) api: &'a str,
    pub(super) contracts: &'a Contracts,
    pub(super) anvil: &'a Path,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DevReport {
    chain_id: u64,
    rpc_url: String,
    /// The gate.
    url: String,
    /// The index.
    index_url: String,
    registry: String,
    /// The collection of the gated tool.
    collection: String,
    /// Mocks of public contracts.
    usdc: String,
    delegate_registry: String,
    facilitator: Option<String>,
    /// Why there is no facilitator.
    missing: Option<String>,
    tools: Vec<SampleTool>,
    /// A shell script that sets the variables of the commands.
    environment: PathBuf,
    r#try: Vec<Step>,
}

/// A command, and what it shows.
#[derive(Debug, Serialize)]
struct Step {
    shows: &'static str,
    command: String,
}

impl Environment<'_> {
    /// Variables of the commands below.
    pub(super) fn variables(&self) -> Vec<(&'static str, String)> {
        let contracts = self.contracts;
        let mut variables = vec![
            ("ATR_RPC_URL", self.rpc_url.to_owned()),
            ("ETH_RPC_URL", self.rpc_url.to_owned()),
            ("ATR_ALLOW_HOST", self.host.to_owned()),
            ("ATR_CA_FILE", self.ca_file.display().to_string()),
            // The ledger of payments for this chain ends with it.
            (
                "ATR_STATE_DIR",
                self.folder.join("state").display().to_string(),
            ),
            ("ATR_API", self.api.to_owned()),
            ("REGISTRY", contracts.registry.to_string()),
            ("COLLECTION", contracts.collection.to_string()),
            ("USDC", contracts.usdc.to_string()),
            ("DELEGATE_REGISTRY", contracts.delegate_registry.to_string()),
        ];
        for (address, key, account) in [
            ("PUBLISHER", "PUBLISHER_KEY", PUBLISHER),
            ("HOLDER", "HOLDER_KEY", HOLDER),
            ("AGENT", "AGENT_KEY", AGENT),
            ("OTHER", "OTHER_KEY", OTHER),
        ] {
            variables.push((address, account.address.to_string()));
            variables.push((key, account.key.to_owned()));
        }
        variables
    }

    /// Writes a script that sets the variables, and puts this `atr` and the `cast` beside anvil into PATH.
    fn write(&self) -> Result<PathBuf, Error> {
        // A bare name is in PATH already.
        let anvil = Some(self.anvil).filter(|anvil| anvil.components().count() > 1);
        let anvil = anvil.and_then(|anvil| std::path::absolute(anvil).ok());
        let directories = [std::env::current_exe().ok(), anvil];
        let directories = directories
            .iter()
            .flatten()
            .filter_map(|file| file.parent());
        let mut text = String::new();
        for directory in directories {
            let directory = quoted(&directory.display().to_string());
            text += &format!("export PATH={directory}:\"$PATH\"\n");
        }
        for (name, value) in self.variables() {
            text += &format!("export {name}={}\n", quoted(&value));
        }
        let path = self.folder.join("env");
        sample::write(&path, &text)?;
        Ok(path)
    }
}

/// A word of a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

impl DevReport {
    pub(super) fn new(
        environment: &Environment<'_>,
        sample: &Sample,
        tools: &[SampleTool],
        facilitator: &Result<Facilitator, String>,
    ) -> Result<Self, Error> {
        let contracts = environment.contracts;
        Ok(Self {
            chain_id: CHAIN_ID,
            rpc_url: environment.rpc_url.to_owned(),
            url: sample.origin.clone(),
            index_url: environment.api.to_owned(),
            registry: contracts.registry.to_string(),
            collection: contracts.collection.to_string(),
            usdc: contracts.usdc.to_string(),
            delegate_registry: contracts.delegate_registry.to_string(),
            facilitator: sample.facilitator.clone(),
            missing: facilitator.as_ref().err().cloned(),
            tools: tools.to_vec(),
            environment: environment.write()?,
            r#try: steps(facilitator.is_ok()),
        })
    }
}

fn steps(has_facilitator: bool) -> Vec<Step> {
    let call = |key: &str, id: u64, more: &str| {
        format!("ATR_PRIVATE_KEY=${key} atr call {id} --data '{EXAMPLE_INPUT}'{more}")
    };
    let step = |shows, command: String| Step { shows, command };
    let mut steps = vec![
        step("what is registered", "atr tool list".to_owned()),
        step("verified tools by words", "atr search price".to_owned()),
        step(
            "denied: the account holds no token of the collection",
            call("OTHER_KEY", 1, ""),
        ),
        step(
            "granted: the holder proves its identity, and pays nothing",
            call("HOLDER_KEY", 1, ""),
        ),
    ];
    if has_facilitator {
        steps.extend([
            step(
                "a payment: 0.01 USDC move from the holder to the publisher",
                call("HOLDER_KEY", 2, " --max-amount 0.01 --yes"),
            ),
            step(
                "what the publisher has, in millionths of a USDC",
                "cast call $USDC 'balanceOf(address)(uint256)' $PUBLISHER".to_owned(),
            ),
        ]);
    }
    steps.extend([
        step(
            "the holder delegates to an agent, which calls for the holder",
            "cast send --unlocked --from $HOLDER $DELEGATE_REGISTRY 'delegateAll(address,bytes32,bool)' $AGENT $(printf '0x%064d' 0) true; sleep 2"
                .to_owned(),
        ),
        step("", call("AGENT_KEY", 1, " --delegate-for $HOLDER")),
        step(
            "the holder burns the token, and is denied when the gate sees the block, within two seconds",
            format!("cast send --unlocked --from $HOLDER $COLLECTION 'burn(uint256)' {TOKEN_ID}; sleep 2"),
        ),
        step("", call("HOLDER_KEY", 1, "")),
    ]);
    steps
}

impl Report for DevReport {
    fn render(&self, palette: &Palette) -> String {
        let chain = format!("{}, anvil with chain id {}", self.rpc_url, self.chain_id);
        let mut text = field("chain", &chain);
        text += &field("registry", &self.registry);
        let token = format!("{}, a mock: OpenZeppelin's ERC-3009 token", self.usdc);
        text += &field("USDC", &token);
        let delegations = format!("{}, a mock of delegate.xyz", self.delegate_registry);
        text += &field("delegations", &delegations);
        text += &match (&self.facilitator, &self.missing) {
            (Some(url), _) => field("facilitator", url),
            (None, reason) => {
                let reason = reason.as_deref().unwrap_or_default();
                let warning = palette.warning("none, so there is no paid tool:");
                field("facilitator", &format!("{warning} {reason}"))
            }
        };
        text += &field("gate", &palette.heading(&self.url));
        let index = palette.heading(&self.index_url);
        text += &field("index", &format!("{index}, explorer and REST API"));
        for tool in &self.tools {
            let label = format!("tool {}", tool.id);
            text += &field(&label, &format!("{}, {}", tool.name, tool.access));
        }
        text += "\nIn another terminal:\n\n";
        text += &format!("  source {}\n", self.environment.display());
        for step in &self.r#try {
            if !step.shows.is_empty() {
                text += &format!("\n  # {}\n", step.shows);
            }
            text += &format!("  {}\n", step.command);
        }
        text += "\nCtrl-C stops all processes.\n";
        text
    }
}
