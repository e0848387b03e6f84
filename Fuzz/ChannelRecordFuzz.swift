@testable import Lightning

/// A channel in a backup. An accepted channel must also survive further steps.
enum ChannelRecordFuzz: FuzzTarget {
  static let name = "channel-record"
  static let longestInput = 2048

  static var seeds: [[UInt8]] { SampleMessages.channels.map { $0.encoded() } }

  static func feed(_ bytes: [UInt8]) {
    do throws(ChannelError) {
      let record = try ChannelRecord(decoding: bytes)
      promise(record.encoded() == bytes, "a channel does not round-trip")
      var channel = try Channel(restoring: record)
      promise((try? Channel(decoding: channel.encoded())) == channel, "a restored channel does not restore")
      use(&channel)
    } catch { promiseOneLine(error.description) }
  }

  private static func use(_ channel: inout Channel) {
    var capacity = channel.capacityMsat
    for htlc in channel.committedHTLCs { try? channel.fail(htlc.id, code: 7) }
    let side = SplicingSide(role: .begins, key: SampleMessages.fundingKey)
    if case .channelReestablish(let own) = channel.reestablish(splicing: side) {
      _ = try? channel.receiveReestablish(own)
    }
    _ = try? channel.offer(
      amountMsat: channel.localMsat, paymentHash: SampleMessages.preimage, cltvExpiry: 40)
    try? channel.beginSplice(SampleMessages.spliceRequest)
    _ = channel.takeOutgoing()
    for message in SampleMessages.splice(channel.pendingSplice?.id ?? SampleMessages.transaction) {
      let before = channel
      _ = try? channel.receive(message)
      if channel.funding != before.funding { capacity -= before.pendingSplice?.totalMsat ?? 0 }
    }
    channel.disconnected()
    promise(channel.capacityMsat == capacity, "the capacity of a channel changed")
  }
}
