//! Positions of elements in row-major order.

/// The positions of a tensor, in row-major order.
pub fn positions(sizes: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &size in sizes {
        all = all
            .iter()
            .flat_map(|start| (0..size).map(|i| [&**start, &[i]].concat()).collect::<Vec<_>>())
            .collect();
    }
    all
}

/// The index of a position in row-major order.
pub fn flat(position: &[usize], sizes: &[usize]) -> usize {
    position.iter().zip(sizes).fold(0, |index, (i, size)| index * size + i)
}
