@testable import Lightning

/// A channel out of a backup. What is accepted must also bear what is then done with it.
enum ChannelRecordFuzz: FuzzTarget {
  static let name = "channel-record"
  static let longestInput = 2048

  static var seeds: [[UInt8]] { SampleMessages.channels.map { $0.encoded() } }

  static func feed(_ bytes: [UInt8]) {
    do throws(ChannelError) {
      let record = try ChannelRecord(decoding: bytes)
      // What an older program wrote is written as this one does.
      promise(bytes.first == 1 || record.encoded() == bytes, "a channel is not written as it is read")
      var channel = try Channel(restoring: record)
      promise((try? Channel(decoding: channel.encoded())) == channel, "a restored channel does not restore")
      use(&channel)
    } catch { promiseOneLine(error.description) }
  }

  private static func use(_ channel: inout Channel) {
    let capacity = channel.capacityMsat
    for htlc in channel.committedHTLCs { try? channel.fail(htlc.id, code: 7) }
    if case .channelReestablish(let own) = channel.reestablish() { _ = try? channel.receiveReestablish(own) }
    _ = try? channel.offer(
      amountMsat: channel.localMsat, paymentHash: SampleMessages.preimage, cltvExpiry: 40)
    _ = channel.takeOutgoing()
    channel.disconnected()
    promise(channel.capacityMsat == capacity, "the capacity of a channel changed")
  }
}
