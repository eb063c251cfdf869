//! A generator of hostile programs, each determined by its kind and a seed.

use fastrand::Rng;
use std::fmt::Write;

/// A kind of hostile programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostileKind {
    /// Sorts whose comparators are not orders.
    Sort,
    /// Calls of the plugin's own handlers with shapes that they do not expect.
    CustomCall,
    /// Divisions of constants by zero, and of the least integer by -1.
    Division,
    /// Functions that call others twice, themselves, or in deep nests of regions.
    Call,
    /// Feeds, which wait for another program.
    Feed,
}

impl HostileKind {
    pub const ALL: [HostileKind; 5] = [
        HostileKind::Sort,
        HostileKind::CustomCall,
        HostileKind::Division,
        HostileKind::Call,
        HostileKind::Feed,
    ];

    /// The program of a seed.
    pub fn program(self, seed: u64) -> String {
        let mut random = Rng::with_seed(seed);
        match self {
            HostileKind::Sort => sort(&mut random),
            HostileKind::CustomCall => custom_call(&mut random),
            HostileKind::Division => division(&mut random),
            HostileKind::Call => call(&mut random),
            HostileKind::Feed => feed(&mut random),
        }
    }
}

fn one_of<'a>(random: &mut Rng, choices: &[&'a str]) -> &'a str {
    choices[random.usize(..choices.len())]
}

fn sort(random: &mut Rng) -> String {
    let (count, size) = (random.usize(1..=3), random.usize(2..3000));
    let types: Vec<&str> = (0..count).map(|_| one_of(random, &["f32", "i32", "f64"])).collect();
    let join = |of: &dyn Fn(usize) -> String| (0..count).map(of).collect::<Vec<_>>().join(", ");
    let arrays = join(&|i| format!("tensor<{size}x{}>", types[i]));
    let parameters = join(&|i| format!("%a{i}: tensor<{size}x{}>", types[i]));
    let operands = join(&|i| format!("%a{i}"));
    let scalars = join(&|i| format!("%x{i}: tensor<{0}>, %y{i}: tensor<{0}>", types[i]));
    let scalar = format!("tensor<{}>", types[0]);
    let order = one_of(random, &["GE", "LE", "NE", "EQ"]);
    let (left, right) = if random.bool() { ("%x0", "%y0") } else { ("%y0", "%y0") };
    let compared = if random.u8(..4) == 0 {
        "%less = stablehlo.constant dense<true> : tensor<i1>".to_owned()
    } else {
        format!(
            "%less = stablehlo.compare {order}, {left}, {right} : ({scalar}, {scalar}) -> \
             tensor<i1>"
        )
    };
    let stable = random.u8(..4) == 0;
    let results = join(&|i| format!("%r#{i}"));
    format!(
        "func.func @main({parameters}) -> ({arrays}) {{
  %r:{count} = \"stablehlo.sort\"({operands}) ({{
    ^bb0({scalars}):
      {compared}
      stablehlo.return %less : tensor<i1>
  }}) {{dimension = 0 : i64, is_stable = {stable}}} : ({arrays}) -> ({arrays})
  return {results} : {arrays}
}}"
    )
}

fn array(random: &mut Rng) -> String {
    let mut array = "tensor<".to_owned();
    for _ in 0..random.usize(..4) {
        let size = *random.choice(&[1, 2, 10, 4000, 1_000_000]).expect("a choice");
        write!(array, "{size}x").expect("text grows");
    }
    array.push_str(one_of(random, &["f32", "i32", "i8", "bf16"]));
    array.push('>');
    array
}

fn custom_call(random: &mut Rng) -> String {
    let targets = [
        "TopK",
        "SliceToDynamic",
        "PadToStatic",
        "xla.sdy.FuncResultSharding",
        "__onednn$matmul",
        "__onednn$softmax",
        "__onednn$layernorm",
    ];
    let target = one_of(random, &targets);
    let operands: Vec<String> = (0..random.usize(1..=3)).map(|_| array(random)).collect();
    let results = if target == "TopK" { 2 } else { 1 };
    let results: Vec<String> = (0..results).map(|_| array(random)).collect();
    let version = random.usize(1..=2);
    let list = |form: &dyn Fn(usize) -> String, count: usize| {
        (0..count).map(form).collect::<Vec<_>>().join(", ")
    };
    let parameters = list(&|i| format!("%a{i}: {}", operands[i]), operands.len());
    let names = list(&|i| format!("%a{i}"), operands.len());
    let values = list(&|i| format!("%r#{i}"), results.len());
    let (count, operands, results) = (results.len(), operands.join(", "), results.join(", "));
    format!(
        "func.func @main({parameters}) -> ({results}) {{
  %r:{count} = \"stablehlo.custom_call\"({names}) {{call_target_name = \"{target}\",
    api_version = {version} : i32, backend_config = \"\"}} : ({operands}) -> ({results})
  return {values} : {results}
}}"
    )
}

fn division(random: &mut Rng) -> String {
    let (dtype, least) = *random
        .choice(&[
            ("i8", i64::from(i8::MIN)),
            ("i16", i64::from(i16::MIN)),
            ("i32", i64::from(i32::MIN)),
            ("i64", i64::MIN),
        ])
        .expect("a choice");
    let op = one_of(random, &["divide", "remainder"]);
    let divisor = if random.bool() { 0 } else { -1 };
    let size = random.usize(1..100);
    let array = format!("tensor<{size}x{dtype}>");
    let through = one_of(random, &["%a", "%negated"]);
    format!(
        "func.func @main() -> {array} {{
  %a = stablehlo.constant dense<{least}> : {array}
  %negated = stablehlo.negate %a : {array}
  %b = stablehlo.constant dense<{divisor}> : {array}
  %c = stablehlo.{op} {through}, %b : {array}
  return %c : {array}
}}"
    )
}

fn call(random: &mut Rng) -> String {
    const ARRAY: &str = "tensor<4xf32>";
    let form = random.u8(..3);
    let mut text = String::new();
    let mut main = format!("  %r = func.call @f0(%a) : ({ARRAY}) -> {ARRAY}\n");
    match form {
        0 => {
            let depth = random.usize(12..60);
            for i in 0..depth {
                let next = i + 1;
                text += &format!(
                    "func.func private @f{i}(%a: {ARRAY}) -> {ARRAY} {{
  %b = func.call @f{next}(%a) : ({ARRAY}) -> {ARRAY}
  %c = func.call @f{next}(%b) : ({ARRAY}) -> {ARRAY}
  return %c : {ARRAY}
}}\n"
                );
            }
            text += &format!(
                "func.func private @f{depth}(%a: {ARRAY}) -> {ARRAY} {{
  %b = stablehlo.sine %a : {ARRAY}
  return %b : {ARRAY}
}}\n"
            );
        }
        1 => {
            let length = random.usize(1..5);
            for i in 0..length {
                let next = (i + 1) % length;
                text += &format!(
                    "func.func private @f{i}(%a: {ARRAY}) -> {ARRAY} {{
  %b = func.call @f{next}(%a) : ({ARRAY}) -> {ARRAY}
  return %b : {ARRAY}
}}\n"
                );
            }
        }
        _ => {
            let depth = random.usize(1000..20_000);
            let open = "\"stablehlo.case\"(%i) ({\n".repeat(depth);
            let close = format!("}}) : (tensor<i32>) -> {ARRAY}\n");
            main = "  %i = stablehlo.constant dense<0> : tensor<i32>\n".to_owned();
            let mut nest = format!("stablehlo.return %a : {ARRAY}\n");
            for i in 0..depth {
                nest += &format!("{close}stablehlo.return %v{i} : {ARRAY}\n");
            }
            let mut opened = open.lines().enumerate();
            for (i, line) in &mut opened {
                main += &format!("%v{} = {line}\n", depth - 1 - i);
            }
            // The last return is that of the function.
            let last = format!("stablehlo.return %v{} : {ARRAY}\n", depth - 1);
            main += nest.trim_end_matches(&*last);
            main += &format!("  %r = stablehlo.negate %v{} : {ARRAY}\n", depth - 1);
        }
    }
    format!(
        "{text}func.func public @main(%a: {ARRAY}) -> {ARRAY} {{\n{main}  return %r : {ARRAY}\n}}"
    )
}

fn feed(random: &mut Rng) -> String {
    let size = random.usize(1..100);
    let array = format!("tensor<{size}xf32>");
    let token = "!stablehlo.token";
    let ops = if random.bool() {
        format!(
            "%r:2 = \"stablehlo.infeed\"(%t) {{infeed_config = \"\"}} : ({token}) -> ({array}, \
             {token})\n  return %r#0 : {array}"
        )
    } else {
        format!(
            "%r = \"stablehlo.outfeed\"(%a, %t) {{outfeed_config = \"\"}} : ({array}, {token}) -> \
             {token}\n  return %a : {array}"
        )
    };
    format!(
        "func.func @main(%a: {array}) -> {array} {{
  %t = stablehlo.create_token : {token}
  {ops}
}}"
    )
}
