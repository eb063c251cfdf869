//! The choice among strategies by their times.

use super::DotStrategy;

/// The fraction of the rounds in which a strategy has to be faster than the built-in one.
const MIN_FASTER: f64 = 0.75;

/// The built-in strategy, unless another is faster by a factor. Times are compared round by round,
/// since other work on the machine slows down all strategies of a round alike.
pub(super) fn fastest(
    measured: &[(DotStrategy, Vec<f64>)],
    built_in: DotStrategy,
    factor: f64,
) -> DotStrategy {
    let own = measured.iter().find(|(strategy, _)| *strategy == built_in).map(|(_, own)| own);
    let Some(own) = own else {
        let best = measured.iter().min_by(|a, b| median(&a.1).total_cmp(&median(&b.1)));
        return best.map_or(built_in, |(strategy, _)| *strategy);
    };
    let faster = measured.iter().filter_map(|(strategy, turns)| {
        let ratios: Vec<f64> = turns.iter().zip(own).map(|(turn, own)| turn / own).collect();
        let often = ratios.iter().filter(|ratio| **ratio < 1.0).count() as f64;
        let ratio = median(&ratios);
        (ratio < factor && often >= MIN_FASTER * ratios.len() as f64).then_some((*strategy, ratio))
    });
    faster.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(built_in, |(strategy, _)| strategy)
}

/// The median; of an even number of values, the mean of the two in the middle.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let [low, high] = [sorted.len().saturating_sub(1) / 2, sorted.len() / 2];
    if sorted.is_empty() { f64::INFINITY } else { sorted[low].midpoint(sorted[high]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DotStrategy::{Kernel, Plugin, PluginColumns};

    #[test]
    fn another_strategy_is_chosen_only_if_it_is_clearly_faster() {
        let fastest = |measured: &[(DotStrategy, f64)], built_in| {
            // Other work slows down some rounds.
            let turns = |&(strategy, seconds): &(DotStrategy, f64)| {
                (strategy, vec![seconds, 2.0 * seconds, 1.1 * seconds, seconds])
            };
            fastest(&measured.iter().map(turns).collect::<Vec<_>>(), built_in, 0.97)
        };
        assert_eq!(fastest(&[(Kernel, 1.0), (Plugin, 0.98)], Kernel), Kernel);
        assert_eq!(fastest(&[(Kernel, 1.0), (Plugin, 0.96)], Kernel), Plugin);
        let three = [(Kernel, 1.0), (Plugin, 0.9), (PluginColumns, 0.8)];
        assert_eq!(fastest(&three, Kernel), PluginColumns);
        assert_eq!(fastest(&three, PluginColumns), PluginColumns);
        // The built-in strategy was hopeless, so it has no times.
        assert_eq!(fastest(&[(Plugin, 1.0), (PluginColumns, 1.1)], Kernel), Plugin);
        assert_eq!(fastest(&[], Kernel), Kernel);
        let compared = |own: &[f64], other: &[f64], factor| {
            let measured = [(Kernel, own.to_vec()), (Plugin, other.to_vec())];
            super::fastest(&measured, Kernel, factor)
        };
        // A strategy that is faster in one round only is not chosen.
        assert_eq!(compared(&[1.0; 4], &[0.5, 1.1, 1.1, 1.1], 0.97), Kernel);
        // A strategy that is a little faster is not chosen, where a cache may have helped it.
        assert_eq!(compared(&[1.0; 4], &[0.92; 4], 0.9), Kernel);
        // Rounds are compared, not best times: the built-in strategy's best time was in a fast
        // round.
        assert_eq!(compared(&[1.0, 2.0, 3.0, 4.0], &[1.1, 1.9, 2.8, 3.7], 0.97), Plugin);
    }
}
