//! The installer, run as its command against wheels made here, with pip kept off the network.

mod concurrency;
mod fixture;
mod hostile_files;
mod hostile_folder;
mod refusal;
mod success;
