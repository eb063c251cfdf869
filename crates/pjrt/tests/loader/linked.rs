//! Plugins that are linked into the program.

use hloom_pjrt::{Error, Plugin, PluginProblem, PluginSource, sys};

extern "C" fn no_table() -> *const sys::PJRT_Api {
    std::ptr::null()
}

/// G22: a plugin that is linked statically is registered by its entry point.
#[test]
fn a_plugin_in_the_program_itself_is_registered() {
    // The fake plugin is a Rust library too: its code is in this test's executable.
    let entry = fake_plugin::GetPjrtApi;
    // SAFETY: the entry point of a plugin that is linked in.
    let plugin = unsafe { Plugin::register_linked("linked_in", entry) }.expect("it works");
    assert_eq!((plugin.name(), plugin.path()), ("linked_in", None));
    assert_eq!(plugin.api().as_ptr(), entry(), "its own table");
    assert_eq!(plugin.client().expect("it makes clients").devices().len(), 0);
    // SAFETY: as above.
    let again = unsafe { Plugin::register_linked("linked_in", entry) }.expect("it is the same");
    assert_eq!((again, Plugin::load("linked_in").expect("by its name")), (plugin, plugin));
    let listed = Plugin::available();
    let found = listed.iter().find(|candidate| candidate.name == "linked_in").expect("listed");
    assert_eq!((&found.source, &found.problem), (&PluginSource::Loaded, &None));

    // SAFETY: it returns null.
    let taken = unsafe { Plugin::register_linked("linked_in", no_table) };
    assert!(matches!(taken, Err(Error::PluginExists { .. })), "{taken:?}");
    // SAFETY: as above.
    let null = unsafe { Plugin::register_linked("without_a_table", no_table) };
    assert!(matches!(null, Err(Error::Plugin { problem: PluginProblem::NullApi, .. })), "{null:?}");
}
