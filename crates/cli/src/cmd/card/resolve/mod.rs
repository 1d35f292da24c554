//! `atr card resolve`.

mod report;

use atr_agent_card::{Profile, bridge::Registration, txt::Trust};
use atr_rpc::{BlockView, Ens, EnsName};
use atr_verify::card::{CardResolver, CardVerdict};

use self::report::ResolveReport;
use super::{export::RegistrationArgs, report::ProfileArg, source::VerbArgs};
use crate::{
    args::{EnsArgs, FetchArgs, IpfsArgs},
    context::Context,
    network::ens,
    outcome::Outcome,
    process::runtime,
};

/// Resolve the Agent Card of an ENS name
///
/// Reads the TXT records of the name, fetches the card, its schemas and their mirrors, and compares all of them: SHA-256 and CID of the
/// card's bytes, the records with the card, the card with the specification, and the schemas with the verb. Prints who vouches for what.
/// The records of subdomains may come from the resolver of a parent (ENSIP-10), and records may be outside the chain (CCIP-Read).
///
/// The card is trusted if everything was compared and matches, untrusted if anything differs or is missing, and otherwise unknown:
/// what could not be checked is never a difference. Schemas and cards in folders are on IPFS, and need --ipfs-gateway or --ipfs-folder.
///
/// Exit codes: 0 trusted, 1 untrusted, 2 usage error, 3 unknown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    atr card resolve summarizeagent.eth --chain mainnet --ipfs-gateway https://trustless-gateway.link\n  \
    atr card resolve summarizeagent.eth --profile published-1.0 --json")]
pub(crate) struct Args {
    /// ENS name of the card
    #[arg(value_name = "NAME")]
    name: EnsName,

    /// The name must confirm that it is the agent of this registry (ENSIP-25)
    #[command(flatten)]
    registration: RegistrationArgs,

    #[command(flatten)]
    resolve: ResolveArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

/// How cards are resolved, for every command that does.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ResolveArgs {
    /// Rules for the card
    #[arg(
        long,
        value_name = "PROFILE",
        default_value = "spec",
        help_heading = "Agent Card"
    )]
    profile: ProfileArg,

    #[command(flatten)]
    verbs: VerbArgs,

    #[command(flatten)]
    ens: EnsArgs,

    #[command(flatten)]
    ipfs: IpfsArgs,
}

impl ResolveArgs {
    pub(crate) async fn resolve(
        &self,
        name: &EnsName,
        registration: Option<&Registration>,
        fetch: &FetchArgs,
        context: &Context,
    ) -> eyre::Result<CardVerdict> {
        let node = ens::connect(&self.ens, context)?;
        let chain_id = node.chain_id(None).await?;
        let registry = ens::registry(&self.ens, context, chain_id, name)?;
        // All records at the same block.
        let block = node.block_number().await?.into();
        let provider = node.provider();
        let view = BlockView { provider, block };
        let http = fetch.client(context)?;
        let resolver = CardResolver::new(
            Ens::connect(view, registry, http.clone()).await?,
            http,
            self.ipfs.source(context)?,
            Profile::from(self.profile),
            self.verbs.config(),
        );
        Ok(resolver.resolve(name, registration).await?)
    }
}

/// The outcome of a command that asks whether a card is trusted.
pub(crate) const fn outcome(trust: Trust) -> Outcome {
    match trust {
        Trust::Trusted => Outcome::Success,
        Trust::Untrusted => Outcome::Failure,
        Trust::Unknown => Outcome::Unknown,
    }
}

pub(super) fn run(args: &Args, context: &Context) -> eyre::Result<Outcome> {
    runtime::block_on(args.run(context))?
}

impl Args {
    async fn run(&self, context: &Context) -> eyre::Result<Outcome> {
        let registration = self.registration.registration()?;
        let resolve = self
            .resolve
            .resolve(&self.name, registration.as_ref(), &self.fetch, context);
        let report = ResolveReport::new(resolve.await?);
        context.output.print(&report)?;
        Ok(report.outcome())
    }
}
