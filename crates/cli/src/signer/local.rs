//! Signers with a local private key: keystore, mnemonic, prompt or environment.

use std::{
    fs,
    path::{Path, PathBuf},
};

use alloy::signers::local::{MnemonicBuilder, PrivateKeySigner};

use super::{AccountSigner, SignerArgs};
use crate::{context::Context, error::Error, output::prompt};

/// Foundry's keystore directory, relative to the home directory.
const KEYSTORES: &str = ".foundry/keystores";

pub(super) fn load(args: &SignerArgs, context: &Context) -> Result<Box<dyn AccountSigner>, Error> {
    if args.interactive {
        let alternative = "set ATR_PRIVATE_KEY, or use --keystore with --password-file";
        let key = prompt::secret(&context.output, "Private key", alternative)?;
        return from_key(key.trim(), "--interactive");
    }
    if let Some(path) = &args.mnemonic_file {
        return from_mnemonic(args, path);
    }
    let path = match (&args.account, &args.keystore) {
        (Some(name), _) => named_keystore(name, context)?,
        (None, Some(path)) => path.clone(),
        (None, None) => return Err(Error::NoSigner),
    };
    from_keystore(&path, args.password_file.as_deref(), context)
}

/// Parses a private key. The error omits the value.
pub(super) fn from_key(key: &str, named_by: &'static str) -> Result<Box<dyn AccountSigner>, Error> {
    let signer: PrivateKeySigner = key.parse().map_err(|_| Error::PrivateKey { named_by })?;
    Ok(Box::new(signer))
}

fn from_mnemonic(args: &SignerArgs, path: &Path) -> Result<Box<dyn AccountSigner>, Error> {
    let phrase = read_secret(path, "--mnemonic-file")?;
    let invalid = |source| Error::Mnemonic {
        path: path.to_owned(),
        source,
    };
    let builder = MnemonicBuilder::from_phrase(phrase.trim());
    let builder = match &args.derivation_path {
        Some(path) => builder.derivation_path(path),
        None => builder.index(args.mnemonic_index),
    };
    let signer = builder
        .and_then(|builder| builder.build())
        .map_err(invalid)?;
    Ok(Box::new(signer))
}

fn named_keystore(name: &str, context: &Context) -> Result<PathBuf, Error> {
    let home = context.environment.path("HOME").unwrap_or_default();
    let path = home.join(KEYSTORES).join(name);
    match fs::metadata(&path) {
        Ok(_) => Ok(path),
        Err(source) => Err(Error::SecretFile {
            path,
            flag: "--account; run `cast wallet list` for the available names",
            source,
        }),
    }
}

fn from_keystore(
    path: &Path,
    password_file: Option<&Path>,
    context: &Context,
) -> Result<Box<dyn AccountSigner>, Error> {
    // Checks the path before prompting for the password.
    read_secret(path, "--keystore")?;
    let password = match password_file {
        Some(file) => read_secret(file, "--password-file")?,
        None => {
            let prompt = format!("Password of {}", path.display());
            prompt::secret(&context.output, &prompt, "use --password-file <file>")?
        }
    };
    // Editors add a trailing newline.
    let password = password.trim_end_matches(['\r', '\n']);
    let signer =
        PrivateKeySigner::decrypt_keystore(path, password).map_err(|source| Error::Keystore {
            path: path.to_owned(),
            source,
        })?;
    Ok(Box::new(signer))
}

fn read_secret(path: &Path, flag: &'static str) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::SecretFile {
        path: path.to_owned(),
        flag,
        source,
    })
}
