// DaemonRuntime: being built.
