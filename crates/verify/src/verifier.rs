//! Reads the registry, fetches manifests and evaluates the checks.

use std::num::NonZeroUsize;

use alloy_primitives::B256;
use atr_ids::{ToolRef, sanitize};
use atr_manifest::Manifest;
use atr_registry::{ToolConfig, ToolState};
use futures_util::{Stream, StreamExt, stream};

use crate::{
    Error, Evidence, Failure, Freshness, ManifestSource, Pin, Status, ToolSource, Verdict, checks,
    evaluation::Evaluation,
};

/// Verifies tools of one registry. It has no cache: callers that cache verdicts must check [`crate::VerifiedTool::is_fresh`].
#[derive(Clone, Debug)]
pub struct Verifier<T, M> {
    tools: T,
    manifests: M,
    freshness: Freshness,
}

impl<T: ToolSource, M: ManifestSource> Verifier<T, M> {
    /// Creates a verifier.
    ///
    /// # Errors
    ///
    /// If the Unicode tables for NFC are older than version 16.0: they normalize newer characters differently (T-11).
    pub fn try_new(tools: T, manifests: M, freshness: Freshness) -> Result<Self, Error> {
        if !atr_manifest::supports_unicode_16() {
            return Err(Error::UnicodeTooOld);
        }
        Ok(Self {
            tools,
            manifests,
            freshness,
        })
    }

    /// Verifies a tool. `now` is in seconds since 1970.
    ///
    /// # Errors
    ///
    /// If the registry cannot be read, or the tool belongs to another registry. Errors of the manifest's server are part of the
    /// verdict.
    pub async fn verify(
        &self,
        tool: ToolRef,
        pin: Option<B256>,
        now: u64,
    ) -> Result<Verdict, Error> {
        self.ensure_same_registry(tool)?;
        let state = self.tools.tool(tool.id()).await?;
        Ok(self.verify_state(tool, state, pin, now).await)
    }

    /// Verifies tools whose states were just read, `concurrency` at a time.
    ///
    /// The stream yields each verdict as soon as it is complete, with the index of its tool. A verdict holds the manifest; use
    /// [`Verdict::without_manifest`] to keep many of them.
    ///
    /// # Errors
    ///
    /// If one of the tools belongs to another registry.
    pub fn verify_many(
        &self,
        tools: Vec<(ToolRef, ToolState)>,
        pin: Option<B256>,
        concurrency: NonZeroUsize,
        now: u64,
    ) -> Result<impl Stream<Item = (usize, Verdict)>, Error> {
        for (tool, _) in &tools {
            self.ensure_same_registry(*tool)?;
        }
        let verdicts =
            tools
                .into_iter()
                .enumerate()
                .map(move |(index, (tool, state))| async move {
                    (index, self.verify_state(tool, state, pin, now).await)
                });
        Ok(stream::iter(verdicts).buffer_unordered(concurrency.get()))
    }

    /// H-18: an id identifies a tool only within its registry.
    fn ensure_same_registry(&self, tool: ToolRef) -> Result<(), Error> {
        let (chain, registry) = self.tools.registry();
        if (tool.chain(), tool.registry()) == (chain, registry) {
            return Ok(());
        }
        Err(Error::OtherRegistry {
            tool,
            chain,
            registry,
        })
    }

    async fn verify_state(
        &self,
        tool: ToolRef,
        state: ToolState,
        pin: Option<B256>,
        now: u64,
    ) -> Verdict {
        let config = match state {
            ToolState::Live(config) => config,
            ToolState::Deregistered => return not_registered(tool, Status::Deregistered, pin, now),
            ToolState::NeverRegistered => {
                return not_registered(tool, Status::NeverRegistered, pin, now);
            }
        };
        let uri = match checks::origin::parse_uri(&config.metadata_uri) {
            Ok(uri) => uri,
            Err(failure) => {
                let evaluation = Evaluation::without_request(*failure);
                return self.verdict(tool, &config, evaluation, false, pin, now);
            }
        };
        let fetched = self.manifests.manifest(&uri).await;
        let mut evaluation = Evaluation::new(&config, &uri, fetched);
        if !evaluation.is_hash_mismatch() {
            return self.verdict(tool, &config, evaluation, false, pin, now);
        }
        // H-16: an update may have landed between the read and the fetch. Read once more, never twice.
        let config = match self.tools.tool(tool.id()).await {
            Ok(ToolState::Live(reread)) if reread.metadata_uri == config.metadata_uri => {
                evaluation.compare_again(&reread);
                reread
            }
            // T-35: the bytes were fetched from a URI that is no longer registered.
            Ok(ToolState::Live(reread)) => {
                evaluation.invalidate(uri_changed(&config, &reread.metadata_uri));
                reread
            }
            Ok(ToolState::Deregistered) => {
                return not_registered(tool, Status::Deregistered, pin, now);
            }
            // A registered id never becomes unassigned: the response came from a node that is not synchronized.
            Ok(ToolState::NeverRegistered) => {
                evaluation.invalidate(node_behind(&config));
                config
            }
            Err(error) => {
                tracing::info!(%tool, %error, "cannot reread the configuration; reporting the hash mismatch");
                return self.verdict(tool, &config, evaluation, false, pin, now);
            }
        };
        self.verdict(tool, &config, evaluation, true, pin, now)
    }

    fn verdict(
        &self,
        tool: ToolRef,
        config: &ToolConfig,
        evaluation: Evaluation,
        read_twice: bool,
        pin: Option<B256>,
        now: u64,
    ) -> Verdict {
        let pin = pin.map(|hash| Pin {
            hash,
            matches: hash == config.manifest_hash,
        });
        let evidence = Evidence {
            read_twice,
            ..Evidence::new(config, now)
        };
        let window = |manifest: &Manifest| self.freshness.window(manifest.max_age());
        Verdict::new(tool, evaluation, pin, evidence, window)
    }
}

fn not_registered(tool: ToolRef, status: Status, pin: Option<B256>, now: u64) -> Verdict {
    let pin = pin.map(|hash| Pin {
        hash,
        matches: false,
    });
    let evidence = Evidence {
        checked_at: now,
        ..Evidence::default()
    };
    Verdict::not_registered(tool, status, pin, evidence)
}

fn uri_changed(before: &ToolConfig, after: &str) -> Failure {
    Failure::new(
        "metadata-uri-changed",
        format!("a manifest from {}", sanitize(&before.metadata_uri)),
        format!(
            "a manifest from {}, the metadataURI registered now",
            sanitize(after)
        ),
        "the creator changed metadataURI during verification",
        "verify again",
    )
}

fn node_behind(before: &ToolConfig) -> Failure {
    Failure::new(
        "node-behind",
        format!(
            "metadataURI {} in the first read, no tool in the second",
            sanitize(&before.metadata_uri)
        ),
        "the tool in both reads",
        "the second read came from a node that is not synchronized",
        "verify again, or use another node",
    )
}
