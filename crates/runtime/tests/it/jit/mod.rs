//! Functions that are compiled when they are called.

mod messages;

use crate::mesh::{counted, mesh};
use hloom_graph::{Spec, Tensor, Tree};
use hloom_runtime::{Buffer, Donated};
use hloom_test_support::{CPU, CPUS};
use std::{
    collections::BTreeMap,
    sync::{Arc, Barrier, mpsc},
    thread,
    time::Duration,
};

#[derive(Tree, Clone, Debug, PartialEq)]
enum Activation<T = Tensor> {
    Negative,
    Scaled(T),
}

#[derive(Tree, Clone, Debug)]
struct Layer<T = Tensor> {
    weight: T,
    bias: Option<T>,
    activation: Activation<T>,
    epsilon: f64,
}

#[derive(Tree, Clone, Debug)]
struct Model<T = Tensor> {
    layers: Vec<Layer<T>>,
    by_name: BTreeMap<String, (T, [T; 2])>,
    label: &'static str,
    next: Option<Box<Model<T>>>,
}

impl Model {
    fn forward(&self, x: Tensor) -> Tensor {
        let mut y = x;
        for layer in &self.layers {
            y = y * layer.weight + layer.epsilon as f32;
            if let Some(bias) = layer.bias {
                y = y + bias;
            }
            y = match layer.activation {
                Activation::Negative => -y,
                Activation::Scaled(by) => y * by,
            };
        }
        for (name, (a, [b, c])) in &self.by_name {
            y = y + *a - *b * *c + name.len() as f32;
        }
        y = y + self.label.len() as f32;
        match &self.next {
            Some(next) => next.forward(y),
            None => y,
        }
    }
}

fn buffer(values: &[f32]) -> Buffer {
    Buffer::from_slice(&CPU, values, [values.len()]).unwrap()
}

fn model(bias: bool) -> Model<Buffer> {
    let layer = Layer {
        weight: buffer(&[2.0]),
        bias: bias.then(|| buffer(&[10.0])),
        activation: Activation::Scaled(buffer(&[3.0])),
        epsilon: 0.5,
    };
    let entry = (buffer(&[1.0]), [buffer(&[2.0]), buffer(&[3.0])]);
    Model {
        layers: vec![layer],
        by_name: BTreeMap::from([("ab".to_owned(), entry)]),
        label: "abc",
        next: None,
    }
}

#[test]
fn results_are_those_of_compile_and_call() {
    let jit = CPU.jit(Model::forward);
    for bias in [false, true, false] {
        let (model, x) = (model(bias), buffer(&[1.0, -2.0]));
        let spec = model_spec(bias);
        let exe = CPU.compile(Model::forward, (spec, Spec::f32([2]))).unwrap();
        let expected = exe.call((&model, &x)).unwrap().to_vec::<f32>().unwrap();
        let found = jit.call((&model, &x)).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(found, expected);
        // (2 x + 0.5 [+ 10]) 3 + 1 - 6 + 2 + 3
        let by_hand = |x: f32| (2.0 * x + 0.5 + if bias { 10.0 } else { 0.0 }) * 3.0;
        assert_eq!(found, [by_hand(1.0), by_hand(-2.0)]);
    }
    assert_eq!((jit.compilations(), jit.hits(), jit.len()), (2, 1, 2));
}

fn model_spec(bias: bool) -> Model<Spec> {
    model(bias).map(&mut |_, buffer| Spec::of(buffer.shape()))
}

#[test]
fn each_difference_that_a_program_depends_on_compiles_another() {
    let jit = CPU.jit(Model::forward);
    let x = buffer(&[1.0, -2.0]);
    type Change = fn(&mut Model<Buffer>);
    let changes: [(&str, Change); 8] = [
        ("nothing", |_| {}),
        ("a number", |model| model.layers[0].epsilon = 1.5),
        ("a text", |model| model.label = "abcd"),
        ("an option", |model| model.layers[0].bias = None),
        ("a variant", |model| model.layers[0].activation = Activation::Negative),
        ("a length", |model| model.layers.clear()),
        ("a key", |model| {
            let entry = model.by_name.remove("ab").unwrap();
            model.by_name.insert("abcde".to_owned(), entry);
        }),
        ("a box", |model| model.next = Some(Box::new(self::model(false)))),
    ];
    for (count, (what, change)) in (1..).zip(changes) {
        let mut changed = model(true);
        change(&mut changed);
        let first = jit.call((&changed, &x)).unwrap().to_vec::<f32>().unwrap();
        let spec = changed.map(&mut |_, buffer| Spec::of(buffer.shape()));
        assert_eq!(jit.compilations(), count, "{what}");
        let mut again = model(true);
        change(&mut again);
        assert_eq!(jit.call((&again, &x)).unwrap().to_vec::<f32>().unwrap(), first, "{what}");
        assert_eq!((jit.compilations(), jit.hits()), (count, count), "{what}");
        let exe = CPU.compile(Model::forward, (spec, Spec::f32([2]))).unwrap();
        assert_eq!(exe.call((&again, &x)).unwrap().to_vec::<f32>().unwrap(), first, "{what}");
    }
}

#[test]
fn shapes_types_and_axis_names_are_told_apart() {
    let jit = CPU.jit(|x: Tensor| x + x);
    let call = |buffer: &Buffer| jit.call((buffer,)).unwrap().to_string();
    assert_eq!(call(&buffer(&[1.0, 2.0])), "[2. 4.]");
    assert_eq!(call(&buffer(&[1.0, 2.0, 3.0])), "[2. 4. 6.]");
    assert_eq!(call(&Buffer::from_slice(&CPU, &[1i32, 2], [2]).unwrap()), "[2 4]");
    assert_eq!(call(&Buffer::from_slice(&CPU, &[1f32, 2.0], [1, 2]).unwrap()), "[[2. 4.]]");
    assert_eq!(call(&Buffer::from_slice(&CPU, &[1f32, 2.0], [("n", 2)]).unwrap()), "[2. 4.]");
    assert_eq!(call(&buffer(&[])), "[]");
    assert_eq!((jit.compilations(), jit.hits()), (6, 0));
    assert_eq!(call(&buffer(&[3.0, 4.0])), "[6. 8.]");
    assert_eq!((jit.compilations(), jit.hits(), jit.len()), (6, 1, 6));
    jit.clear();
    assert!(jit.is_empty());
    assert_eq!(call(&buffer(&[3.0, 4.0])), "[6. 8.]");
    assert_eq!((jit.compilations(), jit.len()), (7, 1));
}

#[test]
fn a_function_without_arguments_compiles_once() {
    let jit = CPU.jit(|| Tensor::constant(&[7f32], [1]));
    for _ in 0..2 {
        assert_eq!(jit.call(()).unwrap().to_vec::<f32>().unwrap(), [7.0]);
    }
    assert_eq!((jit.compilations(), jit.hits()), (1, 1));
}

#[test]
fn the_call_decides_what_is_donated() {
    let jit = CPU.jit(|cache: Tensor, x: Tensor| (cache + x).reuse(cache));
    let x = buffer(&[1.0; 1024]);
    let kept = buffer(&[5.0; 1024]);
    let error = jit.call((&kept, &x)).unwrap_err().to_string();
    assert!(error.contains("argument `arg0` is borrowed; declare it as `Donated`"), "{error}");
    let mut cache = jit.call((Donated(buffer(&[5.0; 1024])), &x)).unwrap();
    cache.ready().unwrap();
    let start = cache.as_pjrt().unsafe_pointer().unwrap();
    for _ in 0..3 {
        cache = jit.call((Donated(cache), &x)).unwrap();
    }
    assert_eq!(cache.to_vec::<f32>().unwrap(), [9.0; 1024]);
    assert_eq!(cache.as_pjrt().unsafe_pointer().unwrap(), start);
    assert_eq!(kept.to_vec::<f32>().unwrap(), [5.0; 1024]);
    assert_eq!((jit.compilations(), jit.hits()), (2, 3));
    // Without `reuse` the call alone decides: two programs.
    let jit = CPU.jit(|x: Tensor| x * 2);
    assert_eq!(jit.call((&kept,)).unwrap().to_vec::<f32>().unwrap(), [10.0; 1024]);
    assert_eq!(jit.call((Donated(kept),)).unwrap().to_vec::<f32>().unwrap(), [10.0; 1024]);
    assert_eq!((jit.compilations(), jit.hits()), (2, 0));
}

#[test]
fn what_was_called_longest_ago_leaves_a_full_cache() {
    let jit = CPU.jit(|x: Tensor| x + 1.0).with_capacity(2);
    let call = |size: usize| {
        assert_eq!(
            jit.call((&buffer(&vec![1.0; size]),)).unwrap().to_vec::<f32>().unwrap(),
            vec![2.0; size]
        );
        jit.compilations()
    };
    assert_eq!([call(1), call(2), call(1)], [1, 2, 2]);
    assert_eq!([call(3), jit.len() as u64], [3, 2]);
    assert_eq!([call(1), call(2), call(3)], [3, 4, 5], "2, then 3 were removed");
    let jit = CPU.jit(|x: Tensor| x + 1.0).with_capacity(0);
    jit.call((&buffer(&[1.0]),)).unwrap();
    jit.call((&buffer(&[1.0]),)).unwrap();
    assert_eq!((jit.compilations(), jit.hits(), jit.len()), (1, 1, 1));
}

#[test]
fn threads_that_need_one_program_compile_it_once() {
    let jit = CPU.jit(|x: Tensor| {
        thread::sleep(Duration::from_millis(100));
        x * 2.0
    });
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for i in 0..8 {
            let (jit, start) = (&jit, &start);
            scope.spawn(move || {
                let x = buffer(&[i as f32]);
                start.wait();
                let y = jit.call((&x,)).unwrap();
                assert_eq!(y.to_vec::<f32>().unwrap(), [2.0 * i as f32]);
            });
        }
    });
    assert_eq!((jit.compilations(), jit.hits(), jit.len()), (1, 7, 1));
}

#[test]
fn a_compilation_blocks_no_other_call() {
    let (entered, was_entered) = mpsc::channel();
    let (leave, may_leave) = mpsc::channel::<()>();
    let gate = std::sync::Mutex::new((entered, may_leave));
    let jit = Arc::new(CPU.jit(move |x: Tensor| {
        if x.shape().sizes() == [2] {
            let gate = gate.lock().unwrap();
            gate.0.send(()).unwrap();
            gate.1.recv_timeout(Duration::from_secs(60)).unwrap();
        }
        x + 1.0
    }));
    jit.call((&buffer(&[1.0]),)).unwrap();
    let slow = thread::spawn({
        let jit = jit.clone();
        move || jit.call((&buffer(&[1.0, 2.0]),)).unwrap().to_vec::<f32>().unwrap()
    });
    was_entered.recv_timeout(Duration::from_secs(60)).unwrap();
    // While one is being traced, known shapes run and others compile.
    assert_eq!(jit.call((&buffer(&[2.0]),)).unwrap().to_vec::<f32>().unwrap(), [3.0]);
    assert_eq!(jit.call((&buffer(&[0.0; 3]),)).unwrap().to_vec::<f32>().unwrap(), [1.0; 3]);
    assert_eq!((jit.compilations(), jit.len()), (3, 2));
    leave.send(()).unwrap();
    assert_eq!(slow.join().unwrap(), [2.0, 3.0]);
    assert_eq!(jit.len(), 3);
}

#[test]
fn a_panic_of_the_function_is_not_kept() {
    let first = std::sync::atomic::AtomicBool::new(true);
    let jit = CPU.jit(move |x: Tensor| {
        assert!(!first.swap(false, std::sync::atomic::Ordering::Relaxed), "only once");
        x + 1.0
    });
    let x = buffer(&[1.0]);
    let call = || jit.call((&x,)).unwrap().to_vec::<f32>().unwrap();
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err());
    assert_eq!(call(), [2.0]);
    assert_eq!((jit.compilations(), jit.hits(), jit.len()), (2, 0, 1));
}

#[test]
fn over_a_mesh_each_sharding_has_its_program() {
    let mesh = mesh([("x", 2), ("y", 3)]);
    let jit = mesh.jit(|a: Tensor| a.sum(0));
    let spec = Spec::f32([("a", 6), ("b", 4)]);
    let expected: Vec<f32> = (0..4).map(|i| (0..6).map(|j| (i + 4 * j) as f32).sum()).collect();
    let shardings = [
        spec.clone(),
        spec.clone().shard("a", "x"),
        spec.clone().shard("a", ["y", "x"]),
        spec.clone().shard("a", "y").shard("b", "x"),
        spec.shard("b", "y").padded(),
    ];
    for (count, spec) in (1..).zip(shardings) {
        let sharding = mesh.sharding(&spec).unwrap();
        let a = Buffer::from_slice(&sharding, &counted(24), [("a", 6), ("b", 4)]).unwrap();
        for _ in 0..2 {
            assert_eq!(jit.call((&a,)).unwrap().to_vec::<f32>().unwrap(), expected, "{a:?}");
        }
        assert_eq!((jit.compilations(), jit.hits()), (count, count), "{a:?}");
    }
    let single = Buffer::from_slice(&*CPUS, &counted(24), [("a", 6), ("b", 4)]).unwrap();
    let error = jit.call((&single,)).unwrap_err().to_string();
    assert!(error.contains("f32[a=6, b=4] on one device"), "{error}");
}
