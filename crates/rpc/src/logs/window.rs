//! The number of blocks per `eth_getLogs` request.

use super::refusal::Refusal;

/// The first request. Most providers accept it.
const FIRST_SPAN: u64 = 10_000;

/// Larger ranges save little and take long on nodes without an index.
const MAX_SPAN: u64 = 100_000;

/// Accepted requests before the size grows again after a refusal.
const FIRST_PAUSE: u32 = 4;

const MAX_PAUSE: u32 = 1024;

/// Adapts the size of requests to the limits of a node.
///
/// A limit that the node names is never exceeded again. Other refusals reduce the size; it grows again after a number of
/// accepted requests, and each further refusal doubles this number. So only a logarithmic part of the requests is refused.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    span: u64,
    max: u64,
    /// The size of the last accepted request, 0 if it was refused since.
    accepted: u64,
    /// Accepted requests until the size grows.
    pause: u32,
    /// The next pause.
    next_pause: u32,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            span: FIRST_SPAN,
            max: MAX_SPAN,
            accepted: 0,
            pause: 0,
            next_pause: FIRST_PAUSE,
        }
    }
}

impl Window {
    /// The last block of the next request.
    pub(super) fn end(&self, from: u64, limit: u64) -> u64 {
        from.saturating_add(self.span - 1).min(limit)
    }

    /// A request was accepted.
    pub(super) fn accept(&mut self, from: u64, end: u64) {
        if end - from + 1 < self.span {
            return;
        }
        self.accepted = self.span;
        if self.pause > 0 {
            self.pause -= 1;
            return;
        }
        let grown = self.span.saturating_mul(2).min(self.max);
        if grown == self.span {
            self.next_pause = FIRST_PAUSE;
        }
        self.span = grown;
    }

    /// A request was refused. Returns whether a smaller one is possible.
    pub(super) fn refuse(&mut self, refusal: Refusal, from: u64, end: u64) -> bool {
        let length = end - from + 1;
        if length == 1 {
            return false;
        }
        let divided = |divisor: u64| (length / divisor).max(1);
        let accepted = std::mem::take(&mut self.accepted);
        self.span = match refusal {
            Refusal::Range { max: Some(max) } if max < length => {
                self.max = max;
                self.span = max;
                return true;
            }
            Refusal::Size { end: Some(last) } if (from..end).contains(&last) => last - from + 1,
            Refusal::Range { .. } | Refusal::Size { .. } => divided(2),
            _ if (1..length).contains(&accepted) => accepted,
            // Few steps: the size may not be the reason.
            Refusal::Unrecognized | Refusal::UnknownBlock => divided(10),
        };
        self.pause = self.next_pause;
        self.next_pause = self.next_pause.saturating_mul(2).min(MAX_PAUSE);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Refusal = Refusal::Range { max: None };

    /// Reads `blocks` blocks from a node with a limit. Returns the sizes of the accepted and of the refused requests.
    fn read(blocks: u64, limit: impl Fn(u64) -> u64, refusal: Refusal) -> (Vec<u64>, Vec<u64>) {
        let mut window = Window::default();
        let (mut accepted, mut refused) = (Vec::new(), Vec::new());
        let mut from = 0;
        while from < blocks {
            let end = window.end(from, blocks - 1);
            let length = end - from + 1;
            if length > limit(from) {
                refused.push(length);
                assert!(window.refuse(refusal, from, end));
            } else {
                accepted.push(length);
                window.accept(from, end);
                from = end + 1;
            }
        }
        (accepted, refused)
    }

    #[test]
    fn a_named_limit_is_exceeded_once() {
        let refusal = Refusal::Range { max: Some(800) };
        let (accepted, refused) = read(1_000_000, |_| 800, refusal);
        assert_eq!(refused, [10_000]);
        assert!(
            accepted[..accepted.len() - 1]
                .iter()
                .all(|size| *size == 800)
        );
    }

    #[test]
    fn few_requests_exceed_a_limit_that_is_not_named() {
        let (accepted, refused) = read(10_000_000, |_| 3000, RANGE);
        // 4,000 requests at least. Halving after every growth would refuse every second one.
        assert!(refused.len() < 20, "{}", refused.len());
        assert!(accepted.len() < 4500, "{}", accepted.len());
    }

    #[test]
    fn grows_again_where_blocks_have_fewer_logs() {
        // The first 100,000 blocks are dense.
        let limit = |from| if from < 100_000 { 500 } else { u64::MAX };
        let (accepted, refused) = read(20_000_000, limit, Refusal::Size { end: None });
        assert!(accepted.contains(&MAX_SPAN));
        assert!(refused.len() < 15, "{}", refused.len());
        assert!(accepted.len() < 700, "{}", accepted.len());
    }

    #[test]
    fn uses_the_suggested_range() {
        let mut window = Window::default();
        assert!(window.refuse(Refusal::Size { end: Some(149) }, 100, 10_099));
        assert_eq!(window.end(100, u64::MAX), 149);
        // A suggestion that is not smaller is ignored: reth returned the requested range.
        for end in [149, 150, 99] {
            let mut window = window;
            assert!(window.refuse(Refusal::Size { end: Some(end) }, 100, 149));
            assert_eq!(window.end(100, u64::MAX), 124);
        }
        assert!(window.refuse(Refusal::Range { max: Some(50) }, 100, 149));
        assert_eq!(window.end(100, u64::MAX), 124);
    }

    #[test]
    fn one_block_cannot_be_reduced() {
        let mut window = Window::default();
        for refusal in [RANGE, Refusal::Size { end: None }, Refusal::Unrecognized] {
            assert!(!window.refuse(refusal, 7, 7));
            assert!(window.refuse(refusal, 7, 8));
            assert_eq!(window.end(7, u64::MAX), 7);
        }
        assert_eq!(Window::default().end(u64::MAX - 5, u64::MAX), u64::MAX);
    }

    #[test]
    fn an_unrecognized_error_is_given_up_after_few_requests() {
        let mut window = Window::default();
        let mut requests = 1;
        let mut end = window.end(0, u64::MAX);
        while window.refuse(Refusal::Unrecognized, 0, end) {
            end = window.end(0, u64::MAX);
            requests += 1;
        }
        assert_eq!((end, requests), (0, 5));
    }
}
