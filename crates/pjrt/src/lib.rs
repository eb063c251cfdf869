//! Safe PJRT: plugins, clients, buffers and executables.
