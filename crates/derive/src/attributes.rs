//! The attributes `tree` and `axes`.

use proc_macro2::Span;
use syn::{
    Attribute, Error, Expr, Ident, LitStr, Path, Result, Token, ext::IdentExt, parse::ParseStream,
    punctuated::Punctuated, spanned::Spanned,
};

/// The attributes of the type.
#[derive(Default)]
pub struct TypeAttributes {
    /// The leaf parameter.
    pub leaf: Option<Ident>,
    /// The graph crate.
    pub krate: Option<Path>,
}

/// The value of a field that is not read from a checkpoint.
pub enum Preset {
    /// `Default::default()`.
    Default,
    /// An expression.
    Value(Box<Expr>),
}

/// The attributes of a field.
#[derive(Default)]
pub struct FieldAttributes {
    /// The path segment that replaces the field's name.
    pub rename: Option<String>,
    /// Whether the field adds no path segment.
    pub flatten: bool,
    /// The field's value when specs are read.
    pub preset: Option<Preset>,
    /// Whether a collection without elements is accepted when specs are read.
    pub may_be_empty: bool,
    /// The names of the leaf's axes.
    pub axes: Option<Vec<String>>,
}

impl TypeAttributes {
    /// Parses the attributes of a struct or an enum.
    pub fn read(attributes: &[Attribute]) -> Result<TypeAttributes> {
        let mut read = TypeAttributes::default();
        for attribute in attributes {
            if attribute.path().is_ident("axes") {
                return Err(Error::new_spanned(attribute, "`axes` names the axes of a field"));
            }
            if !attribute.path().is_ident("tree") {
                continue;
            }
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("leaf") {
                    read.leaf = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("crate") {
                    read.krate = Some(meta.value()?.call(Path::parse_mod_style)?);
                } else {
                    return Err(meta.error(
                        "unknown attribute of a type: expected `leaf = T` or `crate = path`",
                    ));
                }
                Ok(())
            })?;
        }
        Ok(read)
    }
}

impl FieldAttributes {
    /// Parses the attributes of a field.
    pub fn read(attributes: &[Attribute]) -> Result<FieldAttributes> {
        let mut read = FieldAttributes::default();
        for attribute in attributes {
            if attribute.path().is_ident("axes") {
                if read.axes.is_some() {
                    return Err(Error::new_spanned(attribute, "the axes are named twice"));
                }
                read.axes = Some(attribute.parse_args_with(axis_names)?);
            } else if attribute.path().is_ident("tree") {
                read.read_tree(attribute)?;
            }
        }
        Ok(read)
    }

    fn read_tree(&mut self, attribute: &Attribute) -> Result<()> {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                let name: LitStr = meta.value()?.parse()?;
                if name.value().is_empty() {
                    return Err(Error::new(
                        name.span(),
                        "an empty name: `#[tree(flatten)]` leaves the segment out",
                    ));
                }
                self.rename = Some(name.value());
            } else if meta.path.is_ident("flatten") {
                self.flatten = true;
            } else if meta.path.is_ident("may_be_empty") {
                self.may_be_empty = true;
            } else if meta.path.is_ident("default") {
                self.preset(Preset::Default, meta.path.span())?;
            } else if meta.path.is_ident("value") {
                let value = meta.value()?.parse()?;
                self.preset(Preset::Value(Box::new(value)), meta.path.span())?;
            } else {
                return Err(meta.error(
                    "unknown attribute of a field: expected `rename = \"name\"`, `flatten`, \
                     `may_be_empty`, `default` or `value = expression`",
                ));
            }
            Ok(())
        })?;
        if self.flatten && self.rename.is_some() {
            return Err(Error::new_spanned(
                attribute,
                "a flattened field has no path segment to rename",
            ));
        }
        Ok(())
    }

    fn preset(&mut self, preset: Preset, span: Span) -> Result<()> {
        match self.preset.replace(preset) {
            None => Ok(()),
            Some(_) => Err(Error::new(span, "`default` and `value` exclude each other")),
        }
    }
}

/// Axis names as strings or identifiers, including keywords such as `in`.
fn axis_names(input: ParseStream<'_>) -> Result<Vec<String>> {
    let names = Punctuated::<(String, Span), Token![,]>::parse_terminated_with(input, |input| {
        let span = input.span();
        let name = if input.peek(LitStr) {
            input.parse::<LitStr>()?.value()
        } else if input.peek(Token![_]) {
            input.parse::<Token![_]>()?;
            "_".to_owned()
        } else if input.peek(Ident::peek_any) {
            input.call(Ident::parse_any)?.unraw().to_string()
        } else {
            return Err(input.error("expected the name of an axis: a word, a string or `_`"));
        };
        Ok((name, span))
    })?;
    let mut unique: Vec<String> = Vec::new();
    for (name, span) in names {
        if name != "_" && unique.contains(&name) {
            return Err(Error::new(span, format!("axis `{name}` is there twice")));
        }
        unique.push(name);
    }
    Ok(unique)
}
