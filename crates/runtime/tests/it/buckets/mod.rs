//! Functions compiled for buckets, compared with plain functions compiled for the exact size.

mod background;
mod donation;
mod messages;
mod random;

use crate::mesh::mesh;
use hloom_graph::{DType, Spec, Tensor, Tree};
use hloom_runtime::{BucketStats, Buckets, Buffer};
use hloom_test_support::CPU;

/// Whether each position is padding, `bool[seq]`.
fn padding(x: Tensor, length: Tensor) -> Tensor {
    Tensor::arange(DType::I32, "seq", x.size("seq")).ge(length)
}

fn softmax(x: Tensor, length: Tensor) -> Tensor {
    x.masked_fill(padding(x, length), f32::NEG_INFINITY).softmax("seq")
}

fn mean(x: Tensor, length: Tensor) -> Tensor {
    x.masked_fill(padding(x, length), 0.0).sum("seq") / length.convert(x.dtype())
}

fn values(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + 11) % 101) as f32 / 25.0 - 2.0).collect()
}

fn row(length: usize) -> Buffer {
    Buffer::from_slice(&CPU, &values(length), [("seq", length)]).unwrap()
}

fn rows(length: usize) -> Buffer {
    Buffer::from_slice(&CPU, &values(length * 3), [("seq", length), ("in", 3)]).unwrap()
}

fn assert_close(found: &Buffer, expected: &Buffer) {
    assert_eq!(found.shape(), expected.shape());
    let (found, expected) = (found.to_vec::<f32>().unwrap(), expected.to_vec::<f32>().unwrap());
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-5 * (1.0 + expected.abs()), "{found} {expected}");
    }
}

/// The weights of an attention head.
#[derive(Tree, Clone)]
struct Attention<T = Tensor> {
    query: T,
    key: T,
    value: T,
}

#[derive(Tree, Clone)]
struct Mixed<T = Tensor> {
    /// `f32[seq, out]`.
    each: T,
    /// `f32[out]`.
    sum: T,
}

impl Attention<Spec> {
    fn new() -> Attention<Spec> {
        let weight = || Spec::f32([("in", 3), ("out", 2)]);
        Attention { query: weight(), key: weight(), value: weight() }
    }

    fn weights() -> Attention<Buffer> {
        let mut step = 0;
        Attention::new().map(&mut |_, spec| {
            step += 1;
            Buffer::from_slice(&CPU, &values(6 + step)[step..], &spec).unwrap()
        })
    }
}

impl Attention {
    fn scores(&self, x: Tensor) -> Tensor {
        x.dot(self.query, "in").dot(x.dot(self.key, "in").rename("seq", "position"), "out")
    }

    fn mixed(&self, scores: Tensor, x: Tensor) -> Tensor {
        let value = x.dot(self.value, "in").rename("seq", "position");
        scores.softmax("position").dot(value, "position")
    }

    fn plain(&self, x: Tensor) -> Mixed {
        let each = self.mixed(self.scores(x), x);
        Mixed { each, sum: each.sum("seq") }
    }

    fn masked(&self, x: Tensor, length: Tensor) -> Mixed {
        let padding = padding(x, length);
        let scores = self.scores(x);
        let hidden = scores.masked_fill(padding.rename("seq", "position"), f32::NEG_INFINITY);
        let each = self.mixed(hidden, x);
        Mixed { each, sum: each.masked_fill(padding, 0.0).sum("seq") }
    }
}

#[test]
fn every_length_gives_what_the_exact_program_gives() {
    let buckets = || Buckets::pow2("seq", 4..=18);
    let spec = || Spec::f32([("seq", 1)]);
    let soft = CPU.compile_buckets(softmax, (spec(),), buckets()).unwrap();
    let average = CPU.compile_buckets(mean, (spec(),), buckets()).unwrap();
    let matrix = Spec::f32([("seq", 1), ("in", 3)]);
    let attention = CPU.compile_buckets(Attention::masked, (Attention::new(), matrix), buckets());
    let (attention, weights) = (attention.unwrap(), Attention::weights());
    let bound = attention.bind(&weights).unwrap();
    for length in 1..=18 {
        let (x, y) = (row(length), rows(length));
        let exact = CPU.compile(|x: Tensor| x.softmax("seq"), (Spec::from(&x),)).unwrap();
        assert_close(&soft.call((&x,)).unwrap(), &exact.call((&x,)).unwrap());
        let exact = CPU.compile(|x: Tensor| x.mean("seq"), (Spec::from(&x),)).unwrap();
        assert_close(&average.call((&x,)).unwrap(), &exact.call((&x,)).unwrap());
        let exact = CPU.compile(Attention::plain, (Attention::new(), Spec::from(&y))).unwrap();
        let expected = exact.call((&weights, &y)).unwrap();
        for found in [attention.call((&weights, &y)), bound.call((&y,))] {
            let found = found.unwrap();
            assert_close(&found.each, &expected.each);
            assert_close(&found.sum, &expected.sum);
        }
    }
    let BucketStats { hits, misses, compiled, compile_time, .. } = soft.stats();
    assert_eq!((hits, misses, compiled), (14, 4, vec![[4], [8], [16], [18]]));
    assert!(!compile_time.is_zero());
    assert_eq!(bound.stats(), attention.stats());
    assert_eq!((bound.stats().hits, bound.stats().misses), (32, 4));
}

#[test]
fn lengths_have_buckets() {
    let one = |buckets| CPU.compile_buckets(softmax, (Spec::f32([("seq", 1)]),), buckets).unwrap();
    let exe = one(Buckets::multiples("seq", 10, 5..=35));
    let found = [1, 10, 11, 31, 35].map(|length| exe.bucket_of(length));
    assert_eq!(found, [10, 10, 20, 35, 35].map(Some));
    assert_eq!([0, 36].map(|length: usize| exe.bucket_of(length)), [None, None]);
    assert_eq!(exe.bucket_of([12]), Some([20]));
    let exe = one(Buckets::sizes("seq", [7, 3, 7]));
    assert_eq!([1, 3, 4].map(|length| exe.bucket_of(length)), [3, 3, 7].map(Some));
    assert!(!exe.is_compiled(4));
    exe.compile(4).unwrap();
    assert!(exe.is_compiled(5) && !exe.is_compiled(3) && !exe.is_compiled(8));
    assert_eq!((exe.stats().hits, exe.stats().misses), (0, 0));
    let shown =
        "BucketedExe { name: \"buckets::softmax\", buckets: \"seq in 3, 7\", compiled: [[7]] }";
    assert_eq!(format!("{exe:?}"), shown);
}

#[test]
fn a_single_bucket_cuts_what_has_its_size() {
    let fixed = |x: Tensor, _: Tensor| (x + 1, Tensor::zeros(DType::F32, [("other", 8)]));
    let exe = CPU.compile_buckets(fixed, (Spec::f32([("seq", 1)]),), Buckets::sizes("seq", [8]));
    let (x, other) = exe.unwrap().call((&row(5),)).unwrap();
    assert_eq!((x.shape().sizes(), other.shape().sizes()), (&[5][..], &[8][..]));
    assert_eq!(x.to_vec::<f32>().unwrap(), values(5).iter().map(|x| x + 1.0).collect::<Vec<_>>());
}

#[test]
fn an_axis_of_the_name_with_a_size_of_its_own_stays() {
    let last = |x: Tensor, length: Tensor| x.dynamic_slice("seq", length - 1, 1);
    let buckets = Buckets::sizes("seq", [1, 4, 8]);
    let exe = CPU.compile_buckets(last, (Spec::f32([("seq", 1)]),), buckets).unwrap();
    for length in [1, 3, 4, 6] {
        let last = exe.call((&row(length),)).unwrap();
        assert_eq!(last.shape().to_string(), "f32[seq=1]");
        assert_eq!(last.to_vec::<f32>().unwrap(), values(length)[length - 1..]);
    }
}

#[test]
fn two_axes_have_a_bucket_for_each_combination() {
    let scores = |x: Tensor, [batch, length]: [Tensor; 2]| {
        let present = Tensor::arange(DType::I32, "batch", x.size("batch")).lt(batch);
        (softmax(x, length), present.convert(DType::F32).sum("batch"))
    };
    let spec = Spec::f32([("batch", 1), ("seq", 1)]);
    let buckets = Buckets::pow2("batch", 1..=4).and(Buckets::pow2("seq", 2..=8));
    let exe = CPU.compile_buckets(scores, (spec,), buckets).unwrap();
    for (batch, length) in [(1, 1), (3, 5), (4, 8), (3, 8), (4, 3), (1, 2)] {
        let values = values(batch * length);
        let x = Buffer::from_slice(&CPU, &values, [("batch", batch), ("seq", length)]).unwrap();
        let exact = CPU.compile(|x: Tensor| x.softmax("seq"), (Spec::from(&x),)).unwrap();
        let (found, count) = exe.call((&x,)).unwrap();
        assert_close(&found, &exact.call((&x,)).unwrap());
        assert_eq!(count.item::<f32>().unwrap(), batch as f32);
    }
    assert_eq!(exe.stats().compiled, [[1, 2], [4, 4], [4, 8]]);
    assert_eq!(exe.bucket_of([2, 3]), Some([2, 4]));
    assert_eq!(exe.bucket_of([5, 3]), None);
}

#[test]
fn combinations_that_the_function_refuses_stay_unused() {
    // The piece has to fit the cache.
    let write = |cache: Tensor, piece: Tensor, [count, _]: [Tensor; 2]| {
        let piece = piece.masked_fill(padding(piece, count), 0.0).rename("seq", "slot");
        cache.dynamic_update_slice(piece, "slot", 0)
    };
    let specs = (Spec::f32([("slot", 1)]), Spec::f32([("seq", 1)]));
    let buckets = Buckets::pow2("seq", 2..=16).and(Buckets::pow2("slot", 4..=32));
    let exe = CPU.compile_buckets(write, specs, buckets).unwrap();
    let cache = Buffer::from_slice(&CPU, &[7f32; 4], [("slot", 4)]).unwrap();
    let found = exe.call((&cache, &row(3))).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(found, [values(3), vec![0.0]].concat());
    let error = exe.call((&cache, &row(5))).unwrap_err().to_string();
    assert!(error.contains("dynamic_update_slice") && error.contains(file!()), "{error}");
    assert!(exe.call((&cache, &row(4))).is_ok());
}

#[test]
fn a_name_with_the_size_of_the_other_axis_is_found_when_compiled() {
    // Both axes have the same sizes, so that the smallest and the largest bucket show nothing.
    let swapped = |x: Tensor, y: Tensor, _: [Tensor; 2]| y.rename("b", "a") + x.sum("a");
    let specs = (Spec::f32([("a", 1)]), Spec::f32([("b", 1)]));
    let buckets = Buckets::sizes("a", [2, 4]).and(Buckets::sizes("b", [2, 4]));
    let exe = CPU.compile_buckets(swapped, specs, buckets).unwrap();
    let error = exe.compile([2, 4]).unwrap_err().to_string();
    assert!(error.contains("depends on the bucket"), "{error}");
}

#[test]
fn padded_arguments_are_passed_with_their_length() {
    let exe = CPU.compile_buckets(softmax, (Spec::f32([("seq", 1)]),), Buckets::pow2("seq", 4..=8));
    let exe = exe.unwrap();
    let x = row(8);
    let found = exe.call_padded(3, (&x,)).unwrap();
    assert_eq!(found.shape().to_string(), "f32[seq=8]");
    let expected = exe.call((&row(3),)).unwrap().to_vec::<f32>().unwrap();
    let found = found.to_vec::<f32>().unwrap();
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
    assert_eq!(found[3..], [0.0; 5]);
    assert_eq!(exe.stats().compiled, [[4], [8]]);
}

#[test]
fn options_and_names_are_those_of_the_compiler() {
    let compiler = CPU.compiler().name("scores").inputs(["x"]);
    let dump = tempfile::tempdir().unwrap();
    let compiler = compiler.dump(dump.path());
    let exe =
        compiler.compile_buckets(softmax, (Spec::f32([("seq", 1)]),), Buckets::sizes("seq", [4]));
    let exe = exe.unwrap();
    exe.compile(1).unwrap();
    let files = std::fs::read_dir(dump.path()).unwrap().map(|entry| entry.unwrap().path());
    let graph = files.into_iter().find(|path| path.to_string_lossy().ends_with("graph.txt"));
    let graph = std::fs::read_to_string(graph.unwrap()).unwrap();
    assert!(graph.contains("scores_seq4") && graph.contains("seq_length"), "{graph}");
}

#[test]
fn a_mesh_takes_lengths_that_its_devices_cannot_split() {
    let mesh = mesh([("x", 2)]);
    let spec = Spec::f32([("seq", 2)]).shard("seq", "x");
    let exe = mesh.compile_buckets(softmax, (spec,), Buckets::pow2("seq", 4..=8)).unwrap();
    for length in [1, 3, 4, 7] {
        let x = Buffer::from_slice(&mesh, &values(length), [("seq", length)]).unwrap();
        let exact = CPU.compile(|x: Tensor| x.softmax("seq"), (Spec::from(&x),)).unwrap();
        let found = exe.call((&x,)).unwrap();
        assert_close(&found, &exact.call((&row(length),)).unwrap());
    }
}
