//! Lowers graphs to StableHLO modules.
