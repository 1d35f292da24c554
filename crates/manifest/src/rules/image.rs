//! `image`, and `featuredImage` under the same rules (T-39): the length refuses the manifest; a URL that is not shown costs
//! only the picture (T-24).

use super::{
    member::Member,
    scope::{Scope, shown},
};
use crate::{Code, Image, Kind, MAX_URL_BYTES, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    for member in [Member::Image, Member::FeaturedImage] {
        let Some(value) = scope.optional_member(member, Kind::String) else {
            continue;
        };
        let text = value.as_str().unwrap_or_default();
        let image = text.parse::<Image>();
        let bytes = image.as_ref().map_or(text.len(), Image::byte_length);
        if bytes > MAX_URL_BYTES {
            scope.refuse(Violation {
                code: Code::ImageTooLong,
                pointer: value.pointer(),
                found: format!("{bytes} bytes"),
                allowed: format!("at most {MAX_URL_BYTES} bytes").into(),
                fix: "host the picture and give its URL".into(),
            });
        }
        if let Err(fault) = image {
            scope.refuse_to_publish(Violation {
                code: Code::ImageNotShown,
                pointer: value.pointer(),
                found: format!("{}: {fault}", shown(value)),
                allowed: "an https or ipfs URL, or data:image/png, jpeg, webp, gif or avif".into(),
                fix: "host the picture under https and give its URL".into(),
            });
        }
    }
}
