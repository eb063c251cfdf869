//! The names of functions.

/// The name of a program by default: the last two parts of the function's path without its crate,
/// such as `Mlp::forward`. For a closure, that of the enclosing function; `function` for a type
/// without a path, such as a function pointer.
pub(crate) fn function_name<F>() -> String {
    name_of_path(std::any::type_name::<F>())
}

fn name_of_path(path: &str) -> String {
    let parts = parts(path.trim_start_matches("&mut ").trim_start_matches('&'));
    // The first part is the crate.
    let parts = parts.get(1..).unwrap_or_default();
    match parts[parts.len().saturating_sub(2)..].join("::") {
        name if name.is_empty() => "function".into(),
        name => name,
    }
}

/// The identifiers of a path, without generic arguments. A qualified type, such as `<Mlp as
/// Model>`, has those of the type.
fn parts(path: &str) -> Vec<&str> {
    let mut all = Vec::new();
    for segment in split(path, "::") {
        let qualified = segment.strip_prefix('<').and_then(|inner| inner.strip_suffix('>'));
        match qualified {
            Some(inner) => {
                let of = match inner.strip_prefix("impl ") {
                    Some(inner) => split(inner, " for ").last().copied().unwrap_or_default(),
                    None => split(inner, " as ")[0],
                };
                // `module::<impl Model for module::Mlp>` repeats the module. For a type without a
                // path, an empty name stands for the crate.
                all = Some(parts(of)).filter(|of| !of.is_empty()).unwrap_or_else(|| vec![""]);
            }
            // `{{closure}}`.
            None if segment.starts_with('{') => {}
            None => {
                let (name, generics) = segment.split_at(segment.find('<').unwrap_or(segment.len()));
                let is_identifier = name.chars().all(|c| c.is_alphanumeric() || c == '_');
                let is_closed = generics.is_empty() || generics.ends_with('>');
                if name.is_empty() || !is_identifier || !is_closed {
                    return Vec::new();
                }
                all.push(name);
            }
        }
    }
    all
}

/// Splits a path at a separator that is not within brackets.
fn split<'a>(path: &'a str, separator: &str) -> Vec<&'a str> {
    let (mut pieces, mut begin, mut depth) = (Vec::new(), 0, 0usize);
    let bytes = path.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && bytes[at..].starts_with(separator.as_bytes()) => {
                pieces.push(&path[begin..at]);
                at += separator.len();
                begin = at;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    pieces.push(&path[begin..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    trait Model {
        fn forward(self);
    }

    struct Mlp<T>(T);

    impl<T> Mlp<T> {
        fn apply(self) {
            let _ = self.0;
        }
    }

    impl<T> Model for Mlp<T> {
        fn forward(self) {
            self.apply();
        }
    }

    fn generic<T>(_: T) {}

    fn of<F>(_: F) -> String {
        function_name::<F>()
    }

    #[test]
    fn functions_methods_and_closures_have_names() {
        assert_eq!(of(generic::<Mlp<Vec<u8>>>), "tests::generic");
        assert_eq!(of(Mlp::<Vec<u8>>::apply), "Mlp::apply");
        assert_eq!(of(Mlp::<(u8, Vec<[u8; 2]>)>::forward), "Mlp::forward");
        assert_eq!(of(|_: u8| 0), "tests::functions_methods_and_closures_have_names");
        assert_eq!(of(&|_: u8| 0), "tests::functions_methods_and_closures_have_names");
        let pointer: fn(Mlp<u8>) = Mlp::apply;
        assert_eq!(of(pointer), "function");
        let boxed: Box<dyn Fn(u8) -> u8> = Box::new(|x| x);
        assert_eq!(of(boxed), "boxed::Box");
    }

    #[test]
    fn paths_of_every_form_have_names() {
        for (path, name) in [
            ("app::forward", "forward"),
            ("app::forward::{{closure}}", "forward"),
            ("app::model::Mlp::forward::{{closure}}::{{closure}}", "Mlp::forward"),
            ("<app::Mlp<graph::Tensor> as app::Model>::forward", "Mlp::forward"),
            ("app::model::<impl app::Model for app::a::Mlp<T>>::forward", "Mlp::forward"),
            ("<fn(app::A) -> app::B as app::Model>::forward", "forward"),
            ("app::apply<fn(app::A) -> app::B>", "apply"),
            ("fn(app::A) -> app::B", "function"),
            ("for<'a> fn(&'a app::A)", "function"),
            ("(app::A, app::B)", "function"),
            ("", "function"),
            ("<", "function"),
            (">::", "function"),
            ("app::größe::Ü", "größe::Ü"),
        ] {
            assert_eq!(name_of_path(path), name, "{path}");
        }
    }
}
