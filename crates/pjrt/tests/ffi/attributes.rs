//! Attributes of custom calls.

use crate::{Outcome, call, client, ffi, run};
use hloom_pjrt::{
    DType,
    extension::ffi::{Attribute, CallFrame, Handler, Handlers},
};

struct Reads;

impl Handler for Reads {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let attributes = frame.attributes();
        assert_eq!(attributes.len(), 8);
        assert!(!attributes.is_empty());
        let names: Vec<&str> = attributes.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "d", "f", "h", "i", "list", "s", "z"]);
        assert!(attributes.scalar::<bool>("b")?);
        assert_eq!(attributes.scalar::<i32>("i")?, -7);
        assert_eq!(attributes.scalar::<f32>("f")?, 0.5);
        assert_eq!(attributes.scalar::<half::bf16>("h")?, half::bf16::from_f32(1.5));
        assert_eq!(attributes.array::<i64>("list")?, [1, -2, 3]);
        assert_eq!(attributes.array::<f32>("z")?, [0.0f32; 0]);
        assert_eq!(attributes.string("s")?, "grüße");
        let inner = attributes.dictionary("d")?;
        assert_eq!(inner.scalar::<i64>("deep")?, i64::MIN);
        assert_eq!(inner.dictionary("deeper")?.string("t")?, "");
        assert!(matches!(attributes.get("i"), Some(Attribute::Scalar(DType::S32, _))));
        assert!(attributes.get("none").is_none());
        let missing = attributes.scalar::<i32>("none").expect_err("it is not there");
        assert!(
            missing.message.contains("no attribute `none`") && missing.message.contains("list"),
            "{missing}"
        );
        let wrong = attributes.scalar::<u32>("i").expect_err("it is signed");
        assert!(
            wrong.message.contains("`i`")
                && wrong.message.contains("u32")
                && wrong.message.contains("s32"),
            "{wrong}"
        );
        assert!(attributes.string("i").is_err() && attributes.array::<i32>("i").is_err());
        assert!(attributes.dictionary("s").is_err());
        assert!(format!("{frame:?}").contains("grüße"));
        Ok(())
    }
}

#[test]
fn attributes_of_every_kind_arrive() {
    ffi().register("test.reads", &Handlers::new::<Reads>()).expect("a new name");
    let client = client();
    let config = r#"b = true, i = -7 : i32, f = 0.5 : f32, h = 1.5 : bf16, list = array<i64: 1, -2, 3>,
        z = array<f32>, s = "grüße", d = {deep = -9223372036854775808 : i64, deeper = {t = ""}}"#;
    let executable =
        call(&client, "test.reads", &[], "tensor<0xf32>", config).expect("it compiles");
    run(&executable, &[]).expect("the handler's own assertions hold");
}
