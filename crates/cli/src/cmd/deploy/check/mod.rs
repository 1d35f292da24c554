//! `atr deploy check`.

pub(super) mod report;

use alloy_primitives::Address;
use atr_deploy::{Audit, AuditRequest, Subject, Suite};

use crate::{
    args::{RegistryChoice, Word},
    cmd::deploy::check::report::AuditReport,
    context::Context,
    network::node,
    outcome::Outcome,
    process::runtime,
};

/// Check a deployment that somebody else may have made.
///
/// Looks at the contracts of this toolkit at their predicted addresses, at the public reference deployment (`--registry
/// opensea`), or at whatever is at an address: runtime code byte for byte, init code, proxy slots, name, version, registry
/// and interface ids. The same runtime code with another constructor may answer differently, so code alone is never a yes:
/// the init code must follow from the address, or be shown by --transaction.
///
/// Exit codes: 0 all as expected, 1 something differs, 3 could not find out.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Contract to look at, instead of the whole deployment
    #[arg(long, value_name = "ADDRESS", conflicts_with = "only")]
    address: Option<Address>,

    /// Contract of the deployment to look at, instead of all [repeatable]
    #[arg(long, value_name = "CONTRACT", num_args = 1..)]
    only: Vec<String>,

    /// Salt the contracts were deployed under, 32 bytes [default: zero]
    #[arg(long, value_name = "SALT")]
    salt: Option<Word>,

    /// Transaction that created the contract at the address
    #[arg(long, value_name = "HASH")]
    transaction: Option<Word>,

    /// Init code the contract must have been created with, by its hash
    #[arg(long, value_name = "HASH")]
    init_code_hash: Option<Word>,

    /// Most to wait for an answer of the node, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    rpc_timeout: u64,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let request = AuditRequest {
        subject: args.subject(context.settings.registry.value)?,
        salt: args.salt.unwrap_or_default().0,
        transaction: args.transaction.map(|hash| hash.0),
        init_code_hash: args.init_code_hash.map(|hash| hash.0),
    };
    let node = node::connect(&context.settings, node::door(args.rpc_timeout)?)?;
    let expected = context.settings.chain.value.map(|chain| chain.id());
    let audit = runtime::block_on(Audit::make(&node, expected, &request))??;
    let report = AuditReport::of(audit);
    context.output.present(&report)?;
    Ok(report.verdict().into())
}

impl Args {
    fn subject(&self, registry: RegistryChoice) -> eyre::Result<Subject> {
        if let Some(address) = self.address {
            return Ok(Subject::Address(address));
        }
        Ok(match registry {
            RegistryChoice::Ours => {
                let suite = Suite::new(self.salt.unwrap_or_default().0);
                Subject::Suite(if self.only.is_empty() {
                    suite
                } else {
                    suite.only(&self.only)?
                })
            }
            RegistryChoice::OpenSea => Subject::Reference,
            RegistryChoice::At(address) => Subject::Address(address),
        })
    }
}
