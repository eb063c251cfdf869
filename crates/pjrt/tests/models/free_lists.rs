//! The frames of executions that run at the same time.

use crate::{Watched, check, free_list::FreeList};
use loom::{sync::atomic::AtomicUsize, sync::atomic::Ordering::Relaxed, thread};
use std::sync::Arc;

/// Takes an item or makes one, uses it, and puts it back.
fn execute(list: &FreeList<Watched>, made: &AtomicUsize) {
    let item = list.take().unwrap_or_else(|| {
        made.fetch_add(1, Relaxed);
        Box::new(Watched::new(0))
    });
    item.write(item.read() + 1);
    list.put(item);
}

fn executions(threads: usize, each: usize) {
    let list: Arc<FreeList<Watched>> = Arc::default();
    let made = Arc::new(AtomicUsize::new(0));
    let run = |_| {
        let (list, made) = (Arc::clone(&list), Arc::clone(&made));
        thread::spawn(move || (0..each).for_each(|_| execute(&list, &made)))
    };
    let others: Vec<_> = (1..threads).map(run).collect();
    (0..each).for_each(|_| execute(&list, &made));
    others.into_iter().for_each(|other| other.join().expect("it has not panicked"));
    let items: Vec<_> = std::iter::from_fn(|| list.take()).collect();
    assert!(items.len() <= threads, "as many as executions at the same time");
    assert_eq!(items.len(), made.load(Relaxed), "none is lost, none is there twice");
    let uses: usize = items.iter().map(|item| item.read()).sum();
    assert_eq!(uses, threads * each);
}

#[test]
fn two_executions_at_a_time_have_an_item_each() {
    check(None, || executions(2, 2));
}

#[test]
fn three_executions_at_a_time_have_an_item_each() {
    check(Some(5), || executions(3, 1));
}

#[test]
fn a_list_that_is_dropped_drops_its_items() {
    check(None, || {
        let list: FreeList<Arc<()>> = FreeList::default();
        let item = Arc::new(());
        list.put(Box::new(Arc::clone(&item)));
        list.put(Box::new(Arc::clone(&item)));
        drop(list);
        assert_eq!(Arc::strong_count(&item), 1);
    });
}
