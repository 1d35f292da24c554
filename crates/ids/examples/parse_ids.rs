//! Parses a tool reference and checks that a manifest URL and an endpoint have the same origin.
#![expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "an example prints its result"
)]

use atr_ids::{Error, HttpsUrl, MetadataUri, ToolRef};

fn main() -> Result<(), Error> {
    let tool: ToolRef =
        "eip155:8453/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7".parse()?;
    println!(
        "chain {}, registry {}, tool {}",
        tool.chain(),
        tool.registry(),
        tool.id()
    );

    let uri: MetadataUri = "https://tools.example.com/.well-known/ai-tool/search.json".parse()?;
    let endpoint: HttpsUrl = "https://tools.example.com/api/search".parse()?;
    println!("same origin: {}", uri.is_same_origin(&endpoint));

    // Errors have a human-readable message and a machine-readable code.
    if let Err(error) = "http://tools.example.com".parse::<HttpsUrl>() {
        println!("{}: {error}", error.code());
    }
    Ok(())
}
