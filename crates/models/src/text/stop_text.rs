//! Stop texts, which end an answer.

/// Searches streamed text for texts that end an answer.
///
/// ```
/// use hloom_models::text::StopText;
///
/// let mut stop = StopText::new(["\nUser:".into()]);
/// assert_eq!(stop.push("Hello.\nUs"), ("Hello.".into(), false));
/// assert_eq!(stop.push("eful."), ("\nUseful.".into(), false));
/// assert_eq!(stop.push(" Bye.\nUser: and more"), (" Bye.".into(), true));
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopText {
    stops: Vec<String>,
    /// The end of the text so far, which may be the beginning of a stop text.
    held: String,
}

impl StopText {
    /// Searches for any of `stops`; empty ones are ignored.
    pub fn new(stops: impl IntoIterator<Item = String>) -> StopText {
        StopText {
            stops: stops.into_iter().filter(|stop| !stop.is_empty()).collect(),
            held: String::new(),
        }
    }

    /// Adds a piece. Returns the text that may be shown, and whether the answer has ended: the stop
    /// text and all that follows are not returned.
    pub fn push(&mut self, piece: &str) -> (String, bool) {
        self.held.push_str(piece);
        if let Some(at) = self.stops.iter().filter_map(|stop| self.held.find(stop)).min() {
            let mut shown = std::mem::take(&mut self.held);
            shown.truncate(at);
            return (shown, true);
        }
        let may_begin =
            |at: usize| self.stops.iter().any(|stop| stop.starts_with(&self.held[at..]));
        let mut starts = self.held.char_indices().map(|(at, _)| at);
        let keep = starts.find(|&at| may_begin(at)).unwrap_or(self.held.len());
        let held = self.held.split_off(keep);
        (std::mem::replace(&mut self.held, held), false)
    }

    /// The text that was held back, when the stream ends.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_stops_ends_the_text() {
        let mut stop = StopText::new(["bb".into(), "a".into(), "é!".into(), String::new()]);
        assert_eq!(stop.push("xb"), ("x".into(), false));
        assert_eq!(stop.push("cé"), ("bc".into(), false));
        assert_eq!(stop.push("?"), ("é?".into(), false));
        assert_eq!(stop.push("yabb"), ("y".into(), true));
    }

    #[test]
    fn what_was_held_is_given_at_the_end() {
        let mut stop = StopText::new(["END".into()]);
        assert_eq!(stop.push("the EN"), ("the ".into(), false));
        assert_eq!(stop.finish(), "EN");
        assert_eq!(StopText::default().push("all"), ("all".into(), false));
    }
}
