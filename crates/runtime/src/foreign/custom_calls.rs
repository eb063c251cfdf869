//! The custom calls of programs of other systems.

use crate::Compiler;

impl Compiler<'_> {
    /// Permits programs of other systems to call these handlers, besides those of linear algebra
    /// and of the plugin itself.
    ///
    /// # Safety
    /// The handlers, which run in this process, check their arguments, or the programs pass only
    /// what they take.
    #[must_use]
    #[expect(unsafe_code, reason = "the caller vouches for the handlers")]
    pub unsafe fn allow_custom_calls<T: Into<String>>(
        mut self,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        self.settings.custom_calls.extend(targets.into_iter().map(Into::into));
        self
    }
}

/// The custom calls that are not allowed.
pub(super) fn refused(platform: &str, called: &[String], allowed: &[String]) -> Vec<String> {
    // What the plugins' compilers emit themselves: names, and the starts of names.
    const OF_PLUGINS: [&str; 4] = ["TopK", "PadToStatic", "SliceToDynamic", "Sharding"];
    const FAMILIES: [&str; 9] = [
        "__onednn$",
        "__cublas$",
        "__cudnn$",
        "__cusolver$",
        "__cusparse$",
        "__cub$",
        "__gpu$",
        "__op$",
        "__triton_",
    ];
    // Programs for TPUs call nothing on the host by a name.
    if platform == "tpu" {
        return Vec::new();
    }
    let of_plugin = |target: &str| {
        FAMILIES.iter().any(|family| target.starts_with(family)) || OF_PLUGINS.contains(&target)
    };
    let is_allowed = |target: &&String| {
        of_plugin(target)
            || allowed.contains(target)
            || crate::linear_algebra::is_handler(platform, target)
    };
    called.iter().filter(|target| !is_allowed(target)).cloned().collect()
}
