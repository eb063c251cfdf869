//! Bodies within bodies, as many as are allowed and more, on the stack of a test's thread.

use crate::traced::traced;
use hloom_graph::*;

type Nest = fn(usize, Tensor) -> Tensor;
/// Traces a nest in another way.
type Walk = fn(Nest, usize, Tensor) -> Tensor;

fn loops(depth: usize, x: Tensor) -> Tensor {
    match depth {
        0 => x.sin(),
        _ => for_loop(2, x, |_, x| loops(depth - 1, x)),
    }
}

fn whiles(depth: usize, x: Tensor) -> Tensor {
    match depth {
        0 => x.sin(),
        _ => while_loop(x, |x| x.sum(..).lt(3.0), |x| whiles(depth - 1, x)),
    }
}

fn conds(depth: usize, x: Tensor) -> Tensor {
    match depth {
        0 => x.sin(),
        _ => cond(x.sum(..).lt(3.0), || conds(depth - 1, x), || x.cos()),
    }
}

fn scans(depth: usize, x: Tensor) -> Tensor {
    match depth {
        0 => x.sin(),
        _ => scan(x, x, 0, |c, i| (scans(depth - 1, c), i)).0,
    }
}

fn checkpoints(depth: usize, x: Tensor) -> Tensor {
    match depth {
        0 => x.sin(),
        _ => checkpoint(x, CheckpointPolicy::NothingSaveable, |x| checkpoints(depth - 1, x)),
    }
}

const NESTS: [(&str, Nest); 5] = [
    ("for_loop", loops),
    ("while_loop", whiles),
    ("cond", conds),
    ("scan", scans),
    ("checkpoint", checkpoints),
];

fn graph(f: impl FnOnce(Tensor) -> Tensor) -> Result<Graph, TraceError> {
    traced(TraceScope::begin("test"), [Spec::f32([3])], |[x]| f(x))
}

#[test]
fn deep_nests_are_errors_with_the_users_line() {
    for (name, nest) in NESTS {
        graph(|x| nest(MAX_NESTING, x)).unwrap_or_else(|error| panic!("{name}: {error}"));
        for depth in [MAX_NESTING + 1, 1000] {
            let error = graph(|x| nest(depth, x)).expect_err(name);
            let expected = format!("{name}: bodies are nested more than {MAX_NESTING} deep");
            assert!(error.to_string().starts_with(&expected), "{error}");
            assert_eq!(error.location.file(), file!());
        }
        // The trace goes on to work.
        let both = graph(|x| {
            nest(1000, x);
            nest(1, x)
        });
        assert!(both.is_err());
    }
}

#[test]
fn passes_walk_the_deepest_nests() {
    for (name, nest) in NESTS {
        let graph = graph(|x| nest(MAX_NESTING, x)).expect(name);
        assert_eq!(graph.structure_hash(), graph.clone().structure_hash());
        assert!(graph.to_string().len() > MAX_NESTING * 10);
        assert!(graph.rewrite(|_, _| None).is_ok(), "{name}");
        assert!(graph.transform(&mut |_, _| None).is_ok(), "{name}");
        assert!(graph.expand().is_ok(), "{name}");
    }
}

#[test]
fn derivatives_and_batches_of_deep_nests_fit_half_a_small_stack() {
    let walks: [(&str, Walk); 3] = [
        ("vmap", |nest, depth, x| vmap(x.insert_axis(0, "b"), 0, |x| nest(depth, x))),
        ("jvp", |nest, depth, x| jvp(x, x, |x| nest(depth, x)).1),
        ("grad", |nest, depth, x| grad(x, |x| nest(depth, x).sum(..))),
    ];
    for (name, walk) in walks {
        // The others have no derivative, or need more axes than there are.
        for (nested, nest) in [NESTS[0], NESTS[2], NESTS[4]] {
            let depth = match (name, nested) {
                // Values of each step are kept along an axis, and a tensor has at most eight.
                ("jvp" | "grad", "for_loop") => 7,
                // Long derivatives, whose rules are walked as deeply by the one above.
                ("jvp", "checkpoint") => 30,
                // The derived function is a body too, and rules add some.
                _ => MAX_NESTING - 4,
            };
            let thread = std::thread::Builder::new().stack_size(1 << 20);
            let walked = thread.spawn(move || {
                graph(|x| walk(nest, depth, x)).map(drop).map_err(|error| error.to_string())
            });
            let outcome = walked.unwrap().join().unwrap();
            assert_eq!(outcome, Ok(()), "{name} of {depth} times {nested}");
        }
    }
}
