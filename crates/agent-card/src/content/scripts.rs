//! Executable code.

use std::sync::LazyLock;

use regex::Regex;

use super::{Hit, Text, credentials::compile};
use crate::Code;

/// Kind, pattern.
const PATTERNS: &[(&str, &str)] = &[
    (
        "a script URL",
        r"(?i)\b(?:j\s*a\s*v\s*a|v\s*b|l\s*i\s*v\s*e)\s*s\s*c\s*r\s*i\s*p\s*t\s*:(?:\S|\s*[\w.$]+[(=\[{;`])",
    ),
    (
        "a data URL with a document or code",
        r"(?i)\bdata:\s*(?:text/html|text/xml|text/javascript|application/(?:x-)?(?:javascript|ecmascript|xhtml\+xml|xml)|image/svg\+xml)\s*[;,]",
    ),
    (
        "an HTML element that runs code",
        r"(?i)<\s*/?\s*(?:script|iframe|object|embed|applet|frame|meta\s+http-equiv|link\s+rel|base\s+href|svg[\s/>]|math[\s/>]|template|foreignobject|style[\s>]|form[\s>]|portal[\s>])",
    ),
    (
        "an HTML event handler",
        r#"(?i)<[a-z][^>]*[\s/"']on[a-z]{3,24}\s*="#,
    ),
    (
        "an HTML event handler",
        r#"(?i)(?:^|["'\s])on(?:error|load|click|mouseover|mouseenter|focus|blur|toggle|animationstart|pointer\w+|submit|input|change)\s*=\s*["'a-z]"#,
    ),
    (
        "PHP or template code",
        r"(?i)<\?(?:php|=)|<%[=@]?\s|\$\{\s*(?:jndi|env|sys|java|T\()",
    ),
    ("a shell script", r"(?m)^#!\s*/"),
    (
        "a shell command",
        r"(?i)\b(?:curl|wget|fetch)\b[^\n|]+\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\brm\s+-[rf]{1,2}\s+[/~]|(?:;|&&|\$\()\s*(?:curl|wget|nc|bash|powershell)\s|\bpowershell(?:\.exe)?\s+-(?:e|enc|c|nop)",
    ),
    (
        "a command of an interpreter",
        r#"(?i)\b(?:python[23]?|perl|ruby|node|php|lua|osascript|(?:ba|z|da|k)?sh|cmd(?:\.exe)?|pwsh)\s+(?:-[a-z]*[cer]|/c|--eval|-command)\s+["'$\w]"#,
    ),
    (
        "a statement of SQL",
        r"(?i)(?:['\x22)]\s*;?\s*|;\s*)(?:drop\s+(?:table|database|schema)|delete\s+from|insert\s+into|update\s+\w+\s+set|truncate\s+table|union\s+(?:all\s+)?select|alter\s+table|exec\s+\w+)\b",
    ),
    (
        "a template expression that runs code",
        r"(?:\{\{|\$\{|#\{|<%)[^}\n]{0,80}(?:constructor|__\w+__|\bself\b|process\.|Runtime|\w\s*\([^)]*\))",
    ),
    (
        "code that evaluates code",
        r#"(?i)\b(?:eval|atob|Function|setTimeout|setInterval|execSync|child_process\.exec|os\.system|subprocess\.(?:run|call|Popen))\s*\(\s*["'`(\w]|\bdocument\.(?:cookie|write)\b|\bwindow\.location\s*="#,
    ),
    (
        "a function",
        r"(?:\bfunction\s*\w*\s*\([\w\s,]*\)\s*\{|\([\w\s,]*\)\s*=>\s*\{)",
    ),
    (
        "an import of code",
        r#"(?i)\b(?:require|import|__import__)\s*\(\s*["']"#,
    ),
];

static COMPILED: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let patterns = PATTERNS.iter();
    patterns
        .map(|(kind, pattern)| (*kind, compile(pattern)))
        .collect()
});

pub(super) fn search(text: Text<'_>) -> Vec<Hit> {
    let matching = COMPILED
        .iter()
        .filter(|(_, regex)| regex.is_match(text.text));
    matching
        .map(|(kind, _)| Hit::new(Code::Script, kind, ""))
        .collect()
}
