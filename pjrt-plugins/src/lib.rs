//! Plugin packages: which package carries which PJRT plugin, and their installer.
