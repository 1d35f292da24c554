//! Untrusted URLs: which become links, and which are shown as an icon.

use atr_ids::HttpsUrl;
use atr_manifest::Image;
use url::Url;

/// A link to another host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) url: String,
    /// ASCII, so that lookalikes are visible (K-15).
    pub(super) host: String,
}

/// Only https without credentials; everything else is shown as text (K-20).
pub(super) fn https(text: &str) -> Option<Link> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    let host = url.host_str()?.to_owned();
    (url.scheme() == "https" && is_plain).then(|| Link {
        url: url.into(),
        host,
    })
}

/// An icon of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Icon {
    /// A small image in the manifest itself.
    Inline(String),
    /// On another host: never loaded, because it would tell the host who looks at the tool.
    Remote(String),
    /// Not safe; the reason.
    Refused(String),
}

/// What is done with `image` of a manifest (K-19).
pub(super) fn icon(text: &str) -> Icon {
    match text.parse::<Image>() {
        Ok(Image::Data(url)) if is_base64_image(&url) => Icon::Inline(url),
        Ok(Image::Data(_)) => Icon::Refused("the image is too large or not base64".to_owned()),
        Ok(Image::Https(url)) => Icon::Remote(HttpsUrl::to_string(&url)),
        Ok(Image::Ipfs(url)) => Icon::Remote(url),
        Err(error) => Icon::Refused(error.to_string()),
    }
}

/// Longer ones were shortened by the model already.
fn is_base64_image(url: &str) -> bool {
    let Some((_, data)) = url.split_once(";base64,") else {
        return false;
    };
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    !data.is_empty() && data.bytes().all(is_base64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_without_credentials_is_a_link() {
        // K-20
        assert_eq!(
            https("https://Bücher.example/a").unwrap().host,
            "xn--bcher-kva.example"
        );
        for text in [
            "http://example.com",
            "javascript:alert(1)",
            " javascript:alert(1)",
            "java\nscript:alert(1)",
            "file:///etc/passwd",
            "blob:https://example.com/1",
            "data:text/html,x",
            "//example.com",
            "https://user:password@example.com",
            "ipfs://bafy",
            "",
        ] {
            assert_eq!(https(text), None, "{text}");
        }
    }

    #[test]
    fn icons_are_inline_or_not_loaded() {
        assert!(matches!(
            icon("data:image/png;base64,iVBORw0KGgo="),
            Icon::Inline(_)
        ));
        for text in [
            "data:image/png;base64,\"onerror=alert(1)",
            "data:image/png,<svg onload=alert(1)>",
            "data:image/png;base64,abc…",
            "data:image/svg+xml;base64,PHN2Zz4=",
            "vbscript:x",
        ] {
            assert!(matches!(icon(text), Icon::Refused(_)), "{text}");
        }
    }
}
