//! The stdio transport: one JSON message per line. Nothing else may write to standard output.

use rmcp::{ServiceExt, service::ServerInitializeError, transport};

use super::McpServer;

/// Why the connection ended.
#[derive(Debug, thiserror::Error)]
#[error("the connection to the host failed")]
pub struct StdioError(#[source] Box<dyn std::error::Error + Send + Sync>);

/// Serves the host that started this process until it closes standard input.
///
/// # Errors
///
/// If the host does not speak the protocol.
pub async fn serve(server: McpServer) -> Result<(), StdioError> {
    let service = match server.serve(transport::stdio()).await {
        Ok(service) => service,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(StdioError(error.into())),
    };
    let ended = service.waiting().await;
    ended.map(drop).map_err(|error| StdioError(error.into()))
}
