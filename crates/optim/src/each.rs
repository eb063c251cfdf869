//! The walk over parameters, gradients and states, leaf by leaf.

use hloom_graph::{DType, Path, Tensor, TensorTree, record_error};

/// A leaf of the parameters that is trained, in the type that updates are computed in.
pub(crate) struct Trained<'a, const N: usize> {
    pub path: &'a str,
    pub param: Tensor,
    pub gradient: Tensor,
    pub state: [Tensor; N],
}

/// The type in which updates of a parameter are computed and states are stored.
pub(crate) fn compute_type(dtype: DType) -> DType {
    match dtype {
        DType::F64 => DType::F64,
        _ => DType::F32,
    }
}

/// For each leaf of a tree, whether it is trained: one of a float type that is not a buffer.
#[track_caller]
pub(crate) fn trained<P: TensorTree>(op: &'static str, tree: &P) -> Vec<bool> {
    let buffers = tree.buffers();
    let mut all = Vec::new();
    tree.visit(&mut |path, &leaf| {
        let is_buffer = !buffers.is_empty() && buffers.contains(&path.to_string());
        all.push(!is_buffer && is_trained(op, leaf));
    });
    all
}

/// The tree with `f` applied to the trained leaves, and `other` to those that are not.
#[track_caller]
pub(crate) fn map_each<P: TensorTree>(
    op: &'static str,
    tree: P,
    mut f: impl FnMut(&Path<'_>, Tensor) -> Tensor,
    mut other: impl FnMut(Tensor) -> Tensor,
) -> P {
    let mut trained = trained(op, &tree).into_iter();
    tree.map(&mut |path, leaf: Tensor| match trained.next() {
        Some(true) => f(path, leaf),
        _ => other(leaf),
    })
}

/// Whether a leaf is of a type that is trained. Complex leaves are an error: no optimizer here is
/// defined for them, and they must not silently be constants.
#[track_caller]
fn is_trained(op: &'static str, leaf: Tensor) -> bool {
    if leaf.dtype().is_complex() {
        record_error(op, &[leaf], "complex parameters cannot be trained");
    }
    leaf.dtype().is_float()
}

/// The leaves of a tree, in order.
pub(crate) fn leaves<P: TensorTree>(tree: &P) -> Vec<Tensor> {
    let mut all = Vec::with_capacity(tree.count());
    tree.visit(&mut |_, &leaf| all.push(leaf));
    all
}

/// A tree of zeros in the type of the updates, like the parameters; a scalar for each leaf that is
/// not trained.
#[track_caller]
pub(crate) fn zeros_like<P: TensorTree>(op: &'static str, params: &P) -> P {
    let zeros = |leaf: Tensor| Tensor::zeros(compute_type(leaf.dtype()), leaf.shape());
    map_each(op, params.clone(), |_, leaf| zeros(leaf), |_| Tensor::scalar(0, DType::F32))
}

/// The step count before the first step.
#[track_caller]
pub(crate) fn first_step() -> Tensor {
    Tensor::scalar(0, DType::I32)
}

/// Whether two trees have the same leaves; if not, an error of `op` names the first difference.
#[track_caller]
pub(crate) fn same_leaves<P: TensorTree>(
    op: &'static str,
    what: &str,
    params: &P,
    others: &P,
) -> bool {
    let (expected, found) = (params.paths(), others.paths());
    if expected == found {
        return true;
    }
    let missing = expected.iter().find(|path| !found.contains(path));
    let surplus = found.iter().find(|path| !expected.contains(path));
    let message = match (missing, surplus) {
        (Some(path), _) => format!("the {what} have no leaf `{path}`, which the parameters have"),
        (None, Some(path)) => {
            format!("the {what} have a leaf `{path}`, which the parameters do not have")
        }
        (None, None) => format!("the {what} have the leaves of the parameters in another order"),
    };
    record_error(op, &[], message);
    false
}

/// Applies `rule` to each trained leaf: it returns the next parameter and the next states. After an
/// error, the trees are returned unchanged.
#[track_caller]
pub(crate) fn each<P: TensorTree, const N: usize>(
    op: &'static str,
    params: P,
    gradients: P,
    states: [P; N],
    mut rule: impl FnMut(Trained<'_, N>) -> (Tensor, [Tensor; N]),
) -> (P, [P; N]) {
    let fits = same_leaves(op, "gradients", &params, &gradients)
        && states.iter().all(|state| same_leaves(op, "leaves of the state", &params, state));
    if !fits {
        return (params, states);
    }
    let (paths, trained) = (params.paths(), trained(op, &params));
    let mut next = leaves(&params);
    let gradients = leaves(&gradients);
    let mut next_states: [Vec<Tensor>; N] = std::array::from_fn(|i| leaves(&states[i]));
    for (i, path) in paths.iter().enumerate() {
        let (param, gradient) = (next[i], gradients[i]);
        if !trained[i] {
            continue;
        }
        let expected = param.shape().with_dtype(gradient.dtype());
        if !gradient.shape().fits(&expected) || !gradient.dtype().is_float() {
            let (parameter, found) = (param.shape(), gradient.shape());
            let hint = found.order_hint(&expected);
            let message =
                format!("the gradient{} is {found}, the parameter {parameter}{hint}", of(path));
            record_error(op, &[param, gradient], message);
            continue;
        }
        let dtype = compute_type(param.dtype());
        let before = std::array::from_fn(|state| next_states[state][i]);
        let (new, after) = rule(Trained {
            path,
            param: param.convert(dtype),
            gradient: gradient.convert(dtype),
            state: before,
        });
        for (state, (old, new)) in before.into_iter().zip(after).enumerate() {
            if !new.shape().fits(&old.shape()) {
                let (found, expected) = (old.shape(), new.shape());
                let of = of(path);
                let message = format!(
                    "a state{of} is {found}, not {expected}: was it made for other parameters?"
                );
                record_error(op, &[old, new], message);
            }
            next_states[state][i] = new;
        }
        next[i] = new.convert(param.dtype());
    }
    let mut next_states = next_states.into_iter();
    let states = states.map(|state| {
        replaced(state, next_states.next().expect("one list of leaves for each state"))
    });
    (replaced(params, next), states)
}

/// " of `path`"; nothing for parameters that are one tensor.
fn of(path: &str) -> String {
    match path {
        "" => String::new(),
        path => format!(" of `{path}`"),
    }
}

/// The tree with other leaves.
pub(crate) fn replaced<P: TensorTree>(tree: P, leaves: Vec<Tensor>) -> P {
    let mut leaves = leaves.into_iter();
    tree.map(&mut |_, leaf| leaves.next().unwrap_or(leaf))
}

/// Records that only one of an optimizer and its state has momentum.
#[track_caller]
pub(crate) fn momentum_mismatch(op: &'static str, optimizer_has: bool) {
    let message = if optimizer_has {
        "the state has no momentum: it was made by an optimizer without one"
    } else {
        "the state has momentum: it was made by an optimizer with one"
    };
    record_error(op, &[], message);
}
