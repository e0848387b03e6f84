// Database: being built.
