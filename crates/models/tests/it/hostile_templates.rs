//! Chat templates that try to use unlimited time or memory: each returns an error, or text of
//! bounded size, in bounded time.

use hloom_models::text::{ChatTemplate, Message};
use hloom_test_support::{Child, is_child};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// Templates with a part of the error that each ends with; without one, it renders.
fn corpus() -> Vec<(String, Option<&'static str>)> {
    const BUDGET: Option<&str> = Some("that a template may for this conversation");
    const STEPS: Option<&str> = Some("runs for more than 1000000 steps");
    const TOKENS: Option<&str> = Some("has a tag of more than 2000 tokens");
    const NESTED: Option<&str> = Some("nested more than 64 deep");
    let doubled =
        |set: &str| format!("{{% set x = 'abcdefgh' %}}{}{{{{ x | length }}}}", set.repeat(60));
    let grown = |step: &str| {
        format!(
            "{{% set n = namespace(x=[1]) %}}{{% for i in range(100000) %}}{step}{{% endfor \
             %}}{{{{ n.x }}}}"
        )
    };
    let mut all = vec![
        // The parser.
        (format!("{{{{ {} 1 }}}}", "not ".repeat(60_000)), TOKENS),
        (format!("{{{{ {} 1 }}}}", "-".repeat(100_000)), TOKENS),
        (format!("{{{{ 1{} }}}}", "+1".repeat(100_000)), TOKENS),
        (format!("{{{{ 1{} }}}}", " if 1 else 1".repeat(20_000)), TOKENS),
        (format!("{{{{ x{} }}}}", ".a".repeat(100_000)), TOKENS),
        (format!("{{{{ x{} }}}}", "|e".repeat(100_000)), TOKENS),
        (format!("{{{{ {}{} }}}}", "(".repeat(900), ")".repeat(900)), Some("recursion limit")),
        (format!("{{{{ {}{} }}}}", "[".repeat(900), "]".repeat(900)), Some("recursion limit")),
        (
            format!("{}{}", "{% if 1 %}".repeat(10_000), "{% endif %}".repeat(10_000)),
            Some("recursion limit"),
        ),
        (
            format!("{{% if 0 %}}{}{{% endif %}}", "{% elif 0 %}".repeat(20_000)),
            Some("more than 1000 `elif` branches"),
        ),
        ("x".repeat(300_000), Some("300000 bytes; at most 262144 are read")),
        ("\n".repeat(200_000), None),
        (format!("{{{{ {}1 }}}}", "1 or ".repeat(900)), None),
        // Constants, which the engine would compute before the first instruction.
        ("{{ 'abcdefgh' * 99999999 }}".into(), BUDGET),
        ("{{ ('a' * 60000000) ~ ('a' * 60000000) }}".into(), BUDGET),
        // Operators.
        (doubled("{% set x = x ~ x %}"), BUDGET),
        (doubled("{% set x = x + x %}"), BUDGET),
        (doubled("{% set x = x * 8 %}"), BUDGET),
        (doubled("{% set x %}{{ x }}{{ x }}{% endset %}"), BUDGET),
        ("{{ [1] * 1000000000000000000 }}".into(), BUDGET),
        ("{{ [] * 1000000000000000000 }}".into(), BUDGET),
        ("{{ 'ab' * -3 }}{{ 'abc'[2:1:-1] }}{{ 'abc'[1:2:-1] }}".into(), None),
        ("{{ 2 ** 999999999 }}".into(), Some("unable to calculate")),
        (
            "{{ 9999999999999999999999999999999999999 * 9999999999999999999999999999999999999 }}"
                .into(),
            Some("unable to calculate"),
        ),
        // Values that share their parts: small in memory, but endless to traverse.
        (
            "{% set x = [1] %}".to_owned() + &"{% set x = [x, x] %}".repeat(60) + "{{ x == x }}",
            BUDGET,
        ),
        (
            "{% set x = [1] %}".to_owned()
                + &"{% set x = {'a': x, 'b': x} %}".repeat(60)
                + "{{ x | tojson }}",
            BUDGET,
        ),
        ("{% set n = namespace() %}{% set n.a = n %}{{ n }}".into(), NESTED),
        (
            "{% set n = namespace() %}{% set n.a = n %}{% set n.b = n %}{{ n | tojson }}".into(),
            NESTED,
        ),
        (grown("{% set n.x = [n.x] %}"), NESTED),
        (grown("{% set n.x = {'a': n.x} %}"), NESTED),
        (grown("{% set n.x = namespace(a=n.x) %}"), NESTED),
        (grown("{% set n.x = n.x + n.x %}"), BUDGET),
        (grown("{% set n.x = n.x[0:] %}"), STEPS),
        (grown("{% set n.x = n.x | reverse %}"), None),
        (grown("{% set n.x = n.x | list %}"), None),
        (grown("{% set n.x = n.x + [i] %}"), BUDGET),
        // Loops and calls.
        (
            "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}"
                .into(),
            STEPS,
        ),
        (
            "{% set r = range(1000) | list %}{% for i in r %}{% for j in r %}{% for k in r %}{% \
             endfor %}{% endfor %}{% endfor %}"
                .into(),
            STEPS,
        ),
        (
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}".into(),
            Some("recursion limit exceeded"),
        ),
        (
            "{% macro m(n) %}{{ m(n + 1) }}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}".into(),
            Some("recursion limit exceeded"),
        ),
        (
            "{% for i in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}".into(),
            Some("recursion limit exceeded"),
        ),
        ("{% for i in range(100000) %}{{ 'a' * 1000 }}{% endfor %}".into(), BUDGET),
        (format!("{{% for i in range(100000) %}}{}{{% endfor %}}", "a".repeat(1000)), BUDGET),
        (
            format!(
                "{{% set x %}}{{% for i in range(100000) %}}{}{{% endfor %}}{{% endset %}}",
                "a".repeat(1000)
            ),
            BUDGET,
        ),
        (
            "{% set x = 'a' * 30000000 %}{% for i in range(100000) %}{{ x[29999999] }}{% endfor %}"
                .into(),
            BUDGET,
        ),
        // Functions.
        ("{{ range(1000000000) }}".into(), Some("range of 1000000000 numbers; at most 100000")),
        (
            "{{ range(-9223372036854775808, 9223372036854775807, 1) }}".into(),
            Some("at most 100000"),
        ),
        (
            "{{ range(9223372036854775807, -9223372036854775808, -9223372036854775808) | length }}"
                .into(),
            None,
        ),
        ("{{ range(0, 5, 0) }}".into(), Some("step of 0")),
        ("{{ strftime_now('%Y' * 1000) }}".into(), Some("formats the date by 2000 bytes")),
        ("{{ strftime_now('%99999999999Y') }}".into(), Some("")),
        ("{{ raise_exception('a' * 1000000) }}".into(), Some("aaa")),
        ("{{ debug() }}".into(), Some("unknown function")),
        ("{% include 'chat' %}".into(), Some("a chat template must be self-contained")),
        (
            "{% block a %}{{ self.a() }}{% endblock %}".into(),
            Some("a chat template must be self-contained"),
        ),
        // Filters.
        (
            "{{ [1] | tojson(indent=1000000000000) }}".into(),
            Some("an indent of 1000000000000; at most 64"),
        ),
        ("{% set x = 'a' * 30000 %}{{ x | replace('a', x) }}".into(), BUDGET),
        ("{% set x = 'a' * 30000 %}{{ x | replace('', x) }}".into(), BUDGET),
        (
            "{{ '%999999999d' | format(1) }}".into(),
            Some("width or precision of 999999999; at most 4096"),
        ),
        ("{{ '%.70000f' | format(1.5) }}".into(), Some("width or precision of 70000")),
        ("{{ '%*d' | format(99999999999, 1) }}".into(), Some("width or precision of 99999999999")),
        ("{{ ('%4000d' * 30000) | format(1) }}".into(), BUDGET),
        ("{{ 'a\n\nb' | indent(99999999999) }}".into(), BUDGET),
        ("{{ 'a\n\nb' | indent(width=99999999999) }}".into(), BUDGET),
        ("{{ [1] | batch(99999999999, 0) }}".into(), BUDGET),
        ("{{ [1] | batch(18446744073709551615) }}".into(), BUDGET),
        ("{{ [1] | slice(99999999999) }}".into(), BUDGET),
        ("{{ range(100000) | join('a' * 10000) }}".into(), BUDGET),
        ("{{ ('a' * 4000000) | list | length }}".into(), BUDGET),
        ("{{ ('a' * 4000000) | split('') | length }}".into(), BUDGET),
        ("{{ ('a' * 4000000) | sort | length }}".into(), BUDGET),
        ("{% set x = 'a' * 1000000 %}{{ x | trim(x) }}".into(), BUDGET),
        (
            "{% set r = range(100000) | list %}{{ r | select('in', r) | list | length }}".into(),
            BUDGET,
        ),
        (
            "{% set r = range(100000) | list %}{{ r | map('default', r) | list | length }}".into(),
            BUDGET,
        ),
        ("{{ range(100000) | map('indent', 100000) | list | length }}".into(), BUDGET),
        ("{{ [1] | chain([2]) }}".into(), Some("unknown filter")),
        (
            "{{ [1.5] | map('round', 2147483647) | list }}{{ 1.5 | round(-2147483648) }}".into(),
            None,
        ),
        ("{{ range(100000) | sort(attribute='a,' * 10000) | length }}".into(), BUDGET),
        ("{{ 'a' | center(99999999999) }}".into(), Some("at most 4096 are possible")),
        (
            "{{ [1] | tojson(separators=('a' * 1000, 'b')) }}".into(),
            Some("more than 64 bytes between items"),
        ),
        (
            "{{ range(100000) | map('string') | map('center', 4000) | list | length }}".into(),
            BUDGET,
        ),
        ("{{ range(100000) | join('', attribute='a.' * 30000) }}".into(), BUDGET),
        ("{% set g = [1] | map('string') %}{{ g | list }}{{ g | list }}".into(), None),
        (
            "{% set n = namespace(x=[1]) %}{% for i in range(100000) %}{% set n.x = n.x | \
             map('string') %}{% endfor %}{{ n.x | list }}"
                .into(),
            STEPS,
        ),
        (
            "{% set n = namespace(x=[1]) %}{% for i in range(100000) %}{% set n.x = [n.x] | \
             select %}{% endfor %}"
                .into(),
            NESTED,
        ),
        // Methods.
        ("{{ 'abc'.count('') }}".into(), None),
        ("{% set x = 'a' * 30000 %}{{ x.replace('a', x) }}".into(), BUDGET),
        ("{{ '{:999999999}'.format(1) }}".into(), Some("width or precision of 999999999")),
        ("{{ '{:{}}'.format(1, 999999999) }}".into(), Some("width or precision of 999999999")),
        ("{{ ('a' * 10000).join(range(100000) | map('string') | list) }}".into(), BUDGET),
        ("{{ 'a'.ljust(99999999999) }}".into(), Some("at most 4096 are possible")),
        ("{{ '%999999999d' % 1 }}".into(), Some("width or precision of 999999999")),
        ("{{ '%s' % ('a' * 9000000,) * 9 }}".into(), BUDGET),
        (doubled("{% set x = '%s%s' % (x, x) %}"), BUDGET),
        (doubled("{% set x = x.replace('a', 'aa') %}"), BUDGET),
        ("{% set x = 'a' * 1000000 %}{{ x.strip(x) }}".into(), BUDGET),
        ("{{ ('a' * 4000000).split('a') | length }}".into(), BUDGET),
        ("{{ ('\n' * 4000000).splitlines() | length }}".into(), BUDGET),
        ("{% set r = range(100000) | list %}{{ [r, r].count(r) }}".into(), None),
    ];
    // A line that uses every feature in an ordinary way renders unchanged.
    all.push((
        "{{ '%-5s|%5.1f' | format('a', 2) }}{{ [3, 1] | sort | join(', ') }}{{ \
         'a,b'.split(',')[-1] }}"
            .into(),
        None,
    ));
    all
}

#[test]
fn every_hostile_template_ends_in_bounded_time_and_memory() {
    if is_child() {
        return render_all();
    }
    let test = "hostile_templates::every_hostile_template_ends_in_bounded_time_and_memory";
    // Beyond this address space an allocation fails, and the child with it.
    let told = Child::test(test).after("ulimit -v 2000000").run().passed().text();
    assert!(told.contains(&format!("{} templates", corpus().len())), "{told}");
    assert!(!told.contains("panicked"), "{told}");
}

/// Renders all, and fails when one takes more than two seconds of processor time, or all more than
/// 256 MiB.
fn render_all() {
    let messages = [Message::new("user", "Hi"), Message::new("assistant", "Yes")];
    let (corpus, mut failures) = (corpus(), Vec::new());
    for (source, expected) in &corpus {
        let (start, worked) = (Instant::now(), processor_time());
        let rendered = ChatTemplate::new(source, BTreeMap::new())
            .and_then(|template| template.render(&messages, true));
        let took = (processor_time() - worked).min(start.elapsed());
        let found = match rendered {
            Ok(text) => format!("{} bytes", text.len()),
            Err(error) => error.to_string(),
        };
        let as_expected = match expected {
            None => found.ends_with(" bytes") && found.len() < 15,
            Some(part) => {
                found.starts_with("chat template (the source): ")
                    && found.contains(part)
                    && found.len() < 2_000
            }
        };
        if !as_expected || took > Duration::from_secs(2) || peak_memory() > 256 << 20 {
            let source: String = source.chars().take(100).collect();
            let memory = peak_memory() >> 20;
            failures
                .push(format!("{source}: {found}, expected {expected:?}; {took:?}, {memory} MiB"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{} templates, {} MiB", corpus.len(), peak_memory() >> 20);
}

/// The processor time of this process.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    // In hundredths of a second, user and system.
    let ticks: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().unwrap()).sum();
    Duration::from_millis(10 * ticks)
}

fn peak_memory() -> usize {
    hloom_test_support::resident_kib("VmHWM") << 10
}
