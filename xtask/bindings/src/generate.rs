//! Runs bindgen over the headers and tidies its output.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use syn::{Item, Type};

use crate::Result;

/// Types that have grown since the headers were published: declared by hand at their full size.
const BY_HAND: [&str; 6] = [
    "PJRT_Client_CreateErrorBuffer_Args",
    "PJRT_Device_MemoryStats_Args",
    "PJRT_Device_PoisonExecution_Args",
    "PJRT_Executable_DeserializeAndLoad_Args",
    "PJRT_Executable_GetCompiledMemoryStats_Args",
    "PJRT_ExecuteOptions",
];

/// The text of the bindings.
///
/// # Errors
/// libclang or rustfmt is missing, or the headers do not parse.
pub fn bindings(stubs: &Path, includes: &[PathBuf]) -> Result<String> {
    clang_sys::load().map_err(|error| {
        format!("{error}: install libclang (Debian: libclang-22-dev) or set LIBCLANG_PATH")
    })?;
    let mut builder = bindgen::Builder::default()
        .header(stubs.join("all.h").to_string_lossy())
        // C++, because some extension headers are; without the machine's own headers.
        .clang_args(["-x", "c++", "-std=c++17", "-ffreestanding", "-nostdlibinc"])
        .clang_args(["--target=x86_64-unknown-linux-gnu"])
        .clang_arg(format!("-I{}", stubs.display()))
        .allowlist_type("(PJRT|PLUGIN|XLA_FFI)_.*")
        .allowlist_var("(PJRT|PLUGIN|XLA_FFI)_.*")
        .ignore_functions()
        .generate_comments(false)
        .prepend_enum_name(false)
        .default_enum_style(bindgen::EnumVariation::Consts)
        .layout_tests(true)
        .derive_debug(false)
        .sort_semantically(false)
        .disable_header_comment()
        .rust_target(bindgen::RustTarget::stable(85, 0).map_err(|error| error.to_string())?)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .formatter(bindgen::Formatter::None);
    for include in includes {
        builder = builder.clang_arg(format!("-I{}", include.display()));
    }
    for name in BY_HAND {
        builder = builder.blocklist_item(name);
    }
    let text = builder
        .generate()
        .map_err(|error| format!("the headers do not parse: {error}"))?
        .to_string();
    rustfmt(&tidy(&text)?)
}

/// Gives the struct sizes, which the headers declare as anonymous enums, the type `usize`.
fn tidy(text: &str) -> Result<String> {
    let mut file = syn::parse_file(text)
        .map_err(|error| format!("bindgen's output does not parse: {error}"))?;
    file.items
        .retain(|item| !matches!(item, Item::Type(alias) if anonymous(&alias.ident.to_string())));
    for item in &mut file.items {
        if let Item::Const(constant) = item
            && let Type::Path(path) = &*constant.ty
            && path.path.get_ident().is_some_and(|ident| anonymous(&ident.to_string()))
        {
            *constant.ty = syn::parse_quote!(usize);
        }
    }
    let imports = BY_HAND.join(", ");
    Ok(format!("use crate::later::{{{imports}}};\n\n{}", prettyplease::unparse(&file)))
}

fn anonymous(name: &str) -> bool {
    name.starts_with("_bindgen_ty_")
}

fn rustfmt(text: &str) -> Result<String> {
    let failed = |error: std::io::Error| format!("cannot run rustfmt: {error}");
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout"])
        // The folder with the workspace's formatting rules.
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut input = child.stdin.take().ok_or("rustfmt has no standard input")?;
    let bytes = text.as_bytes().to_vec();
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output().map_err(failed)?;
    writer.join().map_err(|_| "the thread that feeds rustfmt panicked")?.map_err(failed)?;
    if !output.status.success() {
        return Err(format!("rustfmt failed with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
