// Nothing to call: test_run_end.c begins by itself in each program that links it.
