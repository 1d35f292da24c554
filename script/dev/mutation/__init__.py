"""What `make mutants-sol` is made of: the compiler, the changes, the suites that must notice them, and the survivors."""
