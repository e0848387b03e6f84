// NotifyExtd: being built.
