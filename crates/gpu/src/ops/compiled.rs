//! The outcome of compiling every case for a device that need not be here.

use super::{
    journal::Ended,
    known,
    outcome::{Outcome, failures},
    plan::Planned,
};
use crate::Result;

/// Prints the cases that do not compile, with the reason.
///
/// # Errors
/// A case does not compile that is neither refused nor known to fail, or one that is known to fail
/// compiles.
pub fn report(target: &str, planned: &[Planned<'_>], ended: &Ended) -> Result {
    let refused = failures(planned, ended, |outcome| outcome == Outcome::Refused);
    for (id, _, why) in &refused {
        println!("refused: {id}: {}", why.lines().next().unwrap_or_default());
    }
    let failed =
        failures(planned, ended, |outcome| matches!(outcome, Outcome::Fails | Outcome::Ends));
    let mut unknown = 0;
    for (id, outcome, why) in &failed {
        match known::reason(target, id) {
            Some(reason) => println!("known: {id}: {reason}"),
            None => {
                unknown += 1;
                println!("{}: {id}: {why}", outcome.name());
            }
        }
    }
    let mended = failures(planned, ended, Outcome::is_right);
    let mended = mended.into_iter().filter(|(id, ..)| known::reason(target, id).is_some());
    let mended: Vec<&str> = mended.map(|(id, ..)| id).collect();
    for id in &mended {
        println!("compiles, but is known not to: {id}");
    }
    let compiled = ended.cases.values().filter(|(outcome, _)| outcome.is_right()).count();
    println!(
        "{target}: {compiled} of {} cases compile, {} are refused, {} are known to fail",
        planned.len(),
        refused.len(),
        failed.len() - unknown
    );
    let missing = planned.len() - ended.cases.len();
    if unknown + mended.len() + missing > 0 {
        let mended = mended.len();
        return Err(format!(
            "{target}: {unknown} cases do not compile, {mended} do that are known not to, \
             {missing} were not tried"
        )
        .into());
    }
    Ok(())
}
