import Foundation

extension PhoneProcess {
  /// The pushes of which a journal of the extension says that their payment is stored.
  func storedPushes() throws -> Set<String> {
    var pushes: Set<String> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(home)/journal")
    where name.contains("notifyonlyd") {
      let text = try String(contentsOfFile: "\(home)/journal/\(name)", encoding: .utf8)
      for found in text.matches(of: /"event":\{"incomingStored":\{"push":([0-9]+)/) {
        pushes.insert(String(found.output.1))
      }
    }
    return pushes
  }
}
