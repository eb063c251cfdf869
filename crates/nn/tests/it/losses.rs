//! The cross entropy of labels that are ignored or out of range, and its mean, as
//! `torch.nn.functional.cross_entropy` defines them.

use hloom_graph::{Spec, Tensor, value_and_grad};
use hloom_nn::loss::{
    CrossEntropyOptions, cross_entropy, cross_entropy_mean, cross_entropy_mean_with,
};
use hloom_runtime::Buffer;
use hloom_test_support::CPU;

const LOGITS: [[f32; 3]; 4] =
    [[0.5, -1.0, 2.0], [3.0, 0.25, -0.5], [-2.0, 1.5, 0.0], [0.0, 0.0, 4.0]];

/// The probabilities of a row.
fn softmax(row: [f32; 3]) -> [f64; 3] {
    let powers = row.map(|x| f64::from(x).exp());
    powers.map(|power| power / powers.iter().sum::<f64>())
}

/// The mean loss and its gradient over the labels that count, from the definition.
fn expected(labels: [i32; 4]) -> (f64, Vec<f64>) {
    let counted = labels.iter().filter(|&&label| label != -100).count() as f64;
    let (mut loss, mut gradient) = (0.0, Vec::new());
    for (row, label) in LOGITS.into_iter().zip(labels) {
        let probabilities = softmax(row);
        let Ok(label) = usize::try_from(label) else {
            gradient.extend([0.0; 3]);
            continue;
        };
        loss -= probabilities[label].ln() / counted;
        let target = |class: usize| if class == label { 1.0 } else { 0.0 };
        gradient.extend((0..3).map(|class| (probabilities[class] - target(class)) / counted));
    }
    (if counted == 0.0 { f64::NAN } else { loss }, gradient)
}

fn logits() -> Buffer {
    Buffer::array(&CPU, LOGITS).unwrap()
}

#[test]
fn ignored_labels_are_not_counted_by_the_mean() {
    let mean = |logits: Tensor, labels: Tensor| {
        value_and_grad(logits, |logits| cross_entropy_mean(logits, labels, 1))
    };
    let exe = CPU.compile(mean, (Spec::f32([4, 3]), Spec::i32([4]))).unwrap();
    for labels in [[2, 0, 1, 2], [2, -100, 1, -100], [-100, -100, -100, 0], [-100; 4]] {
        let given = Buffer::array(&CPU, labels).unwrap();
        let (found, gradient) = exe.call((&logits(), &given)).unwrap();
        let (loss, slopes) = expected(labels);
        let found = f64::from(found.item::<f32>().unwrap());
        if loss.is_nan() {
            assert!(found.is_nan(), "{labels:?}: {found}");
            continue;
        }
        assert!((found - loss).abs() < 1e-6, "{labels:?}: {found}, not {loss}");
        let gradient = gradient.to_vec::<f32>().unwrap();
        for (found, expected) in gradient.into_iter().zip(slopes) {
            assert!((f64::from(found) - expected).abs() < 1e-6, "{labels:?}: {found}, {expected}");
        }
    }
}

#[test]
fn labels_out_of_range_are_nan() {
    let losses = |logits: Tensor, labels: Tensor| cross_entropy(logits, labels, 1);
    let exe = CPU.compile(losses, (Spec::f32([4, 3]), Spec::i32([4]))).unwrap();
    let labels = Buffer::array(&CPU, [3, -1, -100, 1]).unwrap();
    let found = exe.call((&logits(), &labels)).unwrap().to_vec::<f32>().unwrap();
    assert!(found[0].is_nan() && found[1].is_nan(), "{found:?}");
    assert_eq!(found[2], 0.0);
    assert!((f64::from(found[3]) + softmax(LOGITS[3])[1].ln()).abs() < 1e-6, "{found:?}");
}

#[test]
fn every_integer_type_and_another_ignored_label() {
    let options = CrossEntropyOptions { ignore_index: Some(2), ..Default::default() };
    let mean = |logits: Tensor, labels: Tensor| {
        let labels = labels.convert(hloom_graph::DType::U8);
        (cross_entropy_mean(logits, labels, 1), cross_entropy_mean_with(logits, labels, 1, options))
    };
    let exe = CPU.compile(mean, (Spec::f32([4, 3]), Spec::i32([4]))).unwrap();
    let labels = Buffer::array(&CPU, [2, 0, 1, 2]).unwrap();
    let (all, some) = exe.call((&logits(), &labels)).unwrap();
    let (expected_all, _) = expected([2, 0, 1, 2]);
    let (expected_some, _) = expected([-100, 0, 1, -100]);
    assert!((f64::from(all.item::<f32>().unwrap()) - expected_all).abs() < 1e-6);
    assert!((f64::from(some.item::<f32>().unwrap()) - expected_some).abs() < 1e-6);
}
