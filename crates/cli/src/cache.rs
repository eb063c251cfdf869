//! `hloom cache`.

use crate::{
    failure::{Failure, Outcome},
    text::{Table, age, bytes, safe, write_json},
};
use clap::{Args, Subcommand};
use hloom_runtime::{CacheEntry, CompilationCache};
use serde_json::json;
use std::{io::Write, path::PathBuf, time::SystemTime};

#[derive(Subcommand)]
pub enum Cache {
    /// Show the programs, those used last first
    List {
        #[command(flatten)]
        place: CacheFolder,
        /// One JSON object instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Remove all programs
    Clear {
        #[command(flatten)]
        place: CacheFolder,
    },
}

/// The folder of a cache.
#[derive(Args)]
pub struct CacheFolder {
    /// The folder; without it, that of HLOOM_CACHE, or else the user's
    #[arg(long)]
    folder: Option<PathBuf>,
}

impl CacheFolder {
    fn cache(self) -> CompilationCache {
        match self.folder {
            Some(folder) => CompilationCache::at(folder),
            None => CompilationCache::from_environment().unwrap_or_else(CompilationCache::of_user),
        }
    }
}

impl Cache {
    pub fn run(self, out: &mut dyn Write) -> Outcome {
        match self {
            Cache::List { place, json } => list(&place.cache(), json, out),
            Cache::Clear { place } => clear(&place.cache(), out),
        }
    }
}

fn list(cache: &CompilationCache, as_json: bool, out: &mut dyn Write) -> Outcome {
    let mut entries = cache.entries().map_err(|error| failed(cache, "read", error))?;
    entries.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.path.cmp(&b.path)));
    let total: u64 = entries.iter().map(|entry| entry.bytes).sum();
    if as_json {
        let entries: Vec<_> = entries.iter().map(entry_json).collect();
        let value = json!({ "folder": cache.folder(), "bytes": total, "programs": entries });
        return write_json(out, &value);
    }
    if !entries.is_empty() {
        let mut table = Table::new(["program", "platform", ">size", "used"]);
        for CacheEntry { program, platform, bytes: size, used, .. } in &entries {
            table.row([program.clone(), platform.clone(), bytes(*size), age(*used)]);
        }
        table.write(out, "")?;
        writeln!(out)?;
    }
    let (count, s) = (entries.len(), if entries.len() == 1 { "" } else { "s" });
    Ok(writeln!(out, "{count} program{s}, {} in {}", bytes(total), name(cache))?)
}

fn entry_json(entry: &CacheEntry) -> serde_json::Value {
    let used = entry.used.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    json!({
        "program": entry.program,
        "platform": entry.platform,
        "bytes": entry.bytes,
        "used": used.as_secs(),
        "path": entry.path,
    })
}

fn clear(cache: &CompilationCache, out: &mut dyn Write) -> Outcome {
    let removed = cache.clear().map_err(|error| failed(cache, "cleared", error))?;
    Ok(writeln!(out, "{} removed from {}", bytes(removed), name(cache))?)
}

fn name(cache: &CompilationCache) -> String {
    match cache.folder() {
        Some(folder) => safe(&folder.display().to_string()).into_owned(),
        None => "no folder: neither XDG_CACHE_HOME nor HOME is set".to_owned(),
    }
}

fn failed(cache: &CompilationCache, done: &str, error: std::io::Error) -> Failure {
    Failure::new(format!("the cache in {} cannot be {done}: {error}", name(cache)))
}
