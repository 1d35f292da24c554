//! Runs the server, reloads its configuration, and shuts it down.

use std::{fs, net::SocketAddr, path::PathBuf, time::Duration};

use alloy_primitives::{B256, keccak256};
use atr_gate::server::{App, Cors, Server, ServerHandle, Shutdown, TrustedProxies};
use serde::Serialize;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

use super::{
    args::GateArgs,
    assembly::{Assembly, Shared},
    error::GateError,
    settings::GateSettings,
};
use crate::{
    context::Context,
    outcome::Outcome,
    output::{Palette, Report},
};

/// How often the files of the configuration are compared.
const WATCH_INTERVAL: Duration = Duration::from_secs(2);

pub(super) async fn run(args: &GateArgs, context: &Context) -> eyre::Result<Outcome> {
    // Before anything else: a signal during the start must not be lost.
    let hangup = listen(SignalKind::hangup())?;
    let mut terminate = listen(SignalKind::terminate())?;
    let mut interrupt = listen(SignalKind::interrupt())?;

    let before = Files::read(context, None);
    let shared = Shared::default();
    let mut assembly = Assembly::load(context, args, &shared).await?;
    let files = Files::read(context, Some(&assembly.settings));
    // A change during the start is noticed by the first comparison.
    let files = if before.0.first() == files.0.first() {
        files
    } else {
        before
    };
    let monitor = assembly.monitor.clone();
    let mut servers = Vec::new();
    let mut app = std::mem::take(&mut assembly.app);
    let settings = &assembly.settings;
    if let Some(address) = settings.admin_bind {
        let admin = App::new(Cors::Off, TrustedProxies::default()).with_monitor(monitor.clone());
        servers.push(bind(address, &assembly, admin, false).await?);
    } else {
        app = app.with_monitor(monitor);
    }
    let server = bind(settings.bind, &assembly, app, true).await?;
    let handle = server.handle();
    let report = assembly.report(local(&server)?, servers.first().map(local).transpose()?);
    servers.push(server);
    context.output.print(&report)?;

    let (stop, stopping) = watch::channel(false);
    let running: Vec<_> = servers
        .into_iter()
        .map(|server| {
            let mut stopping = stopping.clone();
            tokio::spawn(server.serve(async move {
                let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
            }))
        })
        .collect();
    let reloads = Reloads {
        args,
        context,
        shared: &shared,
        handle,
        files,
        running: assembly.settings,
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        () = reloads.run(hangup) => {}
    }
    tracing::info!("finishing the requests in progress");
    if !context.output.is_json() {
        context.output.print_event(&Stopping);
    }
    let _ = stop.send(true);
    let mut outcome = Outcome::Success;
    for server in running {
        let shutdown = tokio::select! {
            ended = server => ended?,
            _ = interrupt.recv() => Shutdown::Dropped(1),
        };
        if let Shutdown::Dropped(count) = shutdown {
            tracing::warn!(count, "requests in progress were dropped");
            outcome = Outcome::Unknown;
        }
    }
    Ok(outcome)
}

/// The gate was asked to stop.
#[derive(Debug, Serialize)]
struct Stopping;

impl Report for Stopping {
    fn render(&self, _: &Palette) -> String {
        "stopping; requests in progress are finished\n".to_owned()
    }
}

pub(in crate::cmd) fn listen(kind: SignalKind) -> Result<Signal, GateError> {
    signal(kind).map_err(|source| GateError::Signals { source })
}

async fn bind(
    address: SocketAddr,
    assembly: &Assembly,
    app: App,
    is_public: bool,
) -> Result<Server, GateError> {
    let tls = assembly.tls.clone().filter(|_| is_public);
    let bound = Server::bind(address, tls, assembly.settings.server.clone(), app).await;
    bound.map_err(|source| GateError::Bind { address, source })
}

fn local(server: &Server) -> eyre::Result<SocketAddr> {
    Ok(server.local_address()?)
}

/// Replaces the configuration of a running server.
struct Reloads<'a> {
    args: &'a GateArgs,
    context: &'a Context,
    shared: &'a Shared,
    handle: ServerHandle,
    files: Files,
    running: GateSettings,
}

impl Reloads<'_> {
    /// Reloads on a signal, and when a file has changed. Does not return.
    async fn run(mut self, mut hangup: Signal) {
        let mut interval = tokio::time::interval(WATCH_INTERVAL);
        loop {
            let is_signal = tokio::select! {
                _ = hangup.recv() => true,
                _ = interval.tick() => false,
            };
            let files = Files::read(self.context, Some(&self.running));
            if !is_signal && files == self.files {
                continue;
            }
            // Also after an error: the same content gives the same error.
            self.files = files;
            match self.reload().await {
                Ok(()) => tracing::info!("configuration reloaded"),
                Err(error) => tracing::error!(
                    error = format!("{error:#}"),
                    "configuration not reloaded; the previous one stays in effect"
                ),
            }
        }
    }

    async fn reload(&mut self) -> eyre::Result<()> {
        let context = self.context.reload()?;
        let mut assembly = Assembly::load(&context, self.args, self.shared).await?;
        let new = &assembly.settings;
        let running = &self.running;
        let fixed = |settings: &GateSettings| {
            let is_tls = settings.tls.is_some();
            (
                settings.bind,
                settings.admin_bind,
                is_tls,
                settings.store.clone(),
            )
        };
        if fixed(new) != fixed(running) {
            tracing::warn!("addresses, the use of TLS and the store change with a restart only");
        }
        let mut app = std::mem::take(&mut assembly.app);
        if running.admin_bind.is_none() {
            app = app.with_monitor(assembly.monitor.clone());
        }
        self.handle.replace_app(app);
        if let Some(identity) = assembly.tls {
            self.handle.replace_certificate(identity);
        }
        self.files = Files::read(&context, Some(&assembly.settings));
        self.running = assembly.settings;
        Ok(())
    }
}

/// Content of the configuration file and of the files that it names.
#[derive(Debug, PartialEq, Eq)]
struct Files(Vec<(PathBuf, Option<B256>)>);

impl Files {
    fn read(context: &Context, settings: Option<&GateSettings>) -> Self {
        let named = settings.into_iter().flat_map(GateSettings::files);
        let file = context.settings.file.as_deref();
        let paths = file.into_iter().chain(named);
        let hash = |path: &std::path::Path| fs::read(path).ok().map(keccak256);
        Self(paths.map(|path| (path.to_owned(), hash(path))).collect())
    }
}
