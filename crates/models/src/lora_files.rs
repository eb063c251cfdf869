//! Folders with adapters, as PEFT reads and writes them.

use crate::{
    Error, Result,
    config_fields::ConfigFields,
    lora::{Adapters, Lora},
};
use hloom_graph::{Spec, Tree};
use hloom_io::{Checkpoint, Writer};
use hloom_runtime::{Buffer, Placement};
use serde_json::json;
use std::path::{Path, PathBuf};

const CONFIG_FILE: &str = "adapter_config.json";
const WEIGHTS_FILE: &str = "adapter_model.safetensors";
/// The prefix that PEFT writes before the paths of a model.
const PREFIX: &str = "base_model.model";

/// An opened folder with adapters.
#[derive(Clone, Debug)]
pub struct AdapterFolder {
    lora: Lora,
    checkpoint: Checkpoint,
    path: PathBuf,
}

/// Fields that do not affect the results of loaded adapters: the adapted layers, which the
/// checkpoint lists too; settings of their training; the libraries that wrote them.
const WITHOUT_EFFECT: &[&str] = &[
    "auto_mapping",
    "base_model_name_or_path",
    "corda_config",
    "ensure_weight_tying",
    "eva_config",
    "exclude_modules",
    "inference_mode",
    "layers_pattern",
    "layers_to_transform",
    "loftq_config",
    "lora_dropout",
    "lora_ga_config",
    "megatron_config",
    "megatron_core",
    "peft_version",
    "qalora_group_size",
    "revision",
    "runtime_config",
    "target_modules",
    "task_type",
    "velora_config",
];

/// The rank and the scale in the fields of `adapter_config.json`.
///
/// # Errors
/// A field is missing or malformed, or specifies more than a product of two matrices.
fn lora(mut fields: ConfigFields) -> Result<Lora> {
    let kind: String = fields.required("peft_type")?;
    if kind != "LORA" {
        return Err(fields.unfit("peft_type", "only `LORA` is supported"));
    }
    let lora = Lora { rank: fields.size("r")?, alpha: fields.required("lora_alpha")? };
    let bias: Option<String> = fields.optional("bias")?;
    if bias.is_some_and(|bias| bias != "none") {
        return Err(fields.unfit("bias", "only `none` is supported"));
    }
    // These initializations draw the matrices and do not change the weights of the model. Others,
    // such as `pissa`, subtract the initial product from the weights.
    let harmless = [json!(true), json!("gaussian"), json!("orthogonal"), json!("eva")];
    fields.neutral(
        "init_lora_weights",
        &harmless,
        "it changes the weights of the base model too: save the adapter as one of the unchanged \
         model, with `path_initial_model_for_weight_conversion` of PEFT",
    )?;
    fields.ignore(WITHOUT_EFFECT);
    fields.finish()?;
    Ok(lora)
}

impl AdapterFolder {
    /// Opens a folder with `adapter_config.json` and `adapter_model.safetensors`.
    ///
    /// # Errors
    /// A file is missing, or a field of the configuration requests an unsupported feature, or is
    /// not known to be without effect.
    pub fn open(path: impl AsRef<Path>) -> Result<AdapterFolder> {
        let path = path.as_ref().to_owned();
        let file = path.join(CONFIG_FILE);
        let lora = lora(ConfigFields::read(&file)?)?;
        let checkpoint = Checkpoint::open(path.join(WEIGHTS_FILE))?;
        Ok(AdapterFolder { lora, checkpoint, path })
    }

    /// The rank and the scale.
    pub fn lora(&self) -> Lora {
        self.lora
    }

    /// The specs of the adapters in the folder for a model with these weights.
    ///
    /// # Errors
    /// The folder has no adapters for these weights.
    pub fn specs<W: Tree<Leaf = Spec>>(&self, weights: &W) -> Result<Adapters<Spec>> {
        let mut specs = self.lora.specs(weights, &["*"]);
        specs.retain(|layer, _| {
            let name = format!("{PREFIX}.{layer}.lora_A.weight");
            self.checkpoint.get(&name).is_some()
        });
        if specs.is_empty() {
            let path = self.path.join(WEIGHTS_FILE);
            let message = "it has no adapter of a layer of this model".to_owned();
            return Err(Error::Config { path, message });
        }
        Ok(specs)
    }

    /// Loads the adapters with these specs.
    ///
    /// # Errors
    /// The folder has different adapters, or the plugin is out of memory.
    pub fn load<'a>(
        &self,
        to: impl Into<Placement<'a>>,
        specs: &Adapters<Spec>,
    ) -> Result<Adapters<Buffer>> {
        Ok(self.checkpoint.at(PREFIX).loader().load(to, specs)?)
    }

    /// Writes adapters as PEFT does: each tensor under `base_model.model.`, its layer, `lora_A` or
    /// `lora_B`, and `weight`. `base` is the name of the model that they are for. The folder is
    /// created if it does not exist.
    ///
    /// # Errors
    /// A buffer cannot be read, or a file cannot be written.
    pub fn save(
        path: impl AsRef<Path>,
        lora: Lora,
        adapters: &Adapters<Buffer>,
        base: &str,
    ) -> Result<()> {
        let path = path.as_ref();
        let written = |source| hloom_io::Error::Write { path: path.join(CONFIG_FILE), source };
        std::fs::create_dir_all(path).map_err(written)?;
        let mut writer = Writer::new();
        writer.metadata("format", "pt");
        let mut added: hloom_io::Result<()> = Ok(());
        adapters.visit(&mut |leaf, buffer| {
            if added.is_ok() {
                let name = format!("{PREFIX}.{leaf}");
                added = buffer
                    .to_bytes()
                    .map_err(hloom_io::Error::from)
                    .and_then(|bytes| writer.tensor(&name, buffer.shape(), bytes).map(|_| ()));
            }
        });
        added?;
        writer.save(path.join(WEIGHTS_FILE))?;
        // The names of modules within their layers.
        let mut modules: Vec<&str> =
            adapters.keys().filter_map(|layer| layer.rsplit('.').next()).collect();
        modules.sort_unstable();
        modules.dedup();
        let config = json!({
            "base_model_name_or_path": base,
            "bias": "none",
            "fan_in_fan_out": false,
            "inference_mode": true,
            "lora_alpha": lora.alpha,
            "lora_dropout": 0.0,
            "modules_to_save": null,
            "peft_type": "LORA",
            "r": lora.rank,
            "target_modules": modules,
            "task_type": "CAUSAL_LM",
        });
        hloom_files::write(path.join(CONFIG_FILE), format!("{config:#}\n")).map_err(written)?;
        Ok(())
    }
}
