//! Fetches a document from an untrusted URL: `cargo run -p atr-fetch --example fetch_untrusted -- <https URL>`.
#![expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "an example prints its result"
)]

use atr_fetch::{AllowedHosts, Limits, SafeHttpClient};
use atr_ids::HttpsUrl;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Without an argument: a cloud metadata service, which SSRF protection blocks.
    let url = std::env::args().nth(1);
    let url: HttpsUrl = url
        .as_deref()
        .unwrap_or("https://169.254.169.254/latest/meta-data")
        .parse()?;
    let client = SafeHttpClient::try_new(Limits::MANIFEST, AllowedHosts::default())?;
    match client.fetch_document(&url).await {
        Ok(body) => println!("{} bytes", body.len()),
        Err(error) => println!(
            "{}: {error} (retryable: {})",
            error.code(),
            error.is_retryable()
        ),
    }
    Ok(())
}
