//! Signers, with the flags of Foundry. A raw private key is accepted from the environment only.

mod local;
mod remote;

use std::{path::PathBuf, pin::Pin};

use alloy::{network::TxSigner, signers::Signer};
use alloy_primitives::{Address, Signature};
use atr_auth::UnsignedAuthorization;

use crate::{context::Context, error::Error};

/// Not a flag, because other users of the machine can read arguments.
const KEY_VARIABLE: &str = "ATR_PRIVATE_KEY";

pub(crate) type BoxSigner = Box<dyn TxSigner<Signature> + Send + Sync>;

/// A signer of everything that commands sign. Implemented by all signers of alloy.
pub(crate) trait AccountSigner: Send + Sync {
    fn address(&self) -> Address;

    /// Signs typed data, which hardware signers show to the user.
    fn sign_authorization<'a>(
        &'a self,
        unsigned: &'a UnsignedAuthorization,
    ) -> Pin<Box<dyn Future<Output = alloy::signers::Result<Signature>> + Send + 'a>>;

    fn into_transaction_signer(self: Box<Self>) -> BoxSigner;
}

impl<T: TxSigner<Signature> + Signer + Send + Sync + 'static> AccountSigner for T {
    fn address(&self) -> Address {
        Signer::address(self)
    }

    fn sign_authorization<'a>(
        &'a self,
        unsigned: &'a UnsignedAuthorization,
    ) -> Pin<Box<dyn Future<Output = alloy::signers::Result<Signature>> + Send + 'a>> {
        Box::pin(async move {
            let (message, domain) = (unsigned.message(), unsigned.domain());
            self.sign_typed_data(&message, &domain).await
        })
    }

    fn into_transaction_signer(self: Box<Self>) -> BoxSigner {
        self
    }
}

#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Signer (or set ATR_PRIVATE_KEY)")]
pub(crate) struct SignerArgs {
    /// Name of a keystore in ~/.foundry/keystores
    #[arg(long, value_name = "NAME", group = "signer")]
    account: Option<String>,

    /// Path of a keystore
    #[arg(long, value_name = "FILE", group = "signer")]
    keystore: Option<PathBuf>,

    /// File with the keystore password [default: prompt]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mnemonic_file", "interactive", "ledger", "aws", "gcp"])]
    password_file: Option<PathBuf>,

    /// File with a mnemonic phrase
    #[arg(long, value_name = "FILE", group = "signer")]
    mnemonic_file: Option<PathBuf>,

    /// Account index of the mnemonic or Ledger
    #[arg(
        long,
        value_name = "INDEX",
        default_value_t = 0,
        conflicts_with = "derivation_path"
    )]
    mnemonic_index: u32,

    /// Derivation path of the mnemonic or Ledger
    #[arg(long, value_name = "PATH")]
    derivation_path: Option<String>,

    /// Prompt for a private key
    #[arg(long, group = "signer")]
    interactive: bool,

    /// Use a Ledger device
    #[arg(long, group = "signer")]
    ledger: bool,

    /// AWS KMS key id; region and credentials from the AWS environment
    #[arg(long, value_name = "KEY", group = "signer")]
    aws: Option<String>,

    /// Google Cloud KMS key version: projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/…
    #[arg(long, value_name = "KEY", group = "signer")]
    gcp: Option<String>,
}

impl SignerArgs {
    /// Whether a flag selects a signer.
    pub(crate) const fn is_set(&self) -> bool {
        self.account.is_some()
            || self.keystore.is_some()
            || self.mnemonic_file.is_some()
            || self.interactive
            || self.ledger
            || self.aws.is_some()
            || self.gcp.is_some()
    }

    /// The signer of transactions; `None` if there is none.
    pub(crate) async fn load(
        &self,
        context: &Context,
        chain_id: u64,
    ) -> Result<Option<BoxSigner>, Error> {
        let signer = self.load_account(context, chain_id).await?;
        Ok(signer.map(AccountSigner::into_transaction_signer))
    }

    /// The signer of the flags, else of the environment; `None` if there is none.
    pub(crate) async fn load_account(
        &self,
        context: &Context,
        chain_id: u64,
    ) -> Result<Option<Box<dyn AccountSigner>>, Error> {
        if !self.is_set() {
            let key = context.environment.text(KEY_VARIABLE)?;
            return key
                .map(|key| local::from_key(key, KEY_VARIABLE))
                .transpose();
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
