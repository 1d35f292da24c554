//! Hardware and cloud signers, each behind a Cargo feature.

use super::{AccountSigner, SignerArgs};
use crate::error::Error;

#[cfg(feature = "ledger")]
pub(super) async fn ledger(
    args: &SignerArgs,
    chain_id: u64,
) -> Result<Box<dyn AccountSigner>, Error> {
    use alloy::signers::ledger::{HDPath, LedgerSigner};

    let path = match &args.derivation_path {
        Some(path) => HDPath::Other(path.clone()),
        None => HDPath::LedgerLive(args.mnemonic_index as usize),
    };
    let signer = LedgerSigner::new(path, Some(chain_id)).await;
    let signer = signer.map_err(|source| Error::SignerUnreachable {
        signer: "the Ledger",
        source: source.into(),
    })?;
    Ok(Box::new(signer))
}

#[cfg(not(feature = "ledger"))]
pub(super) async fn ledger(_: &SignerArgs, _: u64) -> Result<Box<dyn AccountSigner>, Error> {
    Err(Error::SignerNotBuilt {
        flag: "--ledger",
        feature: "ledger",
    })
}

#[cfg(feature = "aws")]
pub(super) async fn aws(key: &str, chain_id: u64) -> Result<Box<dyn AccountSigner>, Error> {
    use alloy::signers::aws::AwsSigner;
    use aws_config::BehaviorVersion;

    let config = aws_config::load_defaults(BehaviorVersion::latest()).await;
    let client = aws_sdk_kms::Client::new(&config);
    let signer = AwsSigner::new(client, key.to_owned(), Some(chain_id)).await;
    let signer = signer.map_err(|source| Error::SignerUnreachable {
        signer: "AWS KMS",
        source: source.into(),
    })?;
    Ok(Box::new(signer))
}

#[cfg(not(feature = "aws"))]
pub(super) async fn aws(_: &str, _: u64) -> Result<Box<dyn AccountSigner>, Error> {
    Err(Error::SignerNotBuilt {
        flag: "--aws",
        feature: "aws",
    })
}

#[cfg(feature = "gcp")]
pub(super) async fn gcp(key: &str, chain_id: u64) -> Result<Box<dyn AccountSigner>, Error> {
    use alloy::signers::gcp::{
        GcpKeyRingRef, GcpSigner, KeySpecifier,
        gcloud_sdk::{
            GoogleApi,
            google::cloud::kms::v1::key_management_service_client::KeyManagementServiceClient,
        },
    };

    let unreachable = |source: Box<dyn std::error::Error + Send + Sync>| Error::SignerUnreachable {
        signer: "Google Cloud KMS",
        source,
    };
    let parts: Vec<_> = key.split('/').collect();
    let [
        "projects",
        project,
        "locations",
        location,
        "keyRings",
        ring,
        "cryptoKeys",
        name,
        "cryptoKeyVersions",
        version,
    ] = parts[..]
    else {
        return Err(Error::GcpKey {
            found: key.to_owned(),
        });
    };
    let version = version.parse().map_err(|_| Error::GcpKey {
        found: key.to_owned(),
    })?;
    let api = GoogleApi::from_function(
        KeyManagementServiceClient::new,
        "https://cloudkms.googleapis.com",
        None,
    );
    let client = api.await.map_err(|source| unreachable(source.into()))?;
    let ring = GcpKeyRingRef::new(project, location, ring);
    let specifier = KeySpecifier::new(ring, name, version);
    let signer = GcpSigner::new(client, specifier, Some(chain_id)).await;
    let signer = signer.map_err(|source| unreachable(source.into()))?;
    Ok(Box::new(signer))
}

#[cfg(not(feature = "gcp"))]
pub(super) async fn gcp(_: &str, _: u64) -> Result<Box<dyn AccountSigner>, Error> {
    Err(Error::SignerNotBuilt {
        flag: "--gcp",
        feature: "gcp",
    })
}
