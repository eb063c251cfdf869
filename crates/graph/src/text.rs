//! The text form of a graph.
