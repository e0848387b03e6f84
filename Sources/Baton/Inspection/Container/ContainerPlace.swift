import DaemonRuntime

/// The container that a command line names: its directory, or the home of its phone.
struct ContainerPlace {
  let directory: String
  /// The container's phone: timestamps are compared with its boot and boot clock.
  let phone: Phone
  /// A home was named, or the container lies in one.
  let hasHome: Bool

  init(_ path: String) {
    let phone = Phone(home: path)
    // A home also if a part of it is gone.
    let isHome =
      [phone.container, phone.os, phone.lsp].contains(where: FilePath.isDirectory)
      && !FilePath.exists(phone.home + "/node.sqlite")
    directory = isHome ? phone.container : phone.home
    self.phone = isHome ? phone : Phone(home: phone.home + "/..")
    hasHome = isHome || FilePath.isDirectory(self.phone.os)
  }

  func report(
    rows: Int?, isThorough: Bool, checksIndexes: Bool = false, peerEpoch: UInt64? = nil
  ) throws -> ContainerReport {
    try ContainerReport(
      of: directory, clock: phone.clock, ends: HolderEnds(of: phone), rows: rows, isThorough: isThorough,
      checksIndexes: checksIndexes, peerEpoch: peerEpoch)
  }
}
