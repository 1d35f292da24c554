//! Bytes in both directions after a protocol switch.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use atr_http_server::Drain;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};

const BUFFER_BYTES: usize = 16 << 10;

/// Copies until one side closes, nothing arrives for one to two times `idle`, or the server drops its connections.
pub(super) async fn run(client: OnUpgrade, upstream: OnUpgrade, idle: Duration, drain: Drain) {
    let copied = async {
        let upgraded = tokio::try_join!(client, upstream);
        let (client, upstream) = upgraded.map_err(io::Error::other)?;
        let (client_read, client_write) = split(TokioIo::new(client));
        let (upstream_read, upstream_write) = split(TokioIo::new(upstream));
        let activity = AtomicU64::new(0);
        tokio::select! {
            copied = async {
                tokio::try_join!(
                    copy(client_read, upstream_write, &activity),
                    copy(upstream_read, client_write, &activity),
                )
            } => copied.map(|_| "closed"),
            () = is_idle(&activity, idle) => Ok("idle"),
        }
    };
    tokio::select! {
        result = copied => match result {
            Ok(reason) => tracing::debug!(reason, "tunnel ended"),
            Err(error) => tracing::debug!(%error, "tunnel failed"),
        },
        () = drain.dropped() => tracing::debug!("tunnel dropped at shutdown"),
    }
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    activity: &AtomicU64,
) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let read = from.read(&mut buffer).await?;
        activity.fetch_add(1, Ordering::Relaxed);
        if read == 0 {
            return to.shutdown().await;
        }
        to.write_all(&buffer[..read]).await?;
        to.flush().await?;
    }
}

async fn is_idle(activity: &AtomicU64, idle: Duration) {
    let mut before = activity.load(Ordering::Relaxed);
    loop {
        tokio::time::sleep(idle).await;
        let now = activity.load(Ordering::Relaxed);
        if now == before {
            return;
        }
        before = now;
    }
}
