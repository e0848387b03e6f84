import Glibc

/// What lies in a directory, by name.
public enum DirectoryListing {
  /// Sorted, without `.` and `..`; nil when it cannot be read. What is a directory of these is for `stat` to say: not
  /// every file system tells it here.
  public static func names(of directory: String) -> [String]? {
    guard let stream = opendir(directory) else { return nil }
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
