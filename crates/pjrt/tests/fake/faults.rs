//! The n-th call of a run fails, for every n.

use fake_plugin::working::{Fault, Session, may_be_silent};
use std::collections::{BTreeMap, BTreeSet};

use crate::script::{self, Outcome};

#[test]
fn the_script_runs() {
    let session = Session::begin();
    let outcome = script::run(&session);
    assert!(outcome.errors.is_empty(), "{outcome:?}");
    session.assert_clean();
    assert!(session.calls().len() > 300, "{}", session.calls().len());
}

#[test]
fn whichever_call_fails_it_is_an_error_and_nothing_leaks() {
    let session = Session::begin();
    let calls = session.calls_of(|| script::run(&session));
    let mut problems = Vec::new();
    let mut reported = BTreeMap::new();
    for fault in Fault::ALL {
        let mut seen = BTreeSet::new();
        for (nth, name) in calls.iter().enumerate().filter(|(_, name)| fault.suits(name)) {
            // Reading a message does not depend on what fails.
            if matches!(fault, Fault::NullMessage | Fault::InvalidUtf8) && !seen.insert(name) {
                continue;
            }
            // Interpreted, the whole takes hours.
            if cfg!(miri) && nth % 16 != 5 {
                continue;
            }
            let outcome = session.run_with(&[(nth, fault)], || run_clean(&session));
            let function = session.faulted().first().copied().unwrap_or_default();
            let at = format!("{nth} {function} {fault:?}");
            match outcome {
                Err(panic) => {
                    problems.push(format!("{at}: panic {panic}"));
                }
                Ok(outcome) => {
                    let errors = &outcome.errors;
                    let named =
                        errors.iter().any(|(_, error)| error.to_string().contains(function));
                    let is_fine = match fault {
                        // Results that are not taken.
                        Fault::NothingMade => {
                            named
                                || errors.is_empty() && function == "PJRT_LoadedExecutable_Execute"
                        }
                        Fault::EventsFail => {
                            let (seen, all) = reported.entry(function).or_insert((0, 0));
                            (*seen, *all) = (*seen + usize::from(named), *all + 1);
                            named || errors.is_empty()
                        }
                        _ => named || may_be_silent(function),
                    };
                    if !is_fine {
                        problems.push(format!("{at}: errors {errors:?}"));
                    }
                    if let Some(error) = outcome.persistent
                        && !may_be_silent(function)
                    {
                        problems.push(format!("{at}: fails again: {error:?}"));
                    }
                }
            }
        }
    }
    reported.remove("");
    for (function, (seen, all)) in reported {
        if seen == 0 {
            problems.push(format!("0 {function}: none of {all} failing events is reported"));
        }
    }
    problems.sort_by_key(|problem| problem.split_once(' ').map(|(_, rest)| rest.to_owned()));
    problems.dedup_by_key(|problem| problem.split_once(' ').map(|(_, rest)| rest.to_owned()));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
#[ignore = "takes minutes: cargo xtask campaign faults"]
fn whichever_two_calls_fail_nothing_leaks() {
    let session = Session::begin();
    session.run_with_pairs(|| drop(run_clean(&session)));
}

/// Runs the script, and checks that nothing stays unless the plugin lost it.
fn run_clean(session: &Session) -> Outcome {
    let outcome = script::run(session);
    if !outcome.client_stays {
        session.assert_clean();
    }
    outcome
}
