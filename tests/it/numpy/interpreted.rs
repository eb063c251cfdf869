//! The programs through the interpreter, as a third opinion.

use super::{Batch, failing::Callbacks};
use hloom::interpret::{Array, Interpreter};

/// The bytes of a batch's results by the interpreter; callbacks return their operands.
///
/// # Errors
/// The interpreter's.
pub fn results(batch: &Batch) -> Result<Vec<Vec<u8>>, String> {
    let identity = |operands: &[&Array]| Ok(operands.iter().map(|&x| x.clone()).collect());
    let mut interpreter = Interpreter::new().host_call("identity", identity);
    for number in 0..batch.callbacks.count() {
        interpreter = interpreter.host_call(Callbacks::name(number), identity);
    }
    let inputs = batch.arguments.iter();
    let inputs = inputs.map(|argument| Array::from_bytes(argument.spec.shape(), &argument.bytes));
    let inputs = inputs.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let results = interpreter.run(&batch.graph, &inputs).map_err(|error| error.to_string())?;
    Ok(results.iter().map(Array::to_bytes).collect())
}
