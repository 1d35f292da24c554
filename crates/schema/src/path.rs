//! The way from a root to a value, kept on the stack and written out only when it is reported.

use atr_manifest::Pointer;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'a> {
    Root,
    Member(&'a Self, &'a str),
    Element(&'a Self, usize),
}

impl Path<'_> {
    pub(crate) fn to_pointer(self) -> Pointer {
        let mut steps = vec![self];
        while let Some(Self::Member(parent, _) | Self::Element(parent, _)) = steps.last() {
            steps.push(**parent);
        }
        steps
            .iter()
            .rev()
            .fold(Pointer::root(), |pointer, step| match step {
                Self::Root => pointer,
                Self::Member(_, name) => pointer.member(name),
                Self::Element(_, index) => pointer.element(*index),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_from_the_root() {
        let a = Path::Member(&Path::Root, "a/b");
        let element = Path::Element(&a, 7);
        assert_eq!(
            Path::Member(&element, "c").to_pointer().as_str(),
            "/a~1b/7/c"
        );
        assert_eq!(Path::Root.to_pointer().as_str(), "");
    }
}
