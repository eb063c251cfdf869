//! Measuring in the background, while the process is idle.

use super::{activity::Uses, load::Load, step::Terms};
use crate::{Platform, platform::WeakPlatform};
use hloom_pjrt::BackgroundWork;
use std::{thread, time::Duration};

/// The time without a call or a compilation after which a process is idle.
const IDLE: Duration = Duration::from_secs(1);

/// Starts a thread that measures the classes of products that the platform's programs lack, and
/// ends when none is left. It keeps neither the platform nor the end of the process waiting.
/// Returns false if the thread could not be started.
pub(super) fn begin(platform: &Platform) -> bool {
    let platform = platform.downgrade();
    thread::Builder::new().name("hloom-dots".into()).spawn(move || run(&platform)).is_ok()
}

fn run(platform: &WeakPlatform) {
    let mut before = None;
    loop {
        thread::sleep(IDLE);
        // Dropped after the platform, which may be destroyed here.
        let Some(_work) = BackgroundWork::begin() else { return };
        let Some(platform) = platform.upgrade() else { return };
        let dots = platform.dots();
        let is_asked = {
            let mut state = dots.state();
            if state.is_complete() || !state.is_background_on(&platform) {
                state.has_thread = false;
                return;
            }
            state.is_asked()
        };
        let now = Sample::of(&platform);
        if before.as_ref().is_some_and(|before| now.is_idle_since(before, is_asked)) {
            let goes_on = || {
                let is_in_use = dots.activity().uses() != now.uses || !platform.is_shared();
                !is_in_use && !BackgroundWork::is_awaited()
            };
            let terms = Terms { goes_on: &goes_on, accepts_noise: is_asked };
            if let Err(error) = dots.step(&platform, &terms) {
                tracing::debug!(%error, "dot products are not measured");
            }
        }
        before = Some(Sample::of(&platform));
    }
}

/// The use of the platform and of the machine at one time.
struct Sample {
    uses: Uses,
    load: Option<Load>,
}

impl Sample {
    fn of(platform: &Platform) -> Sample {
        Sample { uses: platform.dots().activity().uses(), load: Load::now() }
    }

    /// Whether programs have run, and the platform was not used since then: the first results of a
    /// process do not wait for measurements. Unless `is_asked`, others left the machine alone, too.
    fn is_idle_since(&self, before: &Sample, is_asked: bool) -> bool {
        let is_idle = |before: &Load, now: &Load| {
            before.is_idle_until(now) && (is_asked || before.is_quiet_until(now))
        };
        self.uses.calls > 0
            && self.uses == before.uses
            && before.load.as_ref().zip(self.load.as_ref()).is_none_or(|(a, b)| is_idle(a, b))
    }
}
