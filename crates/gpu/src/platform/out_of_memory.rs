//! Buffers and results larger than the memory: the error names their size, and the platform still
//! works.

use super::memory::first;
use crate::{
    Result,
    attempt::{attempt, ensure},
    results::Results,
};
use hloom::{Buffer, DType, Error, Platform, Shape, Spec, Tensor};
use hloom_pjrt::ErrorCode;

/// Requests for more than the limit of the memory.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Kind {
    /// A buffer.
    Buffer,
    /// The result of a program.
    Program,
}

/// Asks for 1 GiB more than the limit.
pub fn run(platform: &Platform, kind: Kind, results: &mut Results) -> Result {
    let limit = match first(platform)?.memory_stats()? {
        Some(stats) => usize::try_from(stats.bytes_limit.ok_or("there is no bytes_limit")?)?,
        // No machine has as much.
        None => 1 << 45,
    };
    let count = (limit + (1 << 30)) / size_of::<f32>();
    let shape = Shape::new(DType::F32, [count])?;
    let (bench, outcome): (_, &dyn Fn() -> hloom::Result<()>) = match kind {
        Kind::Buffer => {
            ("gpu/platform/out_of_memory/buffer", &|| Buffer::zeros(platform, shape)?.ready())
        }
        Kind::Program => ("gpu/platform/out_of_memory/program", &|| {
            let fill = move |x: Tensor| x.broadcast_to([count]) + 1.0;
            let exe = platform.compile(fill, (Spec::of(Shape::scalar(DType::F32)),))?;
            exe.call((&Buffer::scalar(platform, 1f32)?,))?.ready()
        }),
    };
    attempt(results, bench, || {
        is_full(shape, outcome())?;
        works(platform)
    })?;
    Ok(())
}

fn is_full(shape: Shape, outcome: hloom::Result<()>) -> Result {
    let Err(error) = outcome else { return Err(format!("{shape} is no error").into()) };
    let text = error.to_string();
    println!("out of memory: {text}");
    let Error::Plugin { source, .. } = error else {
        return Err(format!("the error is not the plugin's: {text}").into());
    };
    ensure(source.code() == ErrorCode::ResourceExhausted, || {
        format!("the code is {}: {text}", source.code())
    })?;
    ensure(text.contains(&shape.to_string()), || format!("{shape} is not named: {text}"))
}

/// A buffer and a program of the platform are still right.
fn works(platform: &Platform) -> Result {
    let x = Buffer::from_slice(platform, &[1f32, 2.0, 3.0], [3])?;
    let exe = platform.compile(|x: Tensor| x * 3.0, (Spec::f32([3]),))?;
    let found = exe.call((&x,))?.to_vec::<f32>()?;
    ensure(found == [3.0, 6.0, 9.0], || format!("afterwards, three times x is {found:?}"))
}
