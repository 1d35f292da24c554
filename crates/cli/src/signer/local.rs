//! Keys this process holds itself: keystores, phrases, typed in, from the environment.

use std::{
    fs,
    path::{Path, PathBuf},
};

use alloy::signers::local::{MnemonicBuilder, PrivateKeySigner};

use super::{BoxSigner, SignerArgs};
use crate::{context::Context, error::Error, output::prompt};

/// Where Foundry keeps keystores, below the home folder.
const KEYSTORES: &str = ".foundry/keystores";

pub(super) fn load(args: &SignerArgs, context: &Context) -> Result<BoxSigner, Error> {
    if args.interactive {
        let instead = "set ATR_PRIVATE_KEY, or use a keystore with --password-file";
        let key = prompt::secret(&context.output, "Private key", instead)?;
        return of_key(key.trim(), "--interactive");
    }
    if let Some(path) = &args.mnemonic_file {
        return of_phrase(args, path);
    }
    let path = match (&args.account, &args.keystore) {
        (Some(name), _) => named_keystore(name, context)?,
        (None, Some(path)) => path.clone(),
        (None, None) => return Err(Error::NoSigner),
    };
    of_keystore(&path, args.password_file.as_deref(), context)
}

/// A key as text. What is wrong with it is not said: it would be said in a log.
pub(super) fn of_key(key: &str, named_by: &'static str) -> Result<BoxSigner, Error> {
    let signer: PrivateKeySigner = key.parse().map_err(|_| Error::PrivateKey { named_by })?;
    Ok(Box::new(signer))
}

fn of_phrase(args: &SignerArgs, path: &Path) -> Result<BoxSigner, Error> {
    let phrase = read_secret(path, "--mnemonic-file")?;
    let refused = |source| Error::Mnemonic {
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
        .map_err(refused)?;
    Ok(Box::new(signer))
}

fn named_keystore(name: &str, context: &Context) -> Result<PathBuf, Error> {
    let home = context.environment.path("HOME").unwrap_or_default();
    let path = home.join(KEYSTORES).join(name);
    match fs::metadata(&path) {
        Ok(_) => Ok(path),
        Err(source) => Err(Error::SecretFile {
            path,
            flag: "--account; `cast wallet list` shows the names there are",
            source,
        }),
    }
}

fn of_keystore(
    path: &Path,
    password_file: Option<&Path>,
    context: &Context,
) -> Result<BoxSigner, Error> {
    // Before the password is asked for: a wrong path should not cost one.
    read_secret(path, "--keystore")?;
    let password = match password_file {
        Some(file) => read_secret(file, "--password-file")?,
        None => {
            let question = format!("Password of {}", path.display());
            prompt::secret(&context.output, &question, "give --password-file <file>")?
        }
    };
    // Editors end files with a line break; passwords do not contain one.
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
