//! The tester.
