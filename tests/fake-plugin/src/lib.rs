//! A PJRT plugin that lies in every way a plugin can, for the tests of the loader.
