import PhonePolicy

/// The peaks of memory of processes that have ended, as iosd has measured them.
package struct PeakMemory: Report, Hashable {
  /// Of all extensions: each was started for a push.
  package var extensionBytes: UInt64?
  var extensionProcesses: Int
  package var appBytes: UInt64?
  var appProcesses: Int
  /// Of those processes of the app that ran the node for a silent push.
  var appAtWorkBytes: UInt64?
  var appAtWorkProcesses: Int

  package init(_ processes: [ProcessRow], times: [PushTime]) {
    let workers = Set(times.filter { $0.nodeStarted != nil || $0.connected != nil }.compactMap(\.process))
    func peaks(_ isMeant: (ProcessRow) -> Bool) -> [UInt64] {
      processes.filter(isMeant).compactMap(\.peakFootprintBytes)
    }
    let extensions = peaks { $0.role == "extension" }
    let apps = peaks { $0.role == "app" }
    let atWork = peaks { $0.role == "app" && workers.contains($0.pid) }
    extensionBytes = extensions.max()
    extensionProcesses = extensions.count
    appBytes = apps.max()
    appProcesses = apps.count
    appAtWorkBytes = atWork.max()
    appAtWorkProcesses = atWork.count
  }
}
