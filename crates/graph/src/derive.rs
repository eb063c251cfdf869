//! The derive macro of trees. Its documentation is here and not at the macro, whose examples would
//! need this crate once more, built for the host.

/// Implements `Tree` for a struct or an enum that is generic over its leaves, and for a struct
/// `SpecTree`, by which it is read from a checkpoint; and `Mirror` where that is possible.
///
/// The leaf is the first type parameter (commonly `T = Tensor`), or the one named by `#[tree(leaf =
/// Name)]`. Leaves are visited in the order of the fields, each under its field's name, or its
/// index in a tuple.
///
/// ```
/// use hloom_graph::{Spec, Tensor, Tree};
///
/// #[derive(Tree)]
/// struct Linear<T = Tensor> {
///     #[axes(out, in)]
///     weight: T,
///     bias: Option<T>,
/// }
///
/// #[derive(Tree)]
/// struct Mlp<T = Tensor> {
///     #[tree(rename = "layer")]
///     layers: Vec<Linear<T>>,
///     #[tree(value = 1e-5)]
///     epsilon: f64,
/// }
///
/// let linear = Linear { weight: Spec::f32([10, 784]), bias: Some(Spec::f32([10])) };
/// let mlp = Mlp { layers: vec![linear], epsilon: 1e-5 };
/// assert_eq!(mlp.paths(), ["layer.0.weight", "layer.0.bias"]);
/// ```
///
/// A type over trees:
///
/// ```
/// use hloom_graph::{DType, Spec, Tree};
///
/// #[derive(Tree)]
/// #[tree(leaf = P::Leaf)]
/// struct Momentum<P: Tree> {
///     step: P::Leaf,
///     mean: P,
/// }
///
/// let mean = (Spec::f32([2]), Spec::f32([3]));
/// let momentum = Momentum { step: Spec::scalar(DType::I32), mean };
/// assert_eq!(momentum.paths(), ["step", "mean.0", "mean.1"]);
/// ```
///
/// # Attributes of the type
/// - `#[tree(leaf = T)]`: the leaf parameter, if there are several type parameters and its default
///   is not `Tensor`. The other ones are copied unchanged and hold no leaves.
/// - `#[tree(leaf = P::Leaf)]`: the type is generic over trees. All its type parameters are trees
///   with the same leaf, such as the parameters of a model and a state of an optimizer; a field
///   holds one of them, or a leaf of type `P::Leaf`. It is not read from checkpoints.
/// - `#[tree(config = Type)]`: the type of the configuration that the tree is read with, by
///   `Tree::spec_with`. Without it the tree is read with any configuration that its parts accept.
/// - `#[tree(crate = path)]`: the path of the graph crate, if neither `hloom` nor `hloom-graph` is
///   a dependency.
///
/// # Attributes of a field
/// - `#[axes(out, in)]` or `#[axes("out", "in")]`: the names of a leaf's axes, assigned to specs
///   read from a checkpoint; `_` for an axis without a name.
/// - `#[tree(rename = "self_attn.q_proj")]`: the path segment, if it is not the field's name.
///   A leaf with a segment `*` in its path, as by `rename = "experts.*.w1.weight"`, is read from a
///   checkpoint as the stack of the tensors of all indices.
/// - `#[tree(flatten)]`: no path segment.
/// - `#[tree(default)]`, `#[tree(value = expression)]`: the field's value when specs are read. A
///   tree can be read only if every field without leaves has one of them.
/// - `#[tree(set(epsilon = expression, dense.scale = expression))]`: values of fields of the trees
///   in the field, assigned after they are read: those of an `Option`, and all in a list, where the
///   expressions may use `index`.
/// - `#[tree(count = expression)]`: the number of elements of a `Vec`, instead of as many as there
///   are: fewer are an error, and further ones are not read.
/// - `#[tree(sizes(out = expression, in = expression))]`: the sizes of these axes in the leaf that
///   the field holds, or in the leaves that are fields of the trees in it, and no further inside;
///   another size is an error, and so is an axis that none of these leaves has.
/// - `#[tree(all_sizes(in = expression))]`: the sizes of these axes in all leaves of the field,
///   however far inside, where no field in between has `sizes` or `all_sizes` for them.
/// - `#[tree(has(bias = expression))]`: whether the optional fields with these names in the
///   checkpoint, this one or those of the trees in it, are `Some`; without it they are `Some` if
///   the checkpoint has them.
/// - `#[tree(buffer)]`: the leaves of the field are not parameters, like the buffers of PyTorch's
///   modules: no optimizer changes them. `Tree::buffers` lists them.
/// - `#[tree(may_be_empty)]`: accepts a `Vec` or a map without elements.
/// - `#[tree(config = expression)]`: a reference to the configuration of the trees in the field, if
///   it is not that of the type.
///
/// In a type with `#[tree(config = Type)]` the expressions may use `config`, a `&Type`:
///
/// ```
/// use hloom_graph::{Spec, Tensor, Tree};
/// use std::collections::BTreeMap;
///
/// #[derive(Tree)]
/// struct Norm<T = Tensor> {
///     weight: T,
///     #[tree(value = 1e-5)]
///     epsilon: f64,
/// }
///
/// struct Config {
///     layers: usize,
///     heads: usize,
///     norm_eps: f64,
/// }
///
/// #[derive(Tree)]
/// #[tree(config = Config)]
/// struct Layer<T = Tensor> {
///     #[tree(set(epsilon = config.norm_eps))]
///     norm: Norm<T>,
///     query: T,
///     #[tree(value = config.heads)]
///     heads: usize,
/// }
///
/// #[derive(Tree)]
/// #[tree(config = Config)]
/// struct Model<T = Tensor> {
///     #[tree(count = config.layers)]
///     layers: Vec<Layer<T>>,
/// }
///
/// let names = ["layers.0.norm.weight", "layers.0.query"];
/// let source = BTreeMap::from(names.map(|name| (name.to_owned(), Spec::f32([8]))));
/// let model = Model::spec_with(&source, &Config { layers: 1, heads: 2, norm_eps: 1e-6 })?;
/// assert_eq!((model.layers[0].norm.epsilon, model.layers[0].heads), (1e-6, 2));
/// # Ok::<(), hloom_graph::Mismatch>(())
/// ```
///
/// # Enums
/// The fields of a variant are treated like those of a struct; the variant adds no path segment.
/// Enums do not implement `SpecTree`, since a checkpoint does not name the variant.
///
/// # Fields without leaves
/// They are part of the structure that an executable compares with that of its arguments, where
/// their types are `Clone`, `PartialEq`, `Send`, `Sync` and without lifetimes; functions are not
/// compared. `Mirror` is implemented where all of them are `Clone` and `PartialEq`. Numbers and
/// collections of them are compared by their bits, so that NaN equals NaN.
#[doc(inline)]
pub use hloom_derive::Tree;
