//! Random steps, which are all valid.

use super::step::{Host, Same, Step};
use fastrand::Rng;

/// The start and the steps of a program.
pub struct Generated {
    pub start: Host,
    pub steps: Vec<Step>,
    /// Whether the start indices of shifts are computed by the program.
    pub is_dynamic: bool,
}

/// The program of a seed.
pub fn program(seed: u64) -> Generated {
    let mut rng = Rng::with_seed(seed);
    let rank = rng.usize(1..4);
    let sizes: Vec<usize> = (0..rank).map(|_| choose(&mut rng, &[1, 2, 3, 4, 6, 8])).collect();
    let count: usize = sizes.iter().product();
    let start = Host { sizes: sizes.clone(), values: (0..count).map(|i| i as f32).collect() };
    let steps = steps(&mut rng, sizes, true, true);
    Generated { start, steps, is_dynamic: rng.u8(..4) == 0 }
}

fn choose<T: Copy>(rng: &mut Rng, among: &[T]) -> T {
    among[rng.usize(..among.len())]
}

/// Some steps on a tensor of these sizes; without `reshapes` they keep them.
fn steps(rng: &mut Rng, mut sizes: Vec<usize>, reshapes: bool, loops: bool) -> Vec<Step> {
    let mut all = Vec::new();
    for _ in 0..rng.usize(1..6) {
        let axis = rng.usize(..sizes.len());
        let size = sizes[axis];
        match rng.u8(..12) {
            0..4 if size > 1 => {
                let by = rng.usize(1..size);
                let (to, from) = if rng.u8(..3) > 0 { (by, 0) } else { (0, by) };
                let (reversed, scaled) = (rng.u8(..4) == 0, rng.u8(..3) == 0);
                let before = choose(rng, &[0, 0, 1, 1, 2, 3]);
                all.push(Step::Shift { axis, size: size - by, to, from, before, reversed, scaled });
            }
            4..7 if reshapes => {
                sizes = reshaped(rng, &sizes);
                all.push(Step::Reshape(sizes.clone()));
            }
            7 => {
                let own = rng.usize(1..=size);
                let start = rng.usize(..=size - own);
                all.push(Step::Own { axis, start, size: own });
            }
            8 => all.push(if rng.bool() { Step::Scale } else { Step::Fold }),
            9 => all.push(Step::Same(choose(rng, &Same::ALL))),
            10 if reshapes && sizes.len() > 1 => {
                let mut order: Vec<usize> = (0..sizes.len()).collect();
                rng.shuffle(&mut order);
                sizes = order.iter().map(|&axis| sizes[axis]).collect();
                all.push(Step::Turn(order));
            }
            11 if loops => {
                let count = choose(rng, &[1, 1, 2, 3]);
                all.push(Step::Loop(count, steps(rng, sizes.clone(), false, false)));
            }
            _ => {}
        }
    }
    all
}

/// Other axes of as many elements.
fn reshaped(rng: &mut Rng, sizes: &[usize]) -> Vec<usize> {
    let count: usize = sizes.iter().product();
    let mut forms =
        vec![vec![count], [&[1], sizes].concat(), [sizes, &[1]].concat(), sizes.to_vec()];
    forms.extend((2..5).filter(|by| count.is_multiple_of(*by)).map(|by| vec![by, count / by]));
    let squeezed: Vec<usize> = sizes.iter().copied().filter(|&size| size > 1).collect();
    forms.push(if squeezed.is_empty() { vec![1] } else { squeezed });
    forms.retain(|form| form.len() <= 5);
    forms.swap_remove(rng.usize(..forms.len()))
}
