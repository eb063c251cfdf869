//! Folders with adapters, as PEFT reads and writes them.

use crate::{
    Error, Result,
    folder::{CONFIG, read},
    lora::{Adapters, Lora},
};
use hloom_graph::{Spec, Tree};
use hloom_io::{Checkpoint, Writer};
use hloom_runtime::{Buffer, Placement};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

const CONFIG_FILE: &str = "adapter_config.json";
const WEIGHTS_FILE: &str = "adapter_model.safetensors";
/// What PEFT writes before the paths of a model.
const PREFIX: &str = "base_model.model";

/// An opened folder with adapters.
#[derive(Clone, Debug)]
pub struct AdapterFolder {
    lora: Lora,
    checkpoint: Checkpoint,
    path: PathBuf,
}

/// The fields of `adapter_config.json` that results depend on.
#[derive(Deserialize)]
struct Fields {
    peft_type: String,
    r: usize,
    lora_alpha: f64,
    #[serde(default)]
    use_rslora: bool,
    #[serde(default)]
    use_dora: bool,
    #[serde(default)]
    fan_in_fan_out: bool,
    #[serde(default)]
    rank_pattern: Map<String, Value>,
    #[serde(default)]
    alpha_pattern: Map<String, Value>,
}

impl AdapterFolder {
    /// Opens a folder with `adapter_config.json` and `adapter_model.safetensors`.
    ///
    /// # Errors
    /// A file is missing, or the adapters are of a kind that is not supported.
    pub fn open(path: impl AsRef<Path>) -> Result<AdapterFolder> {
        let path = path.as_ref().to_owned();
        let file = path.join(CONFIG_FILE);
        let refused = |message: String| Error::Config { path: file.clone(), message };
        let fields: Fields = serde_json::from_str(&read(&file, CONFIG)?)
            .map_err(|error| refused(error.to_string()))?;
        let unsupported = [
            ("peft_type", fields.peft_type != "LORA"),
            ("r", fields.r == 0),
            ("lora_alpha", !fields.lora_alpha.is_finite()),
            ("use_rslora", fields.use_rslora),
            ("use_dora", fields.use_dora),
            ("fan_in_fan_out", fields.fan_in_fan_out),
            ("rank_pattern", !fields.rank_pattern.is_empty()),
            ("alpha_pattern", !fields.alpha_pattern.is_empty()),
        ];
        if let Some((name, _)) = unsupported.iter().find(|(_, is_unsupported)| *is_unsupported) {
            return Err(refused(format!("`{name}` has a value that is not supported")));
        }
        let checkpoint = Checkpoint::open(path.join(WEIGHTS_FILE))?;
        let lora = Lora { rank: fields.r, alpha: fields.lora_alpha };
        Ok(AdapterFolder { lora, checkpoint, path })
    }

    /// The rank and the scale.
    pub fn lora(&self) -> Lora {
        self.lora
    }

    /// The specs of the adapters in the folder for a model with these weights.
    ///
    /// # Errors
    /// There are none.
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
    /// The folder has other adapters, or the plugin is out of memory.
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
