//! One small lexer for Rust and Solidity: enough to tell code, comments and strings apart.

/// The two languages whose sources we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Block comments nest; strings may be raw; a quote may start a lifetime.
    Rust,
    /// Block comments do not nest; strings take either quote.
    Solidity,
}

/// What a token is, as far as the checks care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Identifier, keyword or number.
    Word,
    /// Line or block comment, documentation included.
    Comment,
    /// String literal of any kind.
    Text,
    /// Character literal or lifetime.
    Quote,
    /// Any other single character.
    Symbol,
}

/// A piece of the source and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// The piece itself, delimiters included.
    pub text: &'a str,
    /// Byte offset in the source.
    pub at: usize,
    /// Line of its first character, from 1.
    pub line: usize,
}

impl Token<'_> {
    /// Whether this is the given identifier, keyword or symbol, in code and not in prose.
    pub fn is(&self, code: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Symbol) && self.text == code
    }

    /// Whether a reader is spoken to here: a comment or a string.
    pub fn is_prose(&self) -> bool {
        matches!(self.kind, Kind::Comment | Kind::Text)
    }
}

/// Cuts a source into tokens. Never fails: what is left open runs to the end of the file.
pub fn lex(language: Language, source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else {
            let (kind, length) = token(language, rest, first);
            tokens.push(Token {
                kind,
                text: &rest[..length],
                at,
                line,
            });
            length
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

/// Index of the bracket that closes the one at `open`, or of the last token if none does.
pub fn closing(code: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in code.iter().enumerate().skip(open) {
        if token.kind == Kind::Symbol {
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => continue,
            }
            if depth == 0 {
                return index;
            }
        }
    }
    code.len().saturating_sub(1)
}

fn token(language: Language, rest: &str, first: char) -> (Kind, usize) {
    if rest.starts_with("//") {
        return (Kind::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (
            Kind::Comment,
            block_comment(rest, language == Language::Rust),
        );
    }
    match (language, first) {
        (_, '"') | (Language::Solidity, '\'') => (Kind::Text, quoted(rest, 0)),
        (Language::Rust, '\'') => (Kind::Quote, char_or_lifetime(rest, 0)),
        (Language::Rust, 'r' | 'b' | 'c') => prefixed(rest),
        _ if is_word(first) => (Kind::Word, word(rest)),
        (Language::Solidity, '$') => (Kind::Word, 1 + word(&rest[1..])),
        _ => (Kind::Symbol, first.len_utf8()),
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn word(rest: &str) -> usize {
    rest.find(|character| !is_word(character))
        .unwrap_or(rest.len())
}

fn block_comment(rest: &str, nests: bool) -> usize {
    let (mut at, mut depth) = (2, 1);
    while depth > 0 {
        let Some(close) = rest[at..].find("*/") else {
            return rest.len();
        };
        match rest[at..at + close].find("/*") {
            Some(open) if nests => (at, depth) = (at + open + 2, depth + 1),
            _ => (at, depth) = (at + close + 2, depth - 1),
        }
    }
    at
}

/// Length of a literal with backslash escapes whose opening quote stands at `open`.
fn quoted(rest: &str, open: usize) -> usize {
    let quote = rest.as_bytes()[open];
    let mut escaped = false;
    for (index, byte) in rest.bytes().enumerate().skip(open + 1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return index + 1,
            _ => {}
        }
    }
    rest.len()
}

/// `'a'`, `'\''` and `b'x'` end with a quote; the lifetime `'a` does not.
fn char_or_lifetime(rest: &str, open: usize) -> usize {
    let mut following = rest[open + 1..].chars();
    match (following.next(), following.next()) {
        (Some('\\'), _) | (Some(_), Some('\'')) => quoted(rest, open),
        _ => open + 1 + word(&rest[open + 1..]),
    }
}

/// A Rust word that may turn out to be the prefix of a string: `r#"…"#`, `b"…"`, `cr"…"`, `b'x'`; or `r#name`.
fn prefixed(rest: &str) -> (Kind, usize) {
    let prefix = word(rest);
    let after = &rest[prefix..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    match &rest[..prefix] {
        "r" | "br" | "cr" if after[hashes..].starts_with('"') => {
            let open = prefix + hashes + 1;
            let end = format!("\"{}", "#".repeat(hashes));
            let length = rest[open..]
                .find(&end)
                .map_or(rest.len(), |at| open + at + end.len());
            (Kind::Text, length)
        }
        "r" if hashes == 1 => (Kind::Word, prefix + 1 + word(&after[1..])),
        "b" | "c" if after.starts_with('"') => (Kind::Text, quoted(rest, prefix)),
        "b" if after.starts_with('\'') => (Kind::Quote, char_or_lifetime(rest, prefix)),
        _ => (Kind::Word, prefix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(language: Language, source: &str) -> Vec<(Kind, &str)> {
        lex(language, source)
            .into_iter()
            .map(|token| (token.kind, token.text))
            .collect()
    }

    fn prose(language: Language, source: &str) -> Vec<&str> {
        lex(language, source)
            .into_iter()
            .filter(Token::is_prose)
            .map(|token| token.text)
            .collect()
    }

    #[test]
    fn comments_nest_in_rust_and_not_in_solidity() {
        let source = "/* a /* b */ c */ d";
        assert_eq!(prose(Language::Rust, source), ["/* a /* b */ c */"]);
        assert_eq!(prose(Language::Solidity, source), ["/* a /* b */"]);
    }

    #[test]
    fn a_comment_mark_inside_a_string_is_text() {
        assert_eq!(
            prose(Language::Solidity, r#"x = "// no"; // yes"#),
            ["\"// no\"", "// yes"]
        );
        assert_eq!(
            prose(Language::Solidity, r"x = '/* \' no'; y"),
            [r"'/* \' no'"]
        );
        assert_eq!(
            prose(Language::Rust, r#"let u = "https://a\"b"; // c"#).len(),
            2
        );
    }

    #[test]
    fn a_quote_inside_a_comment_opens_no_string() {
        assert_eq!(
            prose(Language::Solidity, "// don't\nf(); // \"\n"),
            ["// don't", "// \""]
        );
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        let source = r###"r#"a " // b"# + br"\" + cr##"x"#y"## "###;
        assert_eq!(
            prose(Language::Rust, source),
            [r##"r#"a " // b"#"##, r#"br"\""#, r###"cr##"x"#y"##"###]
        );
    }

    #[test]
    fn lifetimes_characters_and_raw_names_are_told_apart() {
        let found = pieces(Language::Rust, r"'a 'b' '\'' '{' b'\\' r#fn '\u{7d}' '_'");
        let texts: Vec<_> = found.iter().map(|piece| piece.1).collect();
        assert_eq!(
            texts,
            [
                "'a",
                "'b'",
                r"'\''",
                "'{'",
                r"b'\\'",
                "r#fn",
                r"'\u{7d}'",
                "'_'"
            ]
        );
        assert_eq!(
            found.iter().filter(|piece| piece.0 == Kind::Quote).count(),
            7
        );
    }

    #[test]
    fn words_that_begin_like_a_prefix_stay_words() {
        let found = pieces(Language::Rust, "result b crate r");
        assert!(found.iter().all(|piece| piece.0 == Kind::Word), "{found:?}");
    }

    #[test]
    fn tokens_know_their_line_and_place() {
        let tokens = lex(Language::Rust, "a\n/* b\n */ c");
        assert_eq!(
            tokens.iter().map(|token| token.line).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        assert_eq!(tokens[2].at, 11);
    }

    #[test]
    fn braces_in_prose_do_not_close_a_body() {
        let code: Vec<_> = lex(Language::Rust, "{ \"}\" '}' /* } */ ( [ ] ) } tail")
            .into_iter()
            .filter(|token| token.kind != Kind::Comment)
            .collect();
        assert!(code[closing(&code, 0) + 1].is("tail"));
    }

    #[test]
    fn what_is_left_open_runs_to_the_end() {
        for source in ["/* a", "\"a", "r#\"a\"", "'\\", "// a"] {
            assert_eq!(pieces(Language::Rust, source).len(), 1, "{source}");
        }
        let code = lex(Language::Rust, "{ ( a");
        assert_eq!(closing(&code, 0), 2);
    }
}
