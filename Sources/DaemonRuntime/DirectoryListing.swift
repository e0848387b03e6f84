import Platform

/// The names in a directory.
public enum DirectoryListing {
  /// Sorted, without `.` and `..`; nil if it cannot be read. Use `stat` for the type: not every file system has it
  /// here.
  public static func names(of directory: String) -> [String]? { Kernel.names(of: directory) }

  /// Of the opened directory, even if its path was replaced since.
  public static func names(in directory: OwnDirectory) -> [String]? {
    let descriptor = directory.openToRead()
    return descriptor < 0 ? nil : Kernel.names(closing: descriptor)
  }
}
