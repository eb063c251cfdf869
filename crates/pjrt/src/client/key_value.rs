//! The store through which the processes of a distributed job find each other.

use crate::{Error, ErrorCode, Result, sys};
use hloom_ffi::callback;
use std::{
    collections::BTreeMap,
    ffi::{c_char, c_void},
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

/// A store of bytes by key that all processes of a job share.
///
/// The plugin calls it from its own threads, several at a time, while the client is made and
/// while it lives.
pub trait KeyValueStore: Send + Sync + 'static {
    /// The value of a key, waiting for it up to `timeout`.
    ///
    /// # Errors
    /// The code and message for the plugin, such as [`ErrorCode::DeadlineExceeded`].
    fn get(&self, key: &[u8], timeout: Duration) -> Result<Vec<u8>, (ErrorCode, String)>;

    /// The value of a key, or `None` if it is not set yet.
    ///
    /// # Errors
    /// The code and message for the plugin.
    fn try_get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, (ErrorCode, String)>;

    /// Sets the value of a key.
    ///
    /// # Errors
    /// The code and message for the plugin.
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), (ErrorCode, String)>;
}

/// A store in this process's memory, for jobs whose clients are all in one process.
#[derive(Debug, Default)]
pub struct LocalKeyValueStore {
    values: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
    changed: Condvar,
}

impl LocalKeyValueStore {
    /// An empty store.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }
}

impl KeyValueStore for LocalKeyValueStore {
    fn get(&self, key: &[u8], timeout: Duration) -> Result<Vec<u8>, (ErrorCode, String)> {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let (values, _) = self
            .changed
            .wait_timeout_while(values, timeout, |values| !values.contains_key(key))
            .unwrap_or_else(PoisonError::into_inner);
        values.get(key).cloned().ok_or_else(|| {
            let key = String::from_utf8_lossy(key);
            (ErrorCode::DeadlineExceeded, format!("no value for key `{key}` in {timeout:?}"))
        })
    }

    fn try_get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, (ErrorCode, String)> {
        Ok(self.values.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned())
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), (ErrorCode, String)> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.insert(key.to_vec(), value.to_vec());
        self.changed.notify_all();
        Ok(())
    }
}

type Store = Arc<dyn KeyValueStore>;

/// Points the callbacks of a new client to a store, which must outlive the client.
pub(crate) fn set_callbacks(args: &mut sys::PJRT_Client_Create_Args, store: &Store) {
    let store: *const Store = store;
    args.kv_get_callback = Some(get);
    args.kv_get_user_arg = store.cast_mut().cast();
    args.kv_put_callback = Some(put);
    args.kv_put_user_arg = store.cast_mut().cast();
    args.kv_try_get_callback = Some(try_get);
    args.kv_try_get_user_arg = store.cast_mut().cast();
}

unsafe extern "C" fn get(args: *mut sys::PJRT_KeyValueGetCallback_Args) -> *mut sys::PJRT_Error {
    // SAFETY: the plugin passes valid arguments, with the store as `user_arg`.
    unsafe {
        let args = &mut *args;
        let key = sys::slice(args.key.cast::<u8>(), args.key_size);
        let timeout = Duration::from_millis(args.timeout_in_ms.max(0) as u64);
        match with_store(args.user_arg, |store| store.get(key, timeout)) {
            Ok(value) => {
                (args.value, args.value_size) = to_c(&value);
                args.value_deleter_callback = Some(delete);
                std::ptr::null_mut()
            }
            Err(error) => to_error(args.callback_error, error),
        }
    }
}

unsafe extern "C" fn try_get(
    args: *mut sys::PJRT_KeyValueTryGetCallback_Args,
) -> *mut sys::PJRT_Error {
    // SAFETY: the plugin passes valid arguments, with the store as `user_arg`.
    unsafe {
        let args = &mut *args;
        let key = sys::slice(args.key.cast::<u8>(), args.key_size);
        let found = with_store(args.user_arg, |store| store.try_get(key)).and_then(|value| {
            let name = String::from_utf8_lossy(key);
            value.ok_or_else(|| (ErrorCode::NotFound, format!("no value for key `{name}`")))
        });
        match found {
            Ok(value) => {
                (args.value, args.value_size) = to_c(&value);
                args.value_deleter_callback = Some(delete);
                std::ptr::null_mut()
            }
            Err(error) => to_error(args.callback_error, error),
        }
    }
}

unsafe extern "C" fn put(args: *mut sys::PJRT_KeyValuePutCallback_Args) -> *mut sys::PJRT_Error {
    // SAFETY: the plugin passes valid arguments, with the store as `user_arg`.
    unsafe {
        let args = &mut *args;
        let key = sys::slice(args.key.cast::<u8>(), args.key_size);
        let value = sys::slice(args.value.cast::<u8>(), args.value_size);
        match with_store(args.user_arg, |store| store.put(key, value)) {
            Ok(()) => std::ptr::null_mut(),
            Err(error) => to_error(args.callback_error, error),
        }
    }
}

/// # Safety
/// `user_arg` is the store given to [`set_callbacks`], and alive.
unsafe fn with_store<R>(
    user_arg: *mut c_void,
    call: impl FnOnce(&Store) -> Result<R, (ErrorCode, String)>,
) -> Result<R, (ErrorCode, String)> {
    // SAFETY: by the contract of this function.
    let store = unsafe { &*user_arg.cast::<Store>() };
    callback::run("key-value store", || call(store))
        .unwrap_or_else(|| Err((ErrorCode::Internal, "the key-value store panicked".to_owned())))
}

/// A copy that [`delete`] frees, which receives no size: hence C's allocator.
fn to_c(value: &[u8]) -> (*mut c_char, usize) {
    // SAFETY: copies into memory of at least this size, unless there is none left.
    unsafe {
        let copy = libc::malloc(value.len().max(1));
        if copy.is_null() {
            return (std::ptr::null_mut(), 0);
        }
        std::ptr::copy_nonoverlapping(value.as_ptr(), copy.cast::<u8>(), value.len());
        (copy.cast(), value.len())
    }
}

unsafe extern "C" fn delete(value: *mut c_char) {
    // SAFETY: allocated by `to_c`, or null.
    unsafe { libc::free(value.cast()) };
}

/// # Safety
/// `make` is null or points to the plugin's function for errors of callbacks.
unsafe fn to_error(
    make: *mut sys::PJRT_CallbackError,
    (code, message): (ErrorCode, String),
) -> *mut sys::PJRT_Error {
    // SAFETY: by the contract of this function; the message is copied by the plugin.
    unsafe {
        match make.as_ref().copied().flatten() {
            Some(make) => {
                let code = i32::from(code) as sys::PJRT_Error_Code;
                make(code, message.as_ptr().cast(), message.len())
            }
            None => std::ptr::null_mut(),
        }
    }
}

impl From<Error> for (ErrorCode, String) {
    fn from(error: Error) -> Self {
        (error.code(), error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn make_error(
        code: sys::PJRT_Error_Code,
        _message: *const c_char,
        _size: usize,
    ) -> *mut sys::PJRT_Error {
        code as usize as *mut sys::PJRT_Error
    }

    #[test]
    fn values_pass_through_the_callbacks() {
        let store: Store = LocalKeyValueStore::new();
        // SAFETY: structures of integers and pointers; all pointers set below are valid.
        unsafe {
            let mut create: sys::PJRT_Client_Create_Args = std::mem::zeroed();
            set_callbacks(&mut create, &store);
            let mut make: sys::PJRT_CallbackError = Some(make_error);
            let mut set: sys::PJRT_KeyValuePutCallback_Args = std::mem::zeroed();
            (set.key, set.key_size) = (c"key".as_ptr(), 3);
            (set.value, set.value_size) = (b"va\0lue".as_ptr().cast(), 6);
            set.user_arg = create.kv_put_user_arg;
            set.callback_error = &raw mut make;
            assert!(put(&raw mut set).is_null());

            let mut read: sys::PJRT_KeyValueGetCallback_Args = std::mem::zeroed();
            (read.key, read.key_size) = (c"key".as_ptr(), 3);
            read.user_arg = create.kv_get_user_arg;
            read.callback_error = &raw mut make;
            assert!(get(&raw mut read).is_null());
            assert_eq!(sys::slice(read.value.cast::<u8>(), read.value_size), b"va\0lue");
            read.value_deleter_callback.unwrap()(read.value);

            let mut missing: sys::PJRT_KeyValueTryGetCallback_Args = std::mem::zeroed();
            (missing.key, missing.key_size) = (c"none".as_ptr(), 4);
            missing.user_arg = create.kv_try_get_user_arg;
            missing.callback_error = &raw mut make;
            assert_eq!(try_get(&raw mut missing) as usize, 5, "not found");

            read.key_size = 2;
            read.timeout_in_ms = 1;
            assert_eq!(get(&raw mut read) as usize, 4, "deadline exceeded");
        }
    }

    #[test]
    fn a_waiting_get_sees_a_later_put() {
        let store = LocalKeyValueStore::new();
        let other = Arc::clone(&store);
        let waiting = std::thread::spawn(move || other.get(b"late", Duration::from_secs(20)));
        std::thread::sleep(Duration::from_millis(20));
        store.put(b"late", b"1").unwrap();
        assert_eq!(waiting.join().unwrap(), Ok(b"1".to_vec()));
    }

    #[test]
    fn a_panicking_store_is_an_error() {
        struct Panics;
        impl KeyValueStore for Panics {
            fn get(&self, _: &[u8], _: Duration) -> Result<Vec<u8>, (ErrorCode, String)> {
                panic!("get")
            }
            fn try_get(&self, _: &[u8]) -> Result<Option<Vec<u8>>, (ErrorCode, String)> {
                panic!("try_get")
            }
            fn put(&self, _: &[u8], _: &[u8]) -> Result<(), (ErrorCode, String)> {
                panic!("put")
            }
        }
        let store: Store = Arc::new(Panics);
        // SAFETY: the pointer is the store's.
        let outcome =
            unsafe { with_store((&raw const store).cast_mut().cast(), |s| s.put(b"", b"")) };
        assert_eq!(outcome.unwrap_err().0, ErrorCode::Internal);
    }
}
