//! Shapes, errors, derivatives and passes of graphs, without a compiler or a plugin.

mod axis_order;
mod bodies;
mod broadcast;
mod convolution;
mod custom_call;
mod derive;
mod grad;
mod grad_refused;
mod limits;
mod messages;
mod modules;
mod nesting;
mod ops;
mod pool;
mod printed;
mod replay;
mod replication;
mod result_order;
mod rewrite;
mod scatter;
mod sharding;
mod trace;
mod traced;
mod vmap;
