/// A frame of the ledger with its message, or the reason why it has none.
struct ReadFrame {
  let entry: FrameEntry
  let message: WireMessage?
  let channel: [UInt8]?
  let problem: String?

  init(_ entry: FrameEntry) {
    var read = entry
    read.bytes = []
    self.entry = read
    do throws(FrameReader.Malformed) {
      let read = try FrameReader.read(entry.bytes)
      message = read.message
      channel = read.channel
      problem = nil
    } catch {
      message = nil
      channel = nil
      problem = error.reason
    }
  }

  var name: String { message?.name ?? "unreadable frame" }
}
