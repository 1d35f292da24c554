//! Who signs: chosen on the command line as in Foundry, a raw key only through the environment.

mod local;
mod remote;

use std::path::PathBuf;

use alloy::network::TxSigner;
use alloy_primitives::Signature;

use crate::{context::Context, error::Error};

/// Where a raw key may stand. Never an argument: arguments are seen by everyone on the machine.
const KEY_VARIABLE: &str = "ATR_PRIVATE_KEY";

/// A signer of any kind.
pub(crate) type BoxSigner = Box<dyn TxSigner<Signature> + Send + Sync>;

/// The signer, for every command that signs.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Signer (or a private key in ATR_PRIVATE_KEY)")]
pub(crate) struct SignerArgs {
    /// Keystore by name, in ~/.foundry/keystores
    #[arg(long, value_name = "NAME", group = "signer")]
    account: Option<String>,

    /// Keystore by file
    #[arg(long, value_name = "FILE", group = "signer")]
    keystore: Option<PathBuf>,

    /// File with the keystore's password; asked for if left out
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mnemonic_file", "interactive", "ledger", "aws", "gcp"])]
    password_file: Option<PathBuf>,

    /// File with a mnemonic phrase
    #[arg(long, value_name = "FILE", group = "signer")]
    mnemonic_file: Option<PathBuf>,

    /// Which account of the phrase or the Ledger
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 0,
        conflicts_with = "derivation_path"
    )]
    mnemonic_index: u32,

    /// Path to the account of the phrase or the Ledger
    #[arg(long, value_name = "PATH")]
    derivation_path: Option<String>,

    /// Ask for a private key
    #[arg(long, group = "signer")]
    interactive: bool,

    /// A Ledger device
    #[arg(long, group = "signer")]
    ledger: bool,

    /// A key in AWS KMS, by its id; region and credentials as the AWS tools find them
    #[arg(long, value_name = "KEY", group = "signer")]
    aws: Option<String>,

    /// A key in Google Cloud KMS: projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/…
    #[arg(long, value_name = "KEY", group = "signer")]
    gcp: Option<String>,
}

impl SignerArgs {
    /// Whether the command line names a signer.
    const fn is_named(&self) -> bool {
        self.account.is_some()
            || self.keystore.is_some()
            || self.mnemonic_file.is_some()
            || self.interactive
            || self.ledger
            || self.aws.is_some()
            || self.gcp.is_some()
    }

    /// The signer that was named; none if nobody named one. The command line comes before the environment.
    pub(crate) async fn load(
        &self,
        context: &Context,
        chain_id: u64,
    ) -> Result<Option<BoxSigner>, Error> {
        if !self.is_named() {
            let key = context.environment.text(KEY_VARIABLE)?;
            return key.map(|key| local::of_key(key, KEY_VARIABLE)).transpose();
        }
        if self.ledger {
            return remote::ledger(self, chain_id).await.map(Some);
        }
        if let Some(key) = &self.aws {
            return remote::aws(key, chain_id).await.map(Some);
        }
        if let Some(key) = &self.gcp {
            return remote::gcp(key, chain_id).await.map(Some);
        }
        local::load(self, context).map(Some)
    }
}
