//! `atr deploy check`.

pub(super) mod report;

use alloy_primitives::B256;
use atr_deploy::{Audit, AuditRequest, Subject, Suite};

use crate::{
    args::{AddressArg, Bytes32, RegistryChoice},
    cmd::deploy::check::report::AuditReport,
    config::Source,
    context::Context,
    network::node,
    outcome::Outcome,
    process::runtime,
};

/// Audit a deployment
///
/// Audits the contracts of atr at their predicted addresses, the public reference deployment (`--registry opensea`), a registry
/// (`--registry <address>`, with --only the predicates of atr for it), or one contract (`--address`): runtime code, init code,
/// proxy slots, name, version, registry and interface ids. The registry of a predicate is compared with --registry.
///
/// Contracts with the same runtime code can differ in storage set by the constructor, so the init code must be proved: by the
/// CREATE2 address or by --transaction. A contract that was created by an inner call of a transaction is unknown.
///
/// Of several contracts, only checks that do not pass are printed; -v prints all.
///
/// Exit codes: 0 all checks pass, 1 a check fails, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address of a single contract to audit
    #[arg(long, value_name = "ADDRESS", conflicts_with = "only")]
    address: Option<AddressArg>,

    /// Contracts of the deployment to audit [default: all; with --registry <address> the registry] [repeatable]
    #[arg(long, value_name = "CONTRACT", num_args = 1..)]
    only: Vec<String>,

    /// CREATE2 salt, 32 bytes [default: zero]
    #[arg(long, value_name = "SALT")]
    salt: Option<Bytes32>,

    /// Transaction that created the contract; for one contract
    #[arg(long, value_name = "HASH")]
    transaction: Option<Bytes32>,

    /// Expected hash of the init code; for one contract
    #[arg(long, value_name = "HASH")]
    init_code_hash: Option<Bytes32>,
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    let setting = &context.settings.registry;
    let salt = args.salt.unwrap_or_default().0;
    let address = |choice: RegistryChoice| {
        let address = choice.address();
        address.unwrap_or_else(|| Suite::new(salt).registry())
    };
    let is_named = setting.source != Source::Default;
    let request = AuditRequest {
        subject: args.subject(setting.value, salt),
        only: args.only.clone(),
        registry: is_named.then(|| address(setting.value)),
        salt,
        transaction: args.transaction.map(|hash| hash.0),
        init_code_hash: args.init_code_hash.map(|hash| hash.0),
    };
    let node = node::connect(context)?;
    let expected = context.settings.chain.value.map(|chain| chain.id());
    let audit = runtime::block_on(Audit::run(&node, expected, &request))??;
    let report = AuditReport::new(audit, context.is_verbose());
    context.output.print(&report)?;
    Ok(report.status().into())
}

impl Args {
    fn subject(&self, registry: RegistryChoice, salt: B256) -> Subject {
        match (self.address, registry) {
            (Some(address), _) => Subject::Address(address.0),
            (None, RegistryChoice::Ours) => Subject::Suite(Suite::new(salt)),
            (None, RegistryChoice::OpenSea) => Subject::Reference,
            (None, RegistryChoice::Address(address)) => Subject::Registry(address),
        }
    }
}
