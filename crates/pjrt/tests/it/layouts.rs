//! Layouts of the device: of buffers from the host, of programs, and how they are read back.

use crate::{client, client_with, plugin, unless_unimplemented};
use hloom_pjrt::{
    Buffer, Client, CompileOptions, DType, Error, ErrorCode, ExecuteOptions, Layout, Program, Spec,
    as_bytes,
};
use hloom_test_support::CompileOwn;

const ROWS: [f32; 6] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
const COLUMNS: [f32; 6] = [0.0, 3.0, 1.0, 4.0, 2.0, 5.0];

fn minor() -> i32 {
    plugin().version().1
}

/// The elements in the order in which they lie on the device.
fn raw(buffer: &Buffer, elements: usize) -> Vec<f32> {
    let mut bytes = vec![0; 4 * elements];
    buffer.read_raw(0, &mut bytes).unwrap();
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// G8: a buffer from the host takes the layout that it is given, or is refused.
#[test]
fn layouts_of_the_device_do_not_show_on_the_host() {
    let client = client();
    let values: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let orders: [&[i64]; 4] = [&[2, 1, 0], &[0, 1, 2], &[1, 2, 0], &[0, 2, 1]];
    for order in orders {
        let layout = Layout::Tiled { minor_to_major: order.to_vec(), tiles: vec![] };
        let outcome =
            client.host_buffer(DType::F32, &[2, 3, 4]).layout(&layout).copy(as_bytes(&values));
        if !layout.is_row_major() && [81, 106].contains(&minor()) {
            // They would copy the bytes as they lie.
            let error = outcome.unwrap_err();
            assert!(matches!(error, Error::Argument(_)), "{error}");
            assert!(error.to_string().contains(&format!("API 0.{}", minor())), "{error}");
            continue;
        }
        let buffer = outcome.unwrap();
        assert_eq!(buffer.layout().unwrap(), Some(layout));
        assert_eq!(buffer.to_vec::<f32>().unwrap(), values, "{order:?}");
        assert_eq!(raw(&buffer, 24) == values, order == [2, 1, 0], "{order:?}");
    }
    for order in [&[0i64][..], &[0, 1, 1], &[1, 2, 3]] {
        let layout = Layout::Tiled { minor_to_major: order.to_vec(), tiles: vec![] };
        let outcome =
            client.host_buffer(DType::F32, &[2, 3, 4]).layout(&layout).copy(as_bytes(&values));
        assert!(matches!(outcome, Err(Error::Argument(_) | Error::Size { .. })), "{order:?}");
    }
    // No CPU plugin takes tiles or strides from the host.
    let tiled = Layout::Tiled { minor_to_major: vec![1, 0], tiles: vec![vec![2, 2]] };
    let strides = Layout::Strides { byte_strides: vec![12, 4] };
    for (layout, code) in [(tiled, ErrorCode::Unimplemented), (strides, ErrorCode::InvalidArgument)]
    {
        let outcome = client.host_buffer(DType::F32, &[2, 3]).layout(&layout).copy(as_bytes(&ROWS));
        let error = outcome.unwrap_err();
        match minor() {
            81 | 106 => assert!(matches!(error, Error::Argument(_)), "{error}"),
            _ => assert_eq!(error.code(), code, "{error}"),
        }
    }
    let default = client.buffer(&values, &[2, 3, 4]).unwrap();
    assert_eq!(default.layout().unwrap(), Some(Layout::row_major(3)));
}

/// Doubles a matrix with columns innermost, and transposes it.
const COLUMN_MAJOR: &str = r#"module attributes {mhlo.num_replicas = 2 : i32} {
func.func @main(%a: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"})
    -> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}, tensor<3x2xf32> {mhlo.layout_mode = "{1,0}"}) {
  %0 = stablehlo.add %a, %a : tensor<2x3xf32>
  %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<3x2xf32>
}}"#;

/// A matrix for each device with columns innermost, of which each element has the device's index
/// added: transferred asynchronously, in the order of the device.
fn column_major_inputs(client: &Client) -> Vec<Buffer> {
    let input = |index: usize| {
        let memory = client.devices()[index].default_memory().unwrap();
        let spec = Spec::new(DType::F32, [2, 3]);
        let layouts = [Layout::column_major(2)];
        let manager =
            client.transfer_manager_with_layouts(&[spec], &layouts, Some(&memory)).unwrap();
        let values = COLUMNS.map(|value| value + index as f32);
        manager.copy(0, 0, as_bytes(&values[..2]), false).unwrap();
        let buffer = manager.take_buffer(0).unwrap();
        manager.copy(0, 8, as_bytes(&values[2..]), true).unwrap();
        assert_eq!(buffer.layout().unwrap(), Some(Layout::column_major(2)));
        buffer
    };
    (0..client.devices().len()).map(input).collect()
}

/// G19: column-major matrices, transferred asynchronously, are executed on two devices and read
/// back.
#[test]
fn column_major_matrices_run_on_several_devices() {
    let client = client_with(2);
    let executable =
        client.compile_own(&Program::mlir(COLUMN_MAJOR), &CompileOptions::replicated(2)).unwrap();
    let inputs = column_major_inputs(&client);
    let lists = [[&inputs[0]], [&inputs[1]]];
    let lists = [&lists[0][..], &lists[1][..]];
    let execution = executable.execute_sharded(&lists, &ExecuteOptions::new()).unwrap();
    for (index, outputs) in execution.outputs.iter().enumerate() {
        let (rows, columns) = (ROWS.map(|v| v + index as f32), COLUMNS.map(|v| v + index as f32));
        assert_eq!(outputs[0].device().unwrap(), client.devices()[index]);
        assert_eq!(outputs[0].layout().unwrap(), Some(Layout::column_major(2)));
        assert_eq!(raw(&outputs[0], 6), columns.map(|v| 2.0 * v));
        assert_eq!(outputs[1].to_vec::<f32>().unwrap(), columns, "the transpose, in rows");
        for (buffer, expected) in [(&inputs[index], rows), (&outputs[0], rows.map(|v| 2.0 * v))] {
            let mut into = [0.0f32; 6];
            let found = [
                buffer.to_vec::<f32>(),
                buffer.to_vec_async::<f32>().and_then(|transfer| transfer.wait()),
                buffer.read_into(&mut into).map(|()| into.to_vec()),
                buffer.to_host().map(|array| array.as_slice::<f32>().unwrap().to_vec()),
            ];
            for found in found {
                match (found, minor()) {
                    // It would return the elements in the device's order.
                    (Err(error), 81) => {
                        assert!(matches!(error, Error::Argument(_)), "{error}");
                        assert!(error.to_string().contains("does not rearrange f32[2,3]"));
                    }
                    (found, _) => assert_eq!(found.unwrap(), expected),
                }
            }
        }
    }
}

#[test]
fn tiled_results_are_read_in_row_major_order() {
    let client = client();
    let input = client.buffer(&ROWS, &[2, 3]).unwrap();
    for (mode, order) in [("{1,0:T(2,2)}", [1, 0]), ("{0,1:T(2,2)}", [0, 1])] {
        let text = format!(
            "func.func @main(%a: tensor<2x3xf32>) -> \
             (tensor<2x3xf32> {{mhlo.layout_mode = \"{mode}\"}}) {{
               %0 = stablehlo.add %a, %a : tensor<2x3xf32>
               return %0 : tensor<2x3xf32>
             }}"
        );
        let executable =
            client.compile_own(&Program::mlir(&text), &CompileOptions::default()).unwrap();
        let output = executable.execute(&[&input], &ExecuteOptions::new()).unwrap().remove(0);
        let layout = Layout::Tiled { minor_to_major: order.to_vec(), tiles: vec![vec![2, 2]] };
        assert_eq!(output.layout().unwrap(), Some(layout));
        // Only the newest plugin makes room for whole tiles.
        let bytes = if minor() == 115 { 32 } else { 24 };
        assert_eq!(output.on_device_size().unwrap(), bytes);
        match output.to_vec::<f32>() {
            Err(error) if minor() == 81 && order == [0, 1] => {
                assert!(matches!(error, Error::Argument(_)), "{error}");
            }
            found => assert_eq!(found.unwrap(), ROWS.map(|v| 2.0 * v), "{mode}"),
        }
    }
}

#[test]
fn whole_matrices_are_transferred_from_rows_to_columns() {
    let client = client();
    let layouts = [Layout::column_major(2)];
    let spec = Spec::new(DType::F32, [2, 3]);
    let manager = client.transfer_manager_with_layouts(&[spec], &layouts, None).unwrap();
    let values = hloom_pjrt::AlignedVec::from_slice(&ROWS).unwrap();
    if let Some(lease) = unless_unimplemented(&[81], manager.transfer_whole(0, values)) {
        lease.wait().unwrap();
        let buffer = manager.take_buffer(0).unwrap();
        assert_eq!(buffer.to_vec::<f32>().unwrap(), ROWS);
        assert_eq!(raw(&buffer, 6), COLUMNS);
    }
}
