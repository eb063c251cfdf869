//! The n-th call of a run fails, for every n.

use fake_plugin::working::{Fault, Session, Watchdog, may_be_silent, returns_something};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::script;

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
    script::run(&session);
    let calls = session.calls();
    let mut problems = Vec::new();
    let mut reported = BTreeMap::new();
    for fault in Fault::ALL {
        let mut seen = BTreeSet::new();
        for (nth, name) in calls.iter().enumerate() {
            // How a message is read does not depend on what fails.
            if matches!(fault, Fault::NullMessage | Fault::InvalidUtf8) && !seen.insert(name) {
                continue;
            }
            // Interpreted, the whole takes hours.
            if cfg!(miri) && nth % 16 != 5 {
                continue;
            }
            // Where nothing is returned, success is all there is to see.
            if fault == Fault::NothingMade && !returns_something(name) {
                continue;
            }
            session.reset();
            session.fail(nth, fault);
            let watchdog = Watchdog::begin(format!("call {nth} of {name} with {fault:?}"));
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let outcome = script::run(&session);
                if !outcome.client_stays {
                    session.assert_clean();
                }
                outcome
            }));
            drop(watchdog);
            let function = session.faulted().first().copied().unwrap_or_default();
            let at = format!("{nth} {function} {fault:?}");
            match outcome {
                Err(panic) => {
                    problems.push(format!("{at}: panic {}", message(&*panic)));
                }
                Ok(outcome) => {
                    let errors = &outcome.errors;
                    let named = errors.iter().any(|(_, error)| error.to_string().contains(function));
                    let is_fine = match fault {
                        // Results that nobody takes.
                        Fault::NothingMade => named || errors.is_empty() && function == "PJRT_LoadedExecutable_Execute",
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
    // Calls further from each other hardly meet.
    const APART: usize = 30;
    let session = Session::begin();
    script::run(&session);
    let calls = session.calls();
    let mut problems = BTreeMap::new();
    for (first, name) in calls.iter().enumerate() {
        for apart in 1..APART {
            session.reset();
            session.fail(first, Fault::Error);
            session.fail(first + apart, Fault::Error);
            let watchdog = Watchdog::begin(format!("call {first} of {name} and {apart} later"));
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let outcome = script::run(&session);
                if !outcome.client_stays {
                    session.assert_clean();
                }
            }));
            drop(watchdog);
            if let Err(panic) = outcome {
                problems.insert(session.faulted(), format!("{first} + {apart}: {}", message(&*panic)));
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default()
}
