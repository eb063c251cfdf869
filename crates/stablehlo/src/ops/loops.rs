//! Loops of a known number of steps, which are expanded.

use crate::lower::expanded_before;
use hloom_graph::op::{ForLoop, Scan};

expanded_before!(ForLoop, "loops are expanded before the nodes are lowered");
expanded_before!(Scan, "loops are expanded before the nodes are lowered");
