import OwnFiles
import Platform

/// What lies in a directory, by name.
public enum DirectoryListing {
  /// Sorted, without `.` and `..`; nil when it cannot be read. What is a directory of these is for `stat` to say: not
  /// every file system tells it here.
  public static func names(of directory: String) -> [String]? { Kernel.names(of: directory) }

  /// Of the directory that was opened, whatever lies at its path by now.
  public static func names(in directory: OwnDirectory) -> [String]? {
    let descriptor = directory.openToRead()
    return descriptor < 0 ? nil : Kernel.names(closing: descriptor)
  }
}
