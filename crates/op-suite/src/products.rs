//! Products of `f32`, whose operands a GPU may round to `tf32`.

use crate::Trial;
use hloom::{
    DType, Spec, Tensor,
    graph::{Graph, Op, TraceScope, ValueId},
    ops::Precision,
};

impl Trial<'_> {
    /// Whether a GPU may round operands of the case to `tf32`: it has products or convolutions of
    /// `f32` or `c64` below the highest precision.
    pub fn has_tf32_products(&self) -> bool {
        self.graph().is_some_and(|graph| {
            let is_wide = |&value: &ValueId| matches!(graph.dtype(value), DType::F32 | DType::C64);
            graph.nodes().any(|(id, node)| {
                let precision = match &node.op {
                    Op::Dot(dims) => dims.precision,
                    Op::Convolution(dims) => dims.precision,
                    _ => return false,
                };
                precision != Precision::Highest && graph.operands(id).iter().any(is_wide)
            })
        })
    }

    /// The graph of the case, if it is sound.
    fn graph(&self) -> Option<Graph> {
        let trace = TraceScope::begin("products");
        let inputs = self.inputs();
        let parameter = |(i, shape)| trace.parameter(format!("x{i}"), &Spec::of(shape), false);
        let inputs: Vec<Tensor> =
            inputs.iter().map(|x| x.shape).enumerate().map(parameter).collect();
        let outputs = self.apply(&inputs).into_iter().enumerate();
        let outputs = outputs.map(|(i, output)| (format!("y{i}"), output)).collect();
        let graph = trace.finish(outputs).ok()?;
        let expanded = graph.expand().ok()?.into_owned();
        Some(expanded)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Case, Row, Trial, Values, rows, ulps};
    use hloom::{
        DType, Shape, Tensor,
        ops::{DotOptions, Precision},
    };

    fn has_tf32_products(row: &Row, dtype: DType) -> bool {
        let shape = Shape::new(dtype, [2, 2]).unwrap();
        let values = Values { shape, bytes: vec![0; shape.byte_size()] };
        let case = Case {
            row: row.name.into(),
            name: "square".into(),
            inputs: vec![values.clone(), values.clone()],
            outputs: vec![values],
        };
        Trial::new(row, &case).has_tf32_products()
    }

    #[test]
    fn products_of_f32_may_be_rounded() {
        fn highest(x: Tensor, y: Tensor) -> Tensor {
            let options = DotOptions { precision: Precision::Highest, ..DotOptions::default() };
            x.named(["a", "b"]).dot_with(y.named(["b", "c"]), "b", options)
        }
        let [product, sum, highest, looped] = rows![
            "product", ulps(8), [x, y] => x.matmul(y);
            "sum", ulps(8), [x, y] => x + y;
            "highest", ulps(8), [x, y] => highest(x, y);
            "loop", ulps(8), [x, y] => hloom::ops::for_loop(3, x, |_, x| x.matmul(y));
        ];
        assert!(has_tf32_products(&product, DType::F32));
        assert!(has_tf32_products(&product, DType::C64));
        assert!(has_tf32_products(&looped, DType::F32), "in the body of a loop");
        assert!(!has_tf32_products(&product, DType::F64));
        assert!(!has_tf32_products(&sum, DType::F32));
        assert!(!has_tf32_products(&highest, DType::F32));
    }
}
