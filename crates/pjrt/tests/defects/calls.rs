//! Calls of the C API, and handlers of custom calls.

use crate::{client, compile, plugin, run};
use hloom_pjrt::{
    Buffer, Client, CompileOptions, Donation, ExecuteOptions, ExtensionType, Layout,
    extension::ffi::{CallFrame, Ffi, Handler, HandlerError, Handlers, RawHandler},
    sys,
};
use std::{
    ffi::c_void,
    ptr::{NonNull, null_mut},
    sync::{
        Condvar, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

fn ffi() -> Ffi {
    plugin().ffi().expect("the CPU plugin has an FFI")
}

/// Keeps the first of two arguments that the program may take over, and donates the second.
pub(crate) fn donation_after_a_kept_argument() -> bool {
    let client = client(1);
    let text = "func.func @main(%a: tensor<8xf32> {tf.aliasing_output = 0 : i32}, \
                %b: tensor<8xf32> {tf.aliasing_output = 1 : i32}) \
                -> (tensor<8xf32>, tensor<8xf32>) {
        %0 = stablehlo.add %a, %a : tensor<8xf32>
        %1 = stablehlo.add %b, %b : tensor<8xf32>
        return %0, %1 : tensor<8xf32>, tensor<8xf32>
    }";
    let program = compile(&client, text, &CompileOptions::new()).unwrap();
    let donate = |index: usize, arguments: [&Buffer; 2]| {
        let start = arguments[index].unsafe_pointer().unwrap();
        let indices = [index];
        let options = ExecuteOptions::new().donate(Donation::Indices(&indices));
        let results = program.execute(&arguments, &options).unwrap();
        assert_eq!(results[index].to_vec::<f32>().unwrap(), [2.0; 8]);
        results[index].unsafe_pointer().unwrap() == start
    };
    let ones = || client.buffer(&[1f32; 8], &[8]).unwrap();
    assert!(donate(0, [&ones(), &ones()]), "the first argument is reused");
    !donate(1, [&ones(), &ones()])
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

struct Count;

impl Handler for Count {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        CALLS.fetch_add(1, Ordering::SeqCst);
        frame.result(0)?.as_mut_slice::<i32>()?[0] = 0;
        Ok(())
    }
}

/// A condition that the compiler knows to be evaluated twice, and that calls a handler for its
/// effect alone.
pub(crate) fn loop_conditions() -> bool {
    ffi().register("defects.count", &Handlers::new::<Count>()).unwrap();
    let client = client(1);
    let text = "func.func @main() -> tensor<i32> {
        %a = stablehlo.constant dense<0> : tensor<i32>
        %0 = stablehlo.while(%i = %a) : tensor<i32>
        cond {
            %call = stablehlo.custom_call @defects.count(%i) {api_version = 4 : i32, \
                has_side_effect = true}
                : (tensor<i32>) -> tensor<i32>
            %limit = stablehlo.constant dense<1> : tensor<i32>
            %go = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> \
                tensor<i1>
            stablehlo.return %go : tensor<i1>
        } do {
            %one = stablehlo.constant dense<1> : tensor<i32>
            %next = stablehlo.add %i, %one : tensor<i32>
            stablehlo.return %next : tensor<i32>
        }
        return %0 : tensor<i32>
    }";
    let results = run(text, &[], &client).unwrap();
    assert_eq!(results[0].to_scalar::<i32>().unwrap(), 1);
    CALLS.load(Ordering::SeqCst) != 2
}

/// Registers through the C API, which does not wait for compilations, on several threads.
pub(crate) fn handler_table() -> bool {
    const TIME: Duration = Duration::from_secs(3);
    type Register =
        unsafe extern "C" fn(*mut sys::PJRT_FFI_Register_Handler_Args) -> *mut sys::PJRT_Error;
    ffi().register("defects.first", &Handlers::new::<Count>()).unwrap();
    let api = plugin().api();
    let extension = api.extension(ExtensionType::Ffi).unwrap();
    let slot =
        extension.slot(std::mem::offset_of!(sys::PJRT_FFI_Extension, register_handler)).unwrap();
    // SAFETY: the slot holds a function of this type.
    let register = unsafe { std::mem::transmute::<NonNull<c_void>, Register>(slot) };
    let failed = AtomicBool::new(false);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (failed, handler) = (&failed, RawHandler::new::<Count>());
            scope.spawn(move || {
                let mut names = 0;
                while begin.elapsed() < TIME && !failed.load(Ordering::SeqCst) {
                    let name = format!("defects.{thread}.{names}");
                    let mut args: sys::PJRT_FFI_Register_Handler_Args = api.zeroed();
                    (args.target_name, args.target_name_size) = (name.as_ptr().cast(), name.len());
                    (args.platform_name, args.platform_name_size) = ("Host".as_ptr().cast(), 4);
                    args.handler = handler.as_ptr();
                    // SAFETY: names outlive the call, the handler is never freed. That other
                    // threads do the same is the test: this process may end by it, and does nothing
                    // else.
                    if !unsafe { register(&mut args) }.is_null() {
                        failed.store(true, Ordering::SeqCst);
                    }
                    names += 1;
                }
                println!("{names} handlers");
            });
        }
    });
    failed.load(Ordering::SeqCst)
}

static GATE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

struct Wait;

impl Handler for Wait {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        let closed = GATE.0.lock().unwrap();
        let open = GATE.1.wait_while(closed, |open| !*open).unwrap();
        drop(open);
        let values = frame.argument(0)?.as_slice::<f32>()?.to_vec();
        frame.result(0)?.as_mut_slice::<f32>()?.copy_from_slice(&values);
        Ok(())
    }
}

/// More launches than a device accepts at a time, each of which waits until all are made. A dot
/// product is too much work for a plugin to do within the call.
pub(crate) fn launch_room() -> bool {
    const LAUNCHES: usize = 100;
    ffi().register("defects.wait", &Handlers::new::<Wait>()).unwrap();
    let client = client(1);
    let text = "func.func @main(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
        %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
            : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
        %1 = stablehlo.custom_call @defects.wait(%0) {api_version = 4 : i32} : \
                (tensor<256x256xf32>) -> tensor<256x256xf32>
        return %1 : tensor<256x256xf32>
    }";
    let executable = compile(&client, text, &CompileOptions::new()).unwrap();
    let a = client.buffer(&vec![0f32; 256 * 256], &[256, 256]).unwrap();
    let made = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..LAUNCHES {
                executable.execute(&[&a], &ExecuteOptions::new()).unwrap();
                made.fetch_add(1, Ordering::SeqCst);
            }
        });
        // Until no launch is made for a while.
        let (mut before, mut since) = (0, Instant::now());
        while since.elapsed() < Duration::from_secs(2) && before < LAUNCHES {
            let now = made.load(Ordering::SeqCst);
            if now != before {
                (before, since) = (now, Instant::now());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        *GATE.0.lock().unwrap() = true;
        GATE.1.notify_all();
        println!("{before} launches");
        assert!(before > 0, "the plugin runs the program within the call");
        before < LAUNCHES
    })
}

/// A buffer made without the crate's checks from six numbers, with the first of two axes innermost
/// on the device.
fn columns(client: &Client) -> Buffer {
    let (api, device) = (client.plugin().api(), client.devices().remove(0));
    let dims = [2i64, 3];
    let mut layout = order(&[0, 1]);
    let mut args: sys::PJRT_Client_BufferFromHostBuffer_Args = api.zeroed();
    args.client = client.as_ptr();
    args.data = ROWS.as_ptr().cast();
    args.type_ = hloom_pjrt::DType::S32.to_raw();
    (args.dims, args.num_dims) = (dims.as_ptr(), dims.len());
    args.host_buffer_semantics = hloom_pjrt::HostBufferSemantics::ImmutableOnlyDuringCall.to_raw();
    args.device = device.as_ptr();
    args.device_layout = &raw mut layout;
    // SAFETY: values, dimensions and layout outlive the call, which copies the values. The event is
    // left to the process.
    let buffer = unsafe {
        api.call(&mut args).unwrap();
        let raw = NonNull::new(args.buffer).unwrap();
        Buffer::from_raw(client, raw).unwrap()
    };
    assert_eq!(buffer.layout().unwrap(), Some(Layout::column_major(2)));
    buffer
}

const ROWS: [i32; 6] = [0, 1, 2, 3, 4, 5];
const COLUMNS: [i32; 6] = [0, 3, 1, 4, 2, 5];

/// A layout of two axes without tiles.
fn order(minor_to_major: &'static [i64; 2]) -> sys::PJRT_Buffer_MemoryLayout {
    let api = plugin().api();
    let mut layout: sys::PJRT_Buffer_MemoryLayout = api.zeroed();
    layout.type_ = sys::PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.__bindgen_anon_1.tiled = api.zeroed::<sys::PJRT_Buffer_MemoryLayout_Tiled>();
    // SAFETY: the variant that was written just now.
    let tiled = unsafe { &mut layout.__bindgen_anon_1.tiled };
    (tiled.minor_to_major, tiled.minor_to_major_size) = (minor_to_major.as_ptr(), 2);
    layout
}

/// The order of such a buffer's elements on the device.
pub(crate) fn order_on_the_device() -> bool {
    let buffer = columns(&client(1));
    let mut bytes = [0; 24];
    buffer.read_raw(0, &mut bytes).unwrap();
    let found: Vec<i32> =
        bytes.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect();
    assert!(found == ROWS || found == COLUMNS, "{found:?}");
    found == ROWS
}

/// A result with the first axis innermost, read in row-major order.
pub(crate) fn order_on_the_host() -> bool {
    let client = client(1);
    let text = "func.func @main() -> (tensor<2x3xi32> {mhlo.layout_mode = \"{0,1}\"}) {
      %0 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
      return %0 : tensor<2x3xi32>
    }";
    let buffer = run(text, &[], &client).unwrap().remove(0);
    assert_eq!(buffer.layout().unwrap(), Some(Layout::column_major(2)));
    let api = client.plugin().api();
    let mut found = [0i32; 6];
    let mut layout = order(&[1, 0]);
    let mut args: sys::PJRT_Buffer_ToHostBuffer_Args = api.zeroed();
    args.src = buffer.as_ptr();
    args.host_layout = &raw mut layout;
    (args.dst, args.dst_size) = (found.as_mut_ptr().cast(), 24);
    let mut wait: sys::PJRT_Event_Await_Args = api.zeroed();
    // SAFETY: the buffer is alive, layout and room outlive the copy, which is waited for. The event
    // is left to the process.
    unsafe {
        api.call(&mut args).unwrap();
        wait.event = args.event;
        api.call(&mut wait).unwrap();
    }
    assert!(found == ROWS || found == COLUMNS, "{found:?}");
    found == COLUMNS
}

/// A client whose number of devices is a string.
pub(crate) fn option_of_a_wrong_type() -> bool {
    let api = plugin().api();
    let mut option: sys::PJRT_NamedValue = api.zeroed();
    (option.name, option.name_size) = ("cpu_device_count".as_ptr().cast(), 16);
    option.type_ = sys::PJRT_NamedValue_kString;
    option.__bindgen_anon_1.string_value = "two".as_ptr().cast();
    option.value_size = 3;
    let mut args: sys::PJRT_Client_Create_Args = api.zeroed();
    (args.create_options, args.num_options) = (&raw const option, 1);
    // SAFETY: the option outlives the call. That its type is wrong is the test: this process may
    // end by it.
    let refused = unsafe { api.call(&mut args) }.is_err();
    !refused
}

/// A view of memory without a callback for its end.
pub(crate) fn view_without_callback() -> bool {
    let client = client(1);
    let (api, device) = (client.plugin().api(), client.devices().remove(0));
    let memory = hloom_pjrt::AlignedVec::from_slice(&[1f32; 16]).unwrap();
    let dims = [16i64];
    let mut args: sys::PJRT_Client_CreateViewOfDeviceBuffer_Args = api.zeroed();
    args.client = client.as_ptr();
    args.device_buffer_ptr = memory.as_ptr().cast_mut().cast();
    (args.dims, args.num_dims) = (dims.as_ptr(), dims.len());
    args.element_type = hloom_pjrt::DType::F32.to_raw();
    args.device = device.as_ptr();
    (args.on_delete_callback, args.on_delete_callback_arg) = (None, null_mut());
    // SAFETY: the memory outlives the buffer, which is dropped here. That there is no callback is
    // the test.
    unsafe {
        api.call(&mut args).unwrap();
        drop(hloom_pjrt::Buffer::from_raw(&client, NonNull::new(args.buffer).unwrap()).unwrap());
    }
    client.shutdown().unwrap();
    false
}

/// A loop over a few elements, with a product of `bf16` summed in `f32`.
pub(crate) fn small_loop() -> bool {
    let text = "func.func @main(%x: tensor<2x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<2x8xbf16> {
            %zero = stablehlo.constant dense<0> : tensor<i32>
            %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<2x8xbf16>, tensor<i32> cond {
                %three = stablehlo.constant dense<3> : tensor<i32>
                %goes_on = stablehlo.compare LT, %i, %three
                    : (tensor<i32>, tensor<i32>) -> tensor<i1>
                stablehlo.return %goes_on : tensor<i1>
            } do {
                %sums = stablehlo.dot_general %a, %w, contracting_dims = [1] x [1]
                    : (tensor<2x8xbf16>, tensor<8x8xbf16>) -> tensor<2x8xf32>
                %next = stablehlo.convert %sums : (tensor<2x8xf32>) -> tensor<2x8xbf16>
                %one = stablehlo.constant dense<1> : tensor<i32>
                %j = stablehlo.add %i, %one : tensor<i32>
                stablehlo.return %next, %j : tensor<2x8xbf16>, tensor<i32>
            }
            return %r#0 : tensor<2x8xbf16>
        }";
    let compiled = compile(&client(1), text, &CompileOptions::new());
    compiled.inspect_err(|error| println!("{error}")).is_err()
}
