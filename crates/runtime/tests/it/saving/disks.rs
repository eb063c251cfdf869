//! Caches on disks that are full or read-only.

use super::{check, compile, spec, warnings::warnings};
use hloom_graph::Tensor;
use hloom_runtime::CompilationCache;
use hloom_test_support::cpus;
use std::{path::Path, process::Command};
use tempfile::TempDir;

/// A disk in memory.
struct Disk(TempDir);

impl Disk {
    fn mount(options: &str) -> Disk {
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(folder.path());
        let output = mount.output().expect("there is the command mount");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "this process may not mount disks: {message}");
        Disk(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(self.path()).status());
    }
}

/// Checks that programs compile and run, that the folder stays empty, and that one warning reports
/// it.
fn works_without(disk: &Disk) {
    let warnings = warnings(|| {
        let platform = cpus(1);
        let cache = CompilationCache::at(disk.path().join("programs"));
        platform.set_cache(cache.clone());
        check(&compile(&platform).unwrap());
        let other = |x: Tensor| x.sin();
        platform.compile(other, spec()).unwrap();
        // A second compilation finds the program in memory.
        check(&compile(&platform).unwrap());
        assert_eq!(cache.stats().misses, 2);
        assert_eq!(cache.stats().memory_hits, 1);
        assert!(cache.entries().unwrap_or_default().is_empty());
        let explained = cache.explain_miss().unwrap();
        let reason = explained.split_once("programs are not kept in `").unwrap().1;
        assert!(reason.contains("os error"), "{explained}");
    });
    assert_eq!(warnings, 1);
}

#[test]
#[ignore = "mounts a disk, which few processes may"]
fn mount_full_disk_is_a_cache_in_memory() {
    let disk = Disk::mount("size=64k,mode=700");
    let filled = std::fs::write(disk.path().join("rest"), [0; 1 << 17]);
    assert!(filled.is_err(), "the disk is full");
    works_without(&disk);
}

#[test]
#[ignore = "mounts a disk, which few processes may"]
fn mount_read_only_disk_is_a_cache_in_memory() {
    let disk = Disk::mount("ro,size=64k,mode=700");
    works_without(&disk);
}
