//! The facilitator: npm packages of others, run by Node.js.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Stdio,
};

use super::{chain::FACILITATOR, program::Program};

/// Imports are resolved in the working directory, which has the packages.
const SCRIPT: &str = include_str!("facilitator.mjs");

/// The packages of the script, with the versions it is tested with.
const PACKAGES: &str = "@x402/core@2.27.0 @x402/evm@2.27.0 viem@2.56.9";

/// In this order; the second is where the repository has the packages.
const DIRECTORIES: [&str; 2] = [".", "tests/clients"];

#[derive(Debug)]
pub(super) struct Facilitator {
    program: Program,
    pub(super) url: String,
}

impl Facilitator {
    /// Starts the facilitator, or says what is missing.
    pub(super) async fn start(npm: Option<&Path>, rpc_url: &str) -> Result<Self, String> {
        let node = tokio::process::Command::new("node")
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        if !node.await.is_ok_and(|status| status.success()) {
            return Err("Node.js is not installed".to_owned());
        }
        let directories: Vec<PathBuf> = match npm {
            Some(directory) => vec![directory.to_owned()],
            None => DIRECTORIES.iter().map(PathBuf::from).collect(),
        };
        let has_packages = |directory: &&PathBuf| {
            let packages = ["@x402/core", "@x402/evm", "viem"].into_iter();
            let mut packages = packages.map(|name| directory.join("node_modules").join(name));
            packages.all(|package| package.is_dir())
        };
        let directory = directories.iter().find(has_packages);
        let Some(directory) = directory else {
            return Err(format!(
                "npm packages are missing; run `npm install {PACKAGES}` and use --npm <directory>"
            ));
        };
        let command = ["node", "--input-type=module", "--eval", SCRIPT].map(OsStr::new);
        let variables = [("RPC_URL", rpc_url), ("PRIVATE_KEY", FACILITATOR.key)];
        let ready = |line: &str| line.starts_with("http://").then(|| line.to_owned());
        let started = Program::start(&command, directory, &variables, ready).await;
        match started {
            Ok(Some((program, url))) => Ok(Self { program, url }),
            Ok(None) => Err("the facilitator did not start".to_owned()),
            Err(error) => Err(format!("the facilitator did not start: {error}")),
        }
    }

    /// Returns when the facilitator has ended; never if there is none.
    pub(super) async fn ended(facilitator: Option<&mut Self>) {
        match facilitator {
            Some(facilitator) => facilitator.program.ended().await,
            None => std::future::pending().await,
        }
    }

    pub(super) async fn stop(self) {
        self.program.stop().await;
    }
}
