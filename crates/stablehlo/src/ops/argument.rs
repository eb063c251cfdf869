//! Arguments.

use crate::lower::expanded_before;
use hloom_graph::op::Argument;

expanded_before!(Argument, "the values of arguments are there before the nodes are lowered");
