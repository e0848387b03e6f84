import Glibc
import OwnFiles

/// What lies in a directory, by name.
public enum DirectoryListing {
  /// Sorted, without `.` and `..`; nil when it cannot be read. What is a directory of these is for `stat` to say: not
  /// every file system tells it here.
  public static func names(of directory: String) -> [String]? {
    opendir(directory).map(names)
  }

  /// Of the directory that was opened, whatever lies at its path by now.
  public static func names(in directory: OwnDirectory) -> [String]? {
    let descriptor = directory.openToRead()
    if descriptor < 0 { return nil }
    guard let stream = fdopendir(descriptor) else {
      close(descriptor)
      return nil
    }
    return names(from: stream)
  }

  private static func names(from stream: OpaquePointer) -> [String] {
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
