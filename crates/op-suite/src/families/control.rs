//! Loops and branches.

use crate::{EXACT, Row, rows, ulps};
use hloom::{
    ops::{associative_scan, case, map, optimization_barrier},
    prelude::*,
};

/// Iterates until every number is 1; returns the number of steps for each.
fn collatz(n: Tensor) -> Tensor {
    let steps = n.full_like(0);
    let (_, steps) = while_loop(
        (n, steps),
        |(n, _)| n.ne(1).any(..),
        |(n, steps)| {
            let next = (n % 2).eq(0).select(n / 2, n * 3 + 1);
            let done = n.eq(1);
            (done.select(n, next), done.select(steps, steps + 1))
        },
    );
    steps
}

/// A long short-term memory
/// ([Hochreiter and Schmidhuber 1997](https://doi.org/10.1162/neco.1997.9.8.1735)).
#[derive(Tree, Clone)]
struct Lstm<T = Tensor> {
    input: T,
    hidden: T,
    bias: T,
}

#[derive(Tree, Clone)]
struct LoopState<T = Tensor> {
    hidden: T,
    cell: T,
}

impl Lstm {
    fn step(&self, state: LoopState, x: Tensor) -> LoopState {
        let gates = x.matmul(self.input) + state.hidden.matmul(self.hidden) + self.bias;
        let &[input, forget, update, output] = gates.split(-1, 4).as_slice() else {
            unreachable!("four chunks were asked for")
        };
        let cell = forget.sigmoid() * state.cell + input.sigmoid() * update.tanh();
        LoopState { hidden: output.sigmoid() * cell.tanh(), cell }
    }

    fn run(&self, x: Tensor, hidden: Tensor) -> (LoopState, Tensor) {
        let start = LoopState { hidden, cell: hidden.full_like(0) };
        scan(start, x, 0, |state, x| {
            let next = self.step(state, x);
            (next.clone(), next.hidden)
        })
    }
}

fn branches(index: Tensor, x: Tensor) -> Tensor {
    case(index, || x, [Box::new(|| x + 1) as Box<dyn FnOnce() -> Tensor>, Box::new(|| x * 2)])
}

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "while collatz", EXACT, [n] => collatz(n);
        "while doubling", EXACT, [x, limit] => {
            let count = Tensor::scalar(0, DType::I32);
            while_loop((x, count), |(x, _)| x.lt(limit), |(x, count)| (x * 2, count + 1))
        };
        "for_loop 0", EXACT, [x] => for_loop(0, x, |i, x| x * 2 + i.convert(DType::F32));
        "for_loop 1", EXACT, [x] => for_loop(1, x, |i, x| x * 2 + i.convert(DType::F32));
        "for_loop 5", ulps(2), [x] => for_loop(5, x, |i, x| x * 2 + i.convert(DType::F32));
        "for_loop nested", EXACT, [x] => {
            for_loop(4, x, |i, x| for_loop(5, x, |j, x| x + (i * j).convert(DType::F32)))
        };
        "cond", EXACT, [truth, x] => cond(
            truth,
            || (x + 1, Tensor::scalar(1, DType::I32)),
            || (x * 2, Tensor::scalar(2, DType::I32)),
        );
        "case of three", EXACT, [index, x] => branches(index, x);
        "case of one", EXACT, [index, x] => case(index, || x + 1, []);
        "cond in a loop", EXACT, [x] => {
            let (total, _) = scan(Tensor::scalar(0, DType::I32), x, 0, |total, x| {
                let part = cond((x % 2).eq(0), || x, || x * 10);
                (total + part, part)
            });
            total
        };
        "scan with a tree", ulps(2), [x] => {
            let start = (Tensor::zeros(DType::F32, [3]), Tensor::scalar(0, DType::I32));
            let ((total, count), (products, sums)) =
                scan(start, x, 0, |(total, count), x| {
                    ((total + x, count + 1), (total * x, x.sum(0)))
                });
            (total, count, products, sums)
        };
        "scan two along seq", EXACT, [x, y] => {
            let (x, y) = (x.named(["a", "seq"]), y.named(["seq", "b"]));
    let (_, products) = scan(Vec::<Tensor>::new(), (x, y), "seq", |none, (x, y)| {
        (none, outer(x, y.convert(DType::F32), |x, y| x * y))
    });
            products
        };
        "scan nested", ulps(4), [x] => {
            let start = Tensor::zeros(DType::F32, [4]);
            let (_, rows) = scan(start, x, 0, |above, row| {
                let zero = Tensor::scalar(0, DType::F32);
                let (_, sums) = scan(zero, row, 0, |left, x| (left + x, left + x));
                (above + sums, above + sums)
            });
            rows
        };
        "lstm", ulps(32).of_largest(), [x, state, input, hidden, bias] => {
            Lstm { input, hidden, bias }.run(x, state)
        };
        "optimization_barrier", EXACT, [x, y] => {
            let (x, y) = optimization_barrier((x + 1, y));
            (x, y)
        };
        "associative_scan recurrence", ulps(8).of_largest(), [a, b] => {
            associative_scan((a, b), 0, |(a, b), (c, d)| (c * a, c * b + d)).1
        };
        "associative_scan sum", EXACT, [x] => {
            associative_scan(x.named(["row", "i"]), "i", |a, b| a + b)
        };
        "map", EXACT, [x] => {
            map(x.named(["row", "i"]), "i", |x| x * Tensor::arange(DType::I32, "row", 3))
        };
    ])
}
