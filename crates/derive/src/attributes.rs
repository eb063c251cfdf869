//! The attributes `tree` and `axes`.

use crate::{constant::Constant, shape::Shape};
use proc_macro2::Span;
use syn::{
    Attribute, Error, Expr, Ident, LitStr, Path, Result, Token, Type, ext::IdentExt,
    parse::ParseStream, punctuated::Punctuated, spanned::Spanned,
};

/// The attributes of the type.
#[derive(Default)]
pub struct TypeAttributes {
    /// The leaf parameter, or `P::Leaf`.
    pub leaf: Option<Path>,
    /// The graph crate.
    pub krate: Option<Path>,
    /// The type of the configuration.
    pub config: Option<Type>,
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
    /// The configuration of the trees in the field, if it is not that of the type.
    pub config: Option<Expr>,
    /// The number of elements of a list.
    pub count: Option<Expr>,
    /// The sizes of axes in the leaves of the field and in those directly in its trees, by name.
    pub sizes: Vec<(String, Expr)>,
    /// The sizes of axes in all leaves of the field, by name.
    pub all_sizes: Vec<(String, Expr)>,
    /// Whether optional fields are present, by name.
    pub has: Vec<(String, Expr)>,
    /// Fields of the trees in the field that are set after reading.
    pub set: Vec<Constant>,
    /// Whether the leaves in the field are buffers, not parameters.
    pub buffer: bool,
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
                    read.leaf = Some(meta.value()?.call(Path::parse_mod_style)?);
                } else if meta.path.is_ident("crate") {
                    read.krate = Some(meta.value()?.call(Path::parse_mod_style)?);
                } else if meta.path.is_ident("config") {
                    read.config = Some(meta.value()?.parse()?);
                } else {
                    return Err(meta.error(
                        "unknown attribute of a type: expected `leaf = T`, `config = Type` or \
                         `crate = path`",
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
            } else if meta.path.is_ident("buffer") {
                self.buffer = true;
            } else if meta.path.is_ident("default") {
                self.preset(Preset::Default, meta.path.span())?;
            } else if meta.path.is_ident("value") {
                let value = meta.value()?.parse()?;
                self.preset(Preset::Value(Box::new(value)), meta.path.span())?;
            } else if meta.path.is_ident("config") {
                self.config = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("count") {
                self.count = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("sizes") {
                let sizes;
                syn::parenthesized!(sizes in meta.input);
                self.sizes.extend(named(&sizes)?);
            } else if meta.path.is_ident("all_sizes") {
                let sizes;
                syn::parenthesized!(sizes in meta.input);
                self.all_sizes.extend(named(&sizes)?);
            } else if meta.path.is_ident("has") {
                let options;
                syn::parenthesized!(options in meta.input);
                self.has.extend(named(&options)?);
            } else if meta.path.is_ident("set") {
                let constants;
                syn::parenthesized!(constants in meta.input);
                let constants = Punctuated::<Constant, Token![,]>::parse_terminated(&constants)?;
                self.set.extend(constants);
            } else {
                return Err(meta.error(
                    "unknown attribute of a field: expected `rename = \"name\"`, `flatten`, \
                     `buffer`, `may_be_empty`, `default`, `value = expression`, \
                     `set(field = expression)`, `sizes(axis = expression)`, \
                     `all_sizes(axis = expression)`, `has(field = expression)`, \
                     `count = expression` or `config = expression`",
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
        let is_read = self.config.is_some()
            || self.count.is_some()
            || !self.set.is_empty()
            || !self.sizes.is_empty()
            || !self.all_sizes.is_empty()
            || !self.has.is_empty();
        if self.preset.is_some() && is_read {
            return Err(Error::new_spanned(
                attribute,
                "`config`, `count`, `has`, `set`, `sizes` and `all_sizes` are for fields that are \
                 read; this one has its value",
            ));
        }
        Ok(())
    }

    /// Checks that a field of this shape can have the attributes of a field that is read.
    pub fn check(&self, field: &syn::Field, shape: &Shape) -> Result<()> {
        if !self.set.is_empty() && !shape.holds_trees() {
            return Err(Error::new_spanned(
                field,
                "`set` gives values to fields of another tree, and this field holds none",
            ));
        }
        if self.count.is_some() && !matches!(shape, Shape::Vec(_)) {
            return Err(Error::new_spanned(field, "`count` is the length of a `Vec` of trees"));
        }
        if self.buffer && matches!(shape, Shape::Carried { .. }) {
            return Err(Error::new_spanned(
                field,
                "`buffer` marks tensors, and this field holds none",
            ));
        }
        let has_sizes = !self.sizes.is_empty() || !self.all_sizes.is_empty();
        if has_sizes && matches!(shape, Shape::Carried { .. }) {
            return Err(Error::new_spanned(
                field,
                "`sizes` are those of tensors, and this field holds none",
            ));
        }
        if self.config.is_some() && matches!(shape, Shape::Leaf | Shape::Carried { .. }) {
            return Err(Error::new_spanned(
                field,
                "`config` is the configuration of another tree, and this field holds none",
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

/// Expressions of axes or fields: `out = config.hidden_size`.
fn named(input: ParseStream<'_>) -> Result<Punctuated<(String, Expr), Token![,]>> {
    Punctuated::parse_terminated_with(input, |input| {
        let (name, _) = axis_name(input)?;
        input.parse::<Token![=]>()?;
        Ok((name, input.parse()?))
    })
}

/// An axis name as a string or an identifier, including keywords such as `in`.
fn axis_name(input: ParseStream<'_>) -> Result<(String, Span)> {
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
}

/// Axis names, each once.
fn axis_names(input: ParseStream<'_>) -> Result<Vec<String>> {
    let names = Punctuated::<_, Token![,]>::parse_terminated_with(input, axis_name)?;
    let mut unique: Vec<String> = Vec::new();
    for (name, span) in names {
        if name != "_" && unique.contains(&name) {
            return Err(Error::new(span, format!("duplicate axis `{name}`")));
        }
        unique.push(name);
    }
    Ok(unique)
}
