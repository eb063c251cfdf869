//! Named shapes, trees, tracing and the tensor graph.
