//! The order in which the operands of a contraction are multiplied.

/// A set of labels: bit `i` is label `i`.
pub(super) type Labels = u64;

/// A product of operands, two at a time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// The operand at this index.
    Operand(usize),
    /// The product of both.
    Product(Box<Order>, Box<Order>),
}

/// The maximum number of operands whose order is searched exhaustively, which takes exponential
/// time; more are ordered greedily.
const MAX_SEARCHED: usize = 8;

/// The order with the fewest multiplications for up to eight operands; for more, the order that
/// takes the cheapest product at each step. `None` without operands.
pub(super) fn cheapest(operands: &[Labels], result: Labels, sizes: &[usize]) -> Option<Order> {
    match operands.len() {
        0 => None,
        1..=MAX_SEARCHED => Some(searched(operands, result, sizes)),
        _ => Some(greedy(operands, result, sizes)),
    }
}

/// The number of elements of a space with these labels.
fn volume(labels: Labels, sizes: &[usize]) -> f64 {
    let sizes = sizes.iter().enumerate().filter(|(label, _)| labels >> label & 1 == 1);
    sizes.map(|(_, &size)| size as f64).product()
}

/// Dynamic programming over the subsets of the operands.
fn searched(operands: &[Labels], result: Labels, sizes: &[usize]) -> Order {
    let all = (1usize << operands.len()) - 1;
    let union = |set: usize| {
        let members = operands.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        members.fold(0, |labels, (_, &own)| labels | own)
    };
    // The labels that the product of a subset keeps.
    let kept: Vec<Labels> =
        (0..=all).map(|set| union(set) & (result | union(all & !set))).collect();
    let mut best: Vec<(f64, usize)> = vec![(0.0, 0); all + 1];
    for set in (1..=all).filter(|set| set.count_ones() > 1) {
        let cost = |part: usize| {
            let rest = set & !part;
            best[part].0 + best[rest].0 + volume(kept[part] | kept[rest], sizes)
        };
        // Visits each split once, by the part with the lowest operand.
        let lowest = set & set.wrapping_neg();
        let mut chosen = (f64::INFINITY, lowest);
        let mut part = (set - 1) & set;
        while part > 0 {
            if part & lowest != 0 && (cost(part) < chosen.0 || chosen.0.is_infinite()) {
                chosen = (cost(part), part);
            }
            part = (part - 1) & set;
        }
        best[set] = chosen;
    }
    tree(all, &best)
}

fn tree(set: usize, best: &[(f64, usize)]) -> Order {
    match set.count_ones() {
        1 => Order::Operand(set.trailing_zeros() as usize),
        _ => {
            let part = best[set].1;
            Order::Product(tree(part, best).into(), tree(set & !part, best).into())
        }
    }
}

fn greedy(operands: &[Labels], result: Labels, sizes: &[usize]) -> Order {
    let mut parts: Vec<(Labels, Order)> =
        operands.iter().enumerate().map(|(i, &labels)| (labels, Order::Operand(i))).collect();
    while parts.len() > 1 {
        let mut chosen = (f64::INFINITY, (0, 1));
        for left in 0..parts.len() {
            for right in left + 1..parts.len() {
                let cost = volume(parts[left].0 | parts[right].0, sizes);
                if cost < chosen.0 {
                    chosen = (cost, (left, right));
                }
            }
        }
        let (left, right) = chosen.1;
        let (b, second) = parts.remove(right);
        let (a, first) = parts.remove(left);
        let others = parts.iter().fold(result, |labels, part| labels | part.0);
        parts.push(((a | b) & others, Order::Product(first.into(), second.into())));
    }
    parts.remove(0).1
}

#[cfg(test)]
mod tests {
    use super::{Order, cheapest};

    fn product(left: Order, right: Order) -> Order {
        Order::Product(left.into(), right.into())
    }

    #[test]
    fn a_chain_is_multiplied_from_its_short_end() {
        // ij, jk, kl with a vector at either end.
        let operands = [0b0011, 0b0110, 0b1100];
        let [first, second, third] = [0, 1, 2].map(Order::Operand);
        let right_first = product(first.clone(), product(second.clone(), third.clone()));
        assert_eq!(cheapest(&operands, 0b1001, &[100, 100, 100, 1]), Some(right_first));
        let left_first = product(product(first, second), third);
        assert_eq!(cheapest(&operands, 0b1001, &[1, 100, 100, 100]), Some(left_first));
    }

    #[test]
    fn more_operands_than_are_searched_have_an_order() {
        // A chain of ten square matrices with a vector at its end.
        let operands: Vec<u64> = (0..10).map(|i| 0b11 << i).collect();
        let mut sizes = vec![50; 11];
        sizes[10] = 1;
        let order = cheapest(&operands, 1 | 1 << 10, &sizes);
        let order = order.expect("there are operands");
        let flat = |order: &Order| format!("{order:?}").matches("Operand").count();
        assert_eq!(flat(&order), 10);
        // Each step multiplies the next matrix with the vector of the steps before.
        let mut rest = &order;
        for i in 0..9 {
            rest = match rest {
                Order::Product(left, right) if **left == Order::Operand(i) => right,
                Order::Product(left, right) if **right == Order::Operand(i) => left,
                _ => unreachable!("matrix {i} is not an operand of {rest:?}"),
            };
        }
        assert_eq!(*rest, Order::Operand(9));
    }

    #[test]
    fn nothing_has_no_order() {
        assert_eq!(cheapest(&[], 0, &[]), None);
    }
}
