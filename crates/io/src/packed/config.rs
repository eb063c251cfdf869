//! The description of a checkpoint's quantisation: `quantization_config` of a model's
//! configuration.

use crate::{Error, Result};
use hloom_graph::path_matches;
use serde_json::Value;

/// The form in which the weights of a checkpoint are quantised, as `quantization_config` in a
/// `config.json` says.
#[derive(Clone, PartialEq, Debug)]
pub struct QuantizationConfig {
    pub(super) method: Method,
    /// Parts of names of layers that are not quantised.
    ignored: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Method {
    /// Floats of 8 bits, with a scale of the tensor, of each row, or of blocks of this many rows
    /// and columns.
    Float8([usize; 2]),
    /// Floats of 4 bits with a power of two for each 32.
    Mxfp4,
    /// Integers of 8 bits with scales, by compressed-tensors.
    Int8,
    /// Integers of this many bits, packed along the inputs by compressed-tensors.
    PackedInts(usize),
    /// Floats of 4 bits with two levels of scales, by compressed-tensors.
    Nvfp4,
    Awq,
    /// Integers of this many bits, with a number that is added to stored zeros.
    Gptq {
        bits: usize,
        zero: u8,
    },
    /// The codes of bitsandbytes with 4 bits.
    Codes4,
    /// The integers of bitsandbytes.
    Codes8,
}

const SUPPORTED: &str = "fp8 (per tensor, per channel, in blocks), mxfp4, awq and gptq of 4 and 8 \
                         bits, bitsandbytes, and compressed-tensors of the formats \
                         float-quantized, naive-quantized, int-quantized, pack-quantized and \
                         nvfp4-pack-quantized";

impl QuantizationConfig {
    /// Reads the value of `quantization_config`.
    ///
    /// # Errors
    /// A form that is not supported; the error names those that are.
    pub fn from_json(value: &Value) -> Result<QuantizationConfig> {
        let text = |name: &str| value[name].as_str();
        let refused = |what: String| Error::Quantization { found: what, supported: SUPPORTED };
        let bits = |known: &[u64]| {
            let found = value.get("bits").or(value.get("w_bit")).unwrap_or(&Value::Null);
            let bits = found.as_u64().filter(|bits| known.contains(bits));
            bits.map(|bits| bits as usize).ok_or_else(|| refused(format!("{found} bits")))
        };
        let method = match text("quant_method") {
            Some("fp8" | "fbgemm_fp8") => match &value["weight_block_size"] {
                Value::Null => Method::Float8([0; 2]),
                block => Method::Float8(
                    block_size(block)
                        .ok_or_else(|| refused(format!("fp8 with blocks of {block}")))?,
                ),
            },
            Some("mxfp4") => Method::Mxfp4,
            Some("awq") => match text("version").unwrap_or("gemm") {
                version if version.eq_ignore_ascii_case("gemm") => {
                    bits(&[4])?;
                    Method::Awq
                }
                other => return Err(refused(format!("awq of the version {other}"))),
            },
            Some("gptq") => {
                let zero = match text("checkpoint_format").unwrap_or("gptq") {
                    "gptq" => 1,
                    "gptq_v2" => 0,
                    other => return Err(refused(format!("gptq of the format {other}"))),
                };
                Method::Gptq { bits: bits(&[2, 4, 8])?, zero }
            }
            Some("bitsandbytes") if value["load_in_8bit"] == true => Method::Codes8,
            Some("bitsandbytes") => Method::Codes4,
            Some("compressed-tensors") => compressed(value, refused)?,
            Some(other) => return Err(refused(other.to_owned())),
            None => return Err(refused("a configuration without `quant_method`".to_owned())),
        };
        let lists = ["ignore", "modules_to_not_convert", "ignored_layers"];
        let ignored = lists.iter().filter_map(|name| value[*name].as_array()).flatten();
        let ignored = ignored.filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(QuantizationConfig { method, ignored })
    }

    /// Whether the configuration says that a layer is not quantised.
    pub(super) fn ignores(&self, layer: &str) -> bool {
        self.ignored.iter().any(|part| {
            // Patterns of compressed-tensors are regular expressions after `re:`; a layer that
            // they mean has no scales, which is noticed without them.
            layer == part || path_matches(&format!("{part}.*"), layer)
        })
    }
}

fn block_size(value: &Value) -> Option<[usize; 2]> {
    let sizes = value.as_array()?.iter().map(Value::as_u64).collect::<Option<Vec<_>>>()?;
    match sizes[..] {
        [rows, columns] if rows > 0 && columns > 0 => Some([rows as usize, columns as usize]),
        _ => None,
    }
}

fn compressed(value: &Value, refused: impl Fn(String) -> Error) -> Result<Method> {
    let format = value["format"].as_str().unwrap_or_default();
    let groups: Vec<&Value> = value["config_groups"]
        .as_object()
        .map(|groups| groups.values().map(|group| &group["weights"]).collect())
        .unwrap_or_default();
    let bits = |group: &&Value| group["num_bits"].as_u64();
    match format {
        "float-quantized" => Ok(Method::Float8([0; 2])),
        "naive-quantized" if groups.iter().all(|group| group["type"] == "float") => {
            Ok(Method::Float8([0; 2]))
        }
        "int-quantized" | "naive-quantized" => Ok(Method::Int8),
        "nvfp4-pack-quantized" => Ok(Method::Nvfp4),
        "pack-quantized" => match groups.first().and_then(bits) {
            Some(bits @ (4 | 8)) if groups.iter().all(|group| self::is_bits(group, bits)) => {
                Ok(Method::PackedInts(bits as usize))
            }
            _ => Err(refused("pack-quantized of other than 4 or 8 bits".to_owned())),
        },
        other => Err(refused(format!("compressed-tensors of the format `{other}`"))),
    }
}

fn is_bits(group: &Value, bits: u64) -> bool {
    group["num_bits"].as_u64() == Some(bits)
}
