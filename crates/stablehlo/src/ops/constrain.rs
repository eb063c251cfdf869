//! Sharding constraints.

use super::sharding::sharding_call;
use crate::{
    Partitioner,
    applied::Applied,
    attribute::Attribute,
    emit::Value,
    lower::Lower,
    lowering::Lowering,
    partitioner::{gspmd, shardy},
};
use hloom_graph::ResolvedSharding;

impl Lower for ResolvedSharding {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        match l.partitioner {
            Partitioner::Shardy => {
                let sharding = Attribute::text(format!("#sdy.sharding{}", shardy(self, &l.mesh())));
                l.op("sdy.sharding_constraint", &n.operands, n.result(), &[("sharding", sharding)])
            }
            Partitioner::Gspmd => {
                let open: Vec<String> = (0..self.rank())
                    .filter(|&axis| self.is_open(axis))
                    .map(|axis| axis.to_string())
                    .collect();
                let unspecified = if open.is_empty() {
                    String::new()
                } else {
                    format!("unspecified_dims=[{}]", open.join(","))
                };
                let text = gspmd(self, &l.mesh());
                sharding_call(l, "Sharding", n.operands[0], &n.result(), &text, &unspecified)
            }
        }
    }
}
