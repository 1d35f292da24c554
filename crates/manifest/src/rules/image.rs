//! `image` and `featuredImage` (T-39). A URL that is too long makes the manifest invalid; for consumers, a URL that is not safe
//! to display is only ignored (T-24).

use super::{
    context::{RuleContext, display},
    member::Member,
};
use crate::{Code, Image, Kind, MAX_URL_BYTES, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    for member in [Member::Image, Member::FeaturedImage] {
        let Some(value) = context.optional_member(member, Kind::String) else {
            continue;
        };
        let text = value.as_str().unwrap_or_default();
        let image = text.parse::<Image>();
        let bytes = image.as_ref().map_or(text.len(), Image::byte_length);
        if bytes > MAX_URL_BYTES {
            context.reject(Violation {
                code: Code::ImageTooLong,
                pointer: value.pointer(),
                found: format!("{bytes} bytes"),
                allowed: format!("at most {MAX_URL_BYTES} bytes").into(),
                fix: "host the image and use its URL".into(),
            });
        }
        if let Err(error) = image {
            context.reject_for_producers(Violation {
                code: Code::ImageNotShown,
                pointer: value.pointer(),
                found: format!("{}: {error}", display(value)),
                allowed: "an https or ipfs URL, or data:image/png, jpeg, webp, gif or avif".into(),
                fix: "host the image and use its https URL".into(),
            });
        }
    }
}
