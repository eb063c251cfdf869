//! Lazy tensors: loads a table, normalises it, fits a linear model by gradient descent, whose steps
//! are a traced function with derivatives, and draws the fit.
//!
//! ```sh
//! cargo run --example lazy [FILE.csv]
//! ```
//!
//! The last column of the file is predicted from the others. Without a file, the table is invented
//! data about the fuel consumption of cars.

#[macro_use]
#[path = "../common/stdout.rs"]
mod stdout;

use hloom::{lazy, prelude::*, train::Plot, value_and_grad};
use std::{error::Error, fs};

const STEPS: usize = 300;
const RATE: f64 = 0.1;

/// A table: the names of its columns, and its elements in row-major order.
struct Table {
    columns: Vec<String>,
    values: Vec<f32>,
}

impl Table {
    fn parse(text: &str) -> Result<Table, Box<dyn Error>> {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let head = lines.next().ok_or("the file is empty")?;
        let columns: Vec<String> = head.split(',').map(|name| name.trim().to_owned()).collect();
        let mut values = Vec::new();
        for (number, line) in (2..).zip(lines) {
            let before = values.len();
            for cell in line.split(',') {
                let value = cell.trim().parse::<f32>();
                values.push(value.map_err(|error| format!("line {number}: `{cell}`: {error}"))?);
            }
            if values.len() - before != columns.len() {
                return Err(format!("line {number} does not have {} cells", columns.len()).into());
            }
        }
        if columns.len() < 2 || values.is_empty() {
            return Err("a table has two columns and a row at least".into());
        }
        Ok(Table { columns, values })
    }
}

/// The weights of the features, and a bias.
type Model<T = Tensor> = (T, T);

/// The model after a step of gradient descent, and the mean squared error before it.
fn step((model, x, y): (Model, Tensor, Tensor)) -> (Model, Tensor) {
    let (error, (of_weights, of_bias)) = value_and_grad(model, |(weights, bias)| {
        (x.dot(weights, "feature") + bias - y).square().mean("row")
    });
    let (weights, bias) = model;
    ((weights - of_weights * RATE, bias - of_bias * RATE), error)
}

fn main() -> Result<(), Box<dyn Error>> {
    let table = match std::env::args().nth(1) {
        Some(file) => Table::parse(&fs::read_to_string(file)?)?,
        None => Table::parse(include_str!("cars.csv"))?,
    };
    let features = table.columns.len() - 1;
    let rows = table.values.len() / table.columns.len();

    hloom::plugins::ensure("cpu")?;
    let platform = Platform::cpu()?;
    let dims = [("row", rows), ("feature", features + 1)];
    let table_values = Lazy::from_slice(&platform, &table.values, dims)?;
    let y = table_values.index("feature", -1);
    let x = table_values.slice("feature", ..-1);
    let (mean, deviation) = (x.mean_keep("row"), x.std_keep("row"));
    let x = (x - &mean) / &deviation;

    let weights = Lazy::zeros(&platform, DType::F32, [("feature", features)]);
    let mut model: Model<Lazy> = (weights, Lazy::zeros(&platform, DType::F32, [0usize; 0]));
    println!("{:>6} {:>12}", "step", "mean error²");
    for number in 0..=STEPS {
        let error;
        (model, error) = lazy::call(step, (model, x.clone(), y.clone()));
        if number % 50 == 0 {
            println!("{number:>6} {:>12.4}", error.item::<f32>()?);
        }
    }
    let (weights, bias) = model;

    println!("\n{:>16} {:>10} {:>10} {:>10}", "column", "mean", "deviation", "weight");
    let read = |lazy: &Lazy| lazy.to_vec::<f32>();
    lazy::realize_all([&mean, &deviation, &weights, &bias])?;
    let (mean, deviation, weight) = (read(&mean)?, read(&deviation)?, read(&weights)?);
    for (i, name) in table.columns[..features].iter().enumerate() {
        println!("{name:>16} {:>10.3} {:>10.3} {:>10.3}", mean[i], deviation[i], weight[i]);
    }
    println!("{:>16} {:>32.3}", table.columns[features], bias.item::<f32>()?);

    let fitted = x.dot(&weights, "feature") + &bias;
    println!("\n{}: the table's (across) and the model's (up)", table.columns[features]);
    let (across, up) = (read(&y)?, read(&fitted)?);
    let points: Vec<(f64, f64)> =
        across.iter().zip(&up).map(|(&x, &y)| (f64::from(x), f64::from(y))).collect();
    println!("{}", Plot::new(60, 20).diagonal().points(&points));
    let stats = lazy::stats(&platform);
    println!("\n{} programs compiled, {} runs", stats.misses, stats.runs);
    Ok(())
}
