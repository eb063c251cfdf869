//! Raw bindings of the PJRT C API, its extensions and the XLA FFI C API.
