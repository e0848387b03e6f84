import DaemonRuntime
import Glibc

/// Carries out what `doctor --fix` may: only changes that cannot lose anything.
struct Repair {
  private(set) var done: [String] = []
  private(set) var failed: [String] = []

  /// Nothing is done.
  init() {}

  init(_ findings: [Finding]) {
    var known: Set<Fix> = []
    for fix in findings.compactMap(\.fix) where known.insert(fix).inserted {
      if let problem = Self.perform(fix) {
        failed.append("\(fix.sentence): \(problem)")
      } else {
        done.append(fix.sentence)
      }
    }
  }

  /// The problem, or nil.
  private static func perform(_ fix: Fix) -> String? {
    switch fix {
    case .narrow(let path, let mode):
      // Not through a link, and only on this user's file: the descriptor is what was checked.
      let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { return SystemError("open it").description }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else {
        return "it is not this user's"
      }
      guard fchmod(descriptor, mode_t(mode)) == 0 else { return SystemError("change its mode").description }
    case .createLock(let path):
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return errno == EEXIST ? nil : SystemError("create it").description }
      close(descriptor)
    }
    return nil
  }
}
