//! Packages made here.
