//! Public methods that lazy tensors can have by no generated function need a mark.

struct Tensor;
struct Spectrum;

mod ops {
    pub mod collected {
        #![allow(non_upper_case_globals)]
        pub const halves: () = ();
        pub const sums: () = ();
        pub const spectrum: () = ();
    }
}

#[hloom_derive::tensor_methods(halves)]
impl Tensor {
    pub fn halves(self) -> Option<(Tensor, Tensor)> {
        None
    }
}

#[hloom_derive::tensor_methods(sums)]
impl Tensor {
    #[lazy(by_hand)]
    pub fn sum_of(self, others: &[Tensor]) -> Tensor {
        let _ = others;
        self
    }

    pub fn sum(self, scale: f64, other: Tensor) -> Tensor {
        let _ = (scale, other);
        self
    }
}

#[hloom_derive::tensor_methods(spectrum)]
impl Spectrum {
    #[lazy(sometimes)]
    pub fn size(&self) -> usize {
        0
    }
}

fn main() {}
