//! Renders untrusted Markdown; raw HTML is escaped (K-17).

use pulldown_cmark::{CowStr, Event, Parser, Tag, TagEnd, html};

use super::links;
use crate::text;

/// Deepest nesting of lists and quotes.
const MAX_DEPTH: usize = 8;

/// Longest result in bytes.
const MAX_HTML: usize = 24 * 1024;

/// HTML that contains only elements of this function and escaped text. Raw HTML is shown as text, images by their description, links only
/// to https, with their host. Headings are paragraphs: the outline belongs to the page.
pub(super) fn render(text: &str) -> String {
    let mut open_links = Vec::new();
    let mut depth = 0_usize;
    let mut deepest = 0_usize;
    let events = Parser::new(text).filter_map(|event| {
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                let link = links::https(&dest_url);
                let start = link.as_ref().map(|link| {
                    let href = askama_escape(&link.url);
                    trusted_html(format!(
                        "<a href=\"{href}\" rel=\"noopener noreferrer nofollow ugc\">"
                    ))
                });
                open_links.push(link);
                start
            }
            Event::End(TagEnd::Link) => open_links.pop().flatten().map(|link| {
                trusted_html(format!(
                    "</a> <span class=\"host\">({})</span>",
                    askama_escape(&link.host)
                ))
            }),
            Event::Start(Tag::Heading { .. }) => Some(trusted_html("<p><strong>".to_owned())),
            Event::End(TagEnd::Heading(_)) => Some(trusted_html("</strong></p>".to_owned())),
            Event::Start(Tag::CodeBlock(_)) => Some(trusted_html("<pre><code>".to_owned())),
            Event::End(TagEnd::CodeBlock) => Some(trusted_html("</code></pre>".to_owned())),
            // Entities such as `&#x202e;` are characters only now.
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                Some(Event::Text(neutral(&text)))
            }
            Event::Code(text) => Some(Event::Code(neutral(&text))),
            Event::Start(
                Tag::Paragraph
                | Tag::BlockQuote(_)
                | Tag::List(_)
                | Tag::Item
                | Tag::Emphasis
                | Tag::Strong,
            )
            | Event::End(
                TagEnd::Paragraph
                | TagEnd::BlockQuote(_)
                | TagEnd::List(_)
                | TagEnd::Item
                | TagEnd::Emphasis
                | TagEnd::Strong,
            )
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule => Some(event),
            // Images, and what only extensions have: their text remains.
            _ => None,
        }
    });
    let mut html = String::new();
    html::push_html(&mut html, events);
    if deepest > MAX_DEPTH || html.len() > MAX_HTML {
        return format!("<p class=\"plain\">{}</p>", askama_escape(text));
    }
    html
}

/// The text without markup, on one line.
pub(super) fn plain(text: &str) -> String {
    let mut line = String::new();
    for event in Parser::new(text) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                line.push_str(&neutral(&text));
            }
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                line.push(' ');
            }
            _ => {}
        }
    }
    line
}

fn neutral(text: &str) -> CowStr<'static> {
    text::paragraphs(text, usize::MAX).into()
}

fn trusted_html(text: String) -> Event<'static> {
    Event::InlineHtml(CowStr::from(text))
}

fn askama_escape(text: &str) -> String {
    askama::filters::escape(text, askama::filters::Html)
        .map_or_else(|never| match never {}, |safe| safe.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_text_and_drops_what_can_act() {
        // K-17
        // K-20
        for (markdown, html) in [
            (
                "**bold** `code`",
                "<p><strong>bold</strong> <code>code</code></p>\n",
            ),
            (
                "<script>alert(1)</script>",
                "&lt;script&gt;alert(1)&lt;/script&gt;",
            ),
            (
                "a <img src=x onerror=alert(1)> b",
                "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>\n",
            ),
            ("[x](javascript:alert(1))", "<p>x</p>\n"),
            ("[x](http://example.com)", "<p>x</p>\n"),
            (
                "[x](data:text/html,1) <file:///etc/passwd>",
                "<p>x file:///etc/passwd</p>\n",
            ),
            ("![a](https://example.com/pixel.png)", "<p>a</p>\n"),
            ("# Title", "<p><strong>Title</strong></p>"),
            (
                "[x](https://example.com/\"onclick=\"a)",
                "<p><a href=\"https://example.com/%22onclick=%22a\" rel=\"noopener noreferrer nofollow ugc\">x</a> \
                 <span class=\"host\">(example.com)</span></p>\n",
            ),
            (
                "```html onload=x\n<b>\n```",
                "<pre><code>&lt;b&gt;\n</code></pre>",
            ),
        ] {
            assert_eq!(render(markdown), html, "{markdown}");
        }
    }

    #[test]
    fn entities_cannot_hide_characters() {
        for entity in ["&#x202E;", "&#27;", "&#x2028;", "&#x2066;", "&#0;"] {
            for text in [
                format!("a {entity} b"),
                format!("[a{entity}](https://example.com)"),
                format!("# a{entity}"),
                format!("`\u{202e}` {entity}"),
            ] {
                for shown in [render(&text), plain(&text)] {
                    assert!(shown.contains('\u{fffd}'), "{text}: {shown:?}");
                    assert!(
                        shown.chars().all(|shown| shown == '\n'
                            || text::line(&shown.to_string(), 1) == shown.to_string()),
                        "{text}: {shown:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_summary_has_no_markup() {
        let summary = plain("# A\n\n**b** `c`\n\n- [d](https://example.com)\n- <i>e");
        assert_eq!(summary, "Ab c d <i>e ");
    }

    #[test]
    fn deep_or_long_markdown_is_plain_text() {
        let deep = ">".repeat(4_000);
        assert!(
            render(&deep).starts_with("<p class=\"plain\">&#62;"),
            "{}",
            &render(&deep)[..40]
        );
        let long = "*a*".repeat(4_000);
        assert!(render(&long).starts_with("<p class=\"plain\">"));
    }
}
