//! Sums of products by equations, and of groups of rows.

use crate::{Row, rows, ulps};
use hloom::ops::einsum;

pub fn rows() -> Vec<Row> {
    // The order of summation is the platform's choice: errors are relative to the largest result.
    let sums = ulps(8).of_largest();
    Vec::from(rows![
        "ij,jk->ik", sums, [x, y] => einsum("ij,jk->ik", &[x, y]);
        "ij,kj->ki", sums, [x, y] => einsum("ij,kj->ki", &[x, y]);
        "bij,bjk->bik", sums, [x, y] => einsum("bij,bjk->bik", &[x, y]);
        "bhqd,bhkd->bhqk", sums, [x, y] => einsum("bhqd,bhkd->bhqk", &[x, y]);
        "i,j->ij", sums, [x, y] => einsum("i,j->ij", &[x, y]);
        "i,i->", sums, [x, y] => einsum("i,i->", &[x, y]);
        "i,i->i", sums, [x, y] => einsum("i,i->i", &[x, y]);
        "ij,ij->j", sums, [x, y] => einsum("ij,ij->j", &[x, y]);
        "ij,k->k", sums, [x, y] => einsum("ij,k->k", &[x, y]);
        "ij,jk", sums, [x, y] => einsum("ij,jk", &[x, y]);
        "ba,cb", sums, [x, y] => einsum("ba,cb", &[x, y]);
        "...ij,...jk->...ik", sums, [x, y] => einsum("...ij,...jk->...ik", &[x, y]);
        "...i,i...->...", sums, [x, y] => einsum("...i,i...->...", &[x, y]);
        "ii,i->i", sums, [x, y] => einsum("ii,i->i", &[x, y]);
        ",i->i", sums, [x, y] => einsum(",i->i", &[x, y]);
        "ij->ji", sums, [x] => einsum("ij->ji", &[x]);
        "ij->", sums, [x] => einsum("ij->", &[x]);
        "ij->i", sums, [x] => einsum("ij->i", &[x]);
        "ii->i", sums, [x] => einsum("ii->i", &[x]);
        "ii->", sums, [x] => einsum("ii->", &[x]);
        "iji->j", sums, [x] => einsum("iji->j", &[x]);
        "iii->i", sums, [x] => einsum("iii->i", &[x]);
        "...i->i...", sums, [x] => einsum("...i->i...", &[x]);
        "ba", sums, [x] => einsum("ba", &[x]);
        "->", sums, [x] => einsum("->", &[x]);
        "ij,jk,kl->il", sums, [x, y, z] => einsum("ij,jk,kl->il", &[x, y, z]);
        "i,i,i->", sums, [x, y, z] => einsum("i,i,i->", &[x, y, z]);
        "bij,bjk,k,b->i", sums, [x, y, z, u] => einsum("bij,bjk,k,b->i", &[x, y, z, u]);
        "ij,jk,kl,lm,mi->", sums, [x, y, z, u, v] => {
            einsum("ij,jk,kl,lm,mi->", &[x, y, z, u, v])
        };
        "...a,ab,...b->...", sums, [x, y, z] => einsum("...a,ab,...b->...", &[x, y, z]);
        "ab,cd,ef->fca", sums, [x, y, z] => einsum("ab,cd,ef->fca", &[x, y, z]);
        "tensordot 0", sums, [x, y] => x.tensordot(y, 0);
        "tensordot 1", sums, [x, y] => x.tensordot(y, 1);
        "tensordot 2", sums, [x, y] => x.tensordot(y, 2);
        "ragged_dot", sums, [x, w, sizes] => x.ragged_dot(w, sizes, (1, 1));
        "ragged_dot transposed", sums, [x, w, sizes] => {
            x.named(["row", "in"]).ragged_dot(w.named(["expert", "out", "in"]), sizes, ("in", "in"))
        };
    ])
}
