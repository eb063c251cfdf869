//! The defects, and a test for each.

use crate::{Defect, calls, check, devices, elements, narrow, products, speed, sums};

macro_rules! defects {
    ($(
        $name:ident: $what:literal, $instead:literal, $versions:expr, $ends:literal, $is_there:path;
    )*) => {
        pub(crate) const ALL: &[Defect] = &[$(Defect {
            name: stringify!($name),
            what: $what,
            instead: $instead,
            versions: &$versions,
            ends: $ends,
            is_there: Some($is_there),
        },)*];

        $(#[test] fn $name() { check(stringify!($name)); })*
    };
}

// Name: what the plugin does, what Hloom does, the versions, whether the end of the process shows
// it, the demonstration.
defects! {
    integer_powers_of_six_bits:
        "integer powers use the lowest six bits of the exponent",
        "squares in a loop over all bits (`integer_power`)",
        [81, 106, 115], false, elements::integer_power;
    erf_stops_short_of_one:
        "`erf` of `f32` is not 1 where it rounds to 1",
        "clamps, and selects the sign beyond 3.92 (`erf`)",
        [81], false, elements::erf;
    elements_are_overwritten_before_they_are_read:
        "a `dynamic_update_slice` whose update is a shifted slice of its operand, next to a `reshape` of one of them, writes in place while it reads",
        "writes the update into zeros, and selects it there (`shifted_update`)",
        [81, 106, 115], false, elements::shifted_update;
    rows_of_cut_convolutions_are_read_past_their_end:
        "a `convolution` of `f32` with a negative `pad` reads past the end of the rows that are left",
        "slices the input first (`cropped_convolution`)",
        [81, 106, 115], false, elements::cropped_convolution;
    bits_of_i4_are_counted_in_bytes:
        "`popcnt` of a negative `i4` counts the sign bits that fill its byte",
        "counts the same bits as `ui4` (`narrow_population`)",
        [81, 106, 115], false, elements::population_count;
    largest_f4_becomes_the_largest_integer:
        "`f4E2M1FN` converts to integers as if its largest values were infinite",
        "converts through `f32` (`narrow_float`)",
        [81, 106, 115], false, elements::narrow_float_to_integer;
    folded_additions_of_bools_are_exclusive:
        "`true + true` of constants is false",
        "replaces additions of `bool` by `or` (`bool_addition`)",
        [81, 106, 115], false, elements::folded_addition;
    folded_divisions_by_zero_end_the_process:
        "integer divisions of constants by 0 end the process",
        "divides by 1 and selects what 0 returns (`integer_division`)",
        [81, 106], true, elements::folded_division;
    bools_are_not_clamped:
        "`clamp` of constant `i1` is refused or wrong",
        "replaces it by `or` and `and` (`bool_clamp`)",
        [81, 106, 115], true, elements::folded_clamp;
    imaginary_parts_are_not_compared:
        "`maximum` and `minimum` of complex numbers compare only the real parts",
        "compares both (`complex_extremes`)",
        [81, 106, 115], false, elements::maximum_of_complex;
    roots_next_to_the_branch_cut_are_on_one_side:
        "`sqrt` of a negative number with the imaginary part -0 is the root above the real axis",
        "gives the imaginary part the sign of the operand's (`complex_root`)",
        [81, 106, 115], false, elements::root_below_the_cut;
    the_modulus_of_infinity_and_nan_is_nan:
        "`abs` of a complex number with an infinite part and one that is NaN is NaN",
        "selects infinity (`complex_modulus`)",
        [81, 106, 115], false, elements::modulus_of_infinity;
    sines_next_to_the_real_axis_cancel:
        "the hyperbolic sine in `sine` and `cosine` of complex numbers has a relative error of 1e-5 for imaginary parts of 0.001 in `f32`, and more next to 0",
        "computes them by real functions (`complex_sine`)",
        [81, 106, 115], false, elements::sine_next_to_the_real_axis;
    short_logistics_are_rounded_several_times:
        "`logistic` of `f16` is composed of several ops of the type, each of which rounds",
        "converts to `f32` and back (`narrow_function`)",
        [81, 106, 115], false, elements::short_logistic;
    functions_of_bytes_are_rounded_twice:
        "functions of `f8E5M2` and other floats of a byte are rounded to `f16` first",
        "converts to `f32` and back (`narrow_function`)",
        [81, 106, 115], false, elements::function_of_bytes;
    angles_of_imaginary_zeros_are_nan:
        "`atan2` of the imaginary parts of real numbers is NaN",
        "replaces such parts by 0 (`imaginary_part`)",
        [81], false, elements::angle_of_imaginary_zeros;
    empty_parts_of_concatenations_end_the_process:
        "a `slice` without elements of a `concatenate` throws an exception of C++ that nothing catches",
        "replaces parts without elements by constants (`empty_slice`)",
        [81, 106, 115], true, elements::empty_slice_of_a_concatenation;
    quotients_by_a_repeated_divisor_are_lost:
        "division by a value that is repeated along an axis multiplies with its reciprocal, which is 0 for divisors above 8.5e37",
        "nothing: a known failure of `ops::binary`",
        [115], false, elements::division_by_repeated;
    quotients_of_quotients_are_merged:
        "`(a / b) / c` becomes `a / (b c)`, and `a / (b / c)` becomes `a c / b`, whose products may be infinite or 0",
        "keeps the inner quotient by a barrier (`nested_division`)",
        [81, 106, 115], false, elements::nested_division;
    nan_is_lost_in_max_and_min:
        "`maximum` and `minimum` return the number where the other operand is NaN, unless an option says otherwise",
        "sets `xla_cpu_enable_fast_min_max` to false (`runtime/src/compile/settings.rs`)",
        [81, 106, 115], false, elements::maximum_of_nan;
    nan_is_lost_between_devices:
        "`all_reduce` by `maximum` loses NaN, also with that option, and so does a `scatter` over devices",
        "reduces integers of the same order (`device_extremes`)",
        [81, 106, 115], false, devices::maximum_of_nan;
    narrow_integers_are_not_sorted_beside_others:
        "`sort` of `i2` or `i4` keys with values of another type is refused, wrong, or ends the process",
        "sorts them as bytes (`narrow_sort`)",
        [81, 106, 115], true, narrow::sorted_beside_others;
    narrow_integers_are_not_reduced_beside_others:
        "`reduce` of `i2` or `i4` with indices is refused, wrong, or ends the process",
        "reduces them as bytes (`narrow_reduction`)",
        [81, 106, 115], true, narrow::reduced_beside_others;
    the_largest_of_i2_made_of_bool_is_lost:
        "`reduce` by `maximum` of `i2` that are converted from `i1` is the least number",
        "reduces them as bytes (`narrow_reduction`)",
        [81, 106, 115], false, narrow::largest_of_bools;
    narrow_integers_are_not_multiplied:
        "`dot_general` of `i2` or `i4` is refused, wrong, or ends the process",
        "multiplies them as bytes (`narrow_dot`)",
        [], true, narrow::products;
    small_products_of_bf16_in_loops_are_refused:
        "a small `while` with a `dot_general` of `bf16` to `f32` is refused",
        "converts the operands of small products (`small_bf16_dot`)",
        [81], false, calls::small_loop;
    narrow_integers_are_not_convolved:
        "`convolution` of elements below a byte is refused, or ends the process together with others",
        "multiplies them as bytes or `f32` (`narrow_dot`)",
        [81, 106], true, narrow::convolved;
    integers_are_not_convolved:
        "`convolution` of integers is refused by the plugin for CUDA",
        "convolves parts of 16 bits as `f64` (`integer_convolution`)",
        [], false, products::integer_convolution;
    complex_numbers_are_not_convolved:
        "`convolution` of complex numbers is refused by the plugin for CUDA",
        "convolves real and imaginary parts (`complex_convolution`)",
        [], false, products::complex_convolution;
    sums_of_complex_products_are_not_wider:
        "`dot_general` of `complex<f32>` to `complex<f64>` is refused by the plugin for CUDA",
        "converts the operands first (`complex_dot`)",
        [], false, products::wider_complex_dot;
    narrow_integers_are_not_concatenated:
        "`concatenate` of `i2` or `i4` is refused, wrong, or ends the process",
        "concatenates them as bytes (`narrow_movement`)",
        [115], true, narrow::concatenated;
    narrow_integers_are_not_transposed:
        "`transpose` of `i2` or `i4` is refused, wrong, or ends the process",
        "transposes them as bytes (`narrow_movement`)",
        [115], true, narrow::transposed;
    narrow_integers_are_not_gathered:
        "`gather` of `i2` or `i4` is refused, wrong, or ends the process",
        "gathers them as bytes (`narrow_movement`)",
        [], true, narrow::gathered;
    scatters_into_a_scalar_are_refused:
        "a `scatter` into a scalar is refused",
        "scatters into a vector of one element (`indexless_scatter`)",
        [81, 106, 115], false, elements::scatter_into_a_scalar;
    scatters_without_indices_update_once:
        "of the updates of a `scatter` whose index vectors have no elements, one is applied",
        "scatters at index 0 (`indexless_scatter`)",
        [81, 106, 115], false, elements::scatter_without_indices;
    narrow_integers_are_not_cumulated:
        "`reduce_window` of `i2` or `i4` is refused, wrong, or ends the process",
        "sums them as bytes (`narrow_reduction`)",
        [], true, narrow::cumulated;
    narrow_integers_are_not_summed_over_devices:
        "`all_reduce` of `i2` or `i4` is refused, wrong, or ends the process",
        "exchanges them as bytes (`narrow_collective`, `narrow_reduction`)",
        [81, 106, 115], true, devices::narrow_sums;
    values_are_not_broadcast_between_devices:
        "`collective_broadcast` is not implemented",
        "gathers all values and takes the source's (`device_broadcast`)",
        [81, 106, 115], true, devices::broadcast;
    nothing_is_not_gathered_between_devices:
        "collectives of tensors without elements are refused",
        "exchanges nothing (`empty_collective`)",
        [81, 106, 115], true, devices::nothing_gathered;
    a_cut_edge_ends_the_partitioner:
        "over a mesh, a `pad` that cuts an edge and puts elements between others ends the process",
        "crops the edge afterwards (`cropped_pad`)",
        [81, 106, 115], true, devices::cut_edge;
    start_indices_are_clamped_to_a_part:
        "over a mesh, the start of a `dynamic_slice` is clamped for the part of each device",
        "clamps it first (`start_indices`)",
        [81, 106, 115], false, devices::starts_in_parts;
    arguments_after_a_kept_one_are_copied:
        "donated arguments after one that is kept for the call are copied: their memory is not \
         reused",
        "nothing: the values are right, and the arguments are unusable as usual",
        [81], false, calls::donation_after_a_kept_argument;
    effects_of_loop_conditions_are_lost:
        "a call in the condition of a `while` whose result is unused is dropped where the compiler knows how often the loop runs",
        "evaluates such a condition before the loop and in its body (`stablehlo/src/ops/control.rs`)",
        [], false, calls::loop_conditions;
    handlers_are_registered_without_a_lock:
        "the table of handlers has no lock: threads that register, or compile meanwhile, break it",
        "keeps registrations and compilations apart (`ffi/src/lookup.rs`)",
        [81], true, calls::handler_table;
    launches_have_a_room_of_32:
        "a launch waits while 32 of its device have not ended, also on a thread that they need",
        "waits for every eighth launch over several devices (`pjrt/src/execute/launches.rs`)",
        [81, 106, 115], false, calls::launch_room;
    host_memory_is_taken_in_the_order_of_the_device:
        "a buffer with a layout of the device takes the host's bytes as they lie",
        "refuses such layouts (`pjrt/src/buffer/from_host.rs`)",
        [81, 106], false, calls::order_on_the_device;
    results_are_read_in_the_order_of_the_device:
        "a buffer with a layout of the device is read as it lies, whatever order the host asks for",
        "refuses to read it (`pjrt/src/buffer/read.rs`)",
        [81], false, calls::order_on_the_host;
    options_of_a_wrong_type_end_the_process:
        "a client option with a value of another type ends the process",
        "checks the types of known options (`pjrt/src/client/builder.rs`)",
        [81, 106], true, calls::option_of_a_wrong_type;
    views_without_a_callback_end_the_process:
        "a view of memory without a callback for its end ends the process",
        "always passes one (`pjrt/src/buffer/memory_view.rs`)",
        [81, 106, 115], true, calls::view_without_callback;
    rows_of_bf16_are_slow:
        "the weight of two and more rows of `bf16` with sums in `bf16` is converted at every call, which takes 3 to 6 times as long as with sums in `f32` where the processor has AMX",
        "sums in `f32`, and converts the sums (`bf16_sums`)",
        [81, 106], false, speed::narrow_rows;
    sums_over_several_axes_are_in_order:
        "sums of `f32` over several axes, each of up to 32 elements, are added up in order, so that rounding errors grow",
        "sums one axis, and its sums in `f64` (`long_sums`)",
        [81, 106], false, sums::in_order;
    ops_behind_barriers_are_merged:
        "ops after an `optimization_barrier` are merged with the same ops before it, whose values stay in memory",
        "computes the backward passes of checkpoints in a branch (`checkpoint`)",
        [81, 106, 115], false, speed::behind_barriers;
}

/// Defects that only time shows. No test asserts them: how slow they are depends on the processor,
/// which is why Hloom measures such products where it runs.
pub(crate) const TIMED: [Defect; 3] = [
    Defect {
        name: "few_rows_are_slow",
        what: "two rows of `f32` by a stored weight take up to 30 times as long as with the \
               weight on the left, on most processors",
        instead: "turns such products around (`columns`), or calls a kernel, as measured on the \
                  machine (`runtime/src/kernels/dots`)",
        versions: &[81, 106, 115],
        ends: false,
        is_there: None,
    },
    Defect {
        name: "many_rows_are_slow",
        what: "more than 64 rows of `f32` by a stored weight take up to 3 times as long as with \
               the weight on the left, unless the weight is small",
        instead: "turns such products around (`columns of many`)",
        versions: &[81],
        ends: false,
        is_there: None,
    },
    Defect {
        name: "contractions_of_several_axes_are_slow",
        what: "a product that contracts several axes before the last of the left operand, as the \
               gradient of a weight does, takes up to 3 times as long as one that contracts one \
               axis of as many elements",
        instead: "merges the axes (`flat_dot`)",
        versions: &[81, 106, 115],
        ends: false,
        is_there: None,
    },
];

/// Work-arounds whose defect no short test shows, with the reason.
pub(crate) const WITHOUT_A_TEST: &str = "\
- External references of a buffer are counted without a lock (`pjrt/src/client/core.rs`): a race that \
                                         shows once in hours.
- Elementwise work next to products goes into graphs of XNNPACK that break the heap when two \
                                         threads build them at once: only with the
  option `xla_cpu_experimental_xnn_graph_fusion_mode`, which Hloom does not set.
- A process that ends while a plugin compiles on another thread crashes \
                                         (`models/src/joined_threads.rs`): it depends on the moment.
- The C library keeps what a compilation frees (`runtime/src/heap.rs`): a property of the \
                                         allocator.
";
