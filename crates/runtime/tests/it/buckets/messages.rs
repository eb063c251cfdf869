//! Error messages of wrong buckets, lengths and results.

use super::{row, softmax};
use hloom_graph::{DType, Spec, Tensor, concatenate};
use hloom_runtime::{Buckets, Buffer, Donated, Result};
use hloom_test_support::CPU;

/// The message of an error, without line numbers.
fn message<T>(outcome: Result<T>) -> String {
    let text = outcome.map(drop).expect_err("an error").to_string();
    let lines = text.lines().map(|line| match line.split_once(concat!(file!(), ":")) {
        Some((before, _)) => format!("{before}{}:..", file!()),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_error_of_buckets_has_its_message() {
    let spec = || Spec::f32([("seq", 1)]);
    let range = || Buckets::pow2("seq", 4..=16);
    let buckets = |buckets| message(CPU.compile_buckets(softmax, (spec(),), buckets));
    let and = Buckets::pow2("seq", 1..=2).and(Buckets::pow2("seq", 1..=2));
    let twice = |x: Tensor, _: [Tensor; 2]| x;
    let other = |x: Tensor, _: Tensor| x;
    let doubled = |x: Tensor, _: Tensor| (x, concatenate(&[x, x], "seq"));
    let renamed = |x: Tensor, _: Tensor| x.rename("seq", "position");
    let stepped = |x: Tensor, _: Tensor| {
        let extra = usize::from(x.size("seq") == 8);
        Tensor::zeros(DType::F32, [("n", 2 + extra)])
    };
    let wide = || Spec::f32([("batch", 2), ("in", 3)]);
    let pair = |x: Tensor, y: Tensor, _: Tensor| x + y;
    let pair = CPU.compile_buckets(pair, (spec(), spec()), range()).unwrap();
    let add = |cache: Tensor, x: Tensor, _: Tensor| (cache + x).reuse(cache);
    let add = CPU.compile_buckets(add, (Donated(spec()), spec()), range()).unwrap();
    let scaled = |weight: Tensor, x: Tensor, _: Tensor| x * weight;
    let scaled = CPU.compile_buckets(scaled, (Spec::f32([("in", 3)]), wide()), {
        Buckets::pow2("batch", 4..=16)
    });
    let scaled = scaled.unwrap();
    let one = CPU.compile_buckets(softmax, (spec(),), range()).unwrap();
    let named = Buffer::from_slice(&CPU, &[1f32; 3], [("position", 3)]).unwrap();
    let integers = Buffer::from_slice(&CPU, &[1i32; 3], [("seq", 3)]).unwrap();
    let square = Buffer::from_slice(&CPU, &[1f32; 9], [3, 3]).unwrap();
    let weight = Buffer::from_slice(&CPU, &[1f32; 2], [2]).unwrap();
    let stepped = CPU.compile_buckets(stepped, (spec(),), range()).unwrap();
    let messages = [
        ("an empty range", buckets(Buckets::pow2("seq", std::ops::RangeInclusive::new(8, 4)))),
        ("a range from 0", buckets(Buckets::pow2("seq", 0..=4))),
        ("a step of 0", buckets(Buckets::multiples("seq", 0, 1..=4))),
        ("a size of 0", buckets(Buckets::sizes("seq", [4, 0]))),
        ("no sizes", buckets(Buckets::sizes("seq", []))),
        ("too many sizes", buckets(Buckets::multiples("seq", 1, 1..=usize::MAX))),
        ("no name", buckets(Buckets::pow2("", 1..=4))),
        ("too large a size", buckets(Buckets::sizes("seq", [4, usize::MAX]))),
        ("an axis twice", message(CPU.compile_buckets(twice, (spec(),), and))),
        ("no such axis", message(CPU.compile_buckets(other, (wide(),), range()))),
        ("twice the bucket", message(CPU.compile_buckets(doubled, (spec(),), range()))),
        ("another name", message(CPU.compile_buckets(renamed, (spec(),), range()))),
        ("another bucket", message(stepped.call((&row(7),)))),
        ("too long", message(one.call((&row(17),)))),
        ("empty", message(one.call((&row(0),)))),
        ("two lengths", message(pair.call((&row(3), &row(4))))),
        ("a donated size without bucket", message(add.call((row(5), &row(4))))),
        ("longer than what is donated", message(add.call((row(4), &row(5))))),
        ("another axis", message(one.call((&named,)))),
        ("another type", message(one.call((&integers,)))),
        ("another rank", message(one.call((&square,)))),
        ("padded to no bucket", message(one.call_padded(3, (&row(5),)))),
        ("padded to several", message(pair.call_padded(3, (&row(4), &row(8))))),
        ("padded to less than the length", message(one.call_padded(5, (&row(4),)))),
        ("padded without elements", message(one.call_padded(0, (&row(4),)))),
        ("no bucket to compile", message(one.compile(17))),
        ("binding what is padded", message(pair.bind(&row(4)))),
        ("binding another size", message(scaled.bind(&weight))),
    ];
    let text = messages.map(|(what, message)| format!("# {what}\n{message}\n"));
    insta::assert_snapshot!(text.join("\n"));
}
