//! The derive macro of the Tree trait.
