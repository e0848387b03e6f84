@testable import Lightning

/// One end of a channel as a daemon drives it: a live channel, a durable copy, and facts that count only once they
/// are durable with it.
struct StormSide {
  var channel: Channel
  var durable: ChannelRecord
  var facts: [ChannelFact] = []
  var paid: [UInt64: Bool] = [:]

  init(_ channel: Channel) {
    self.channel = channel
    durable = channel.record
  }
}

/// Two channels over two queues, with everything that can happen to them: lost connections, crashes before and
/// after a commit, messages that were written and never sent.
struct ChannelStorm {
  var sides: [StormSide]
  /// Messages in flight to each side.
  var queues: [[Message]] = [[], []]
  var isConnected = false
  var random: SeededGenerator
  var preimages: [Bytes32: Bytes32] = [:]
  var offered: UInt64 = 0
  var capacity: UInt64
  /// A splice takes many messages, so a splicing storm has fewer faults.
  var calm: Int { splices == nil ? 1 : 5 }
  /// nil: no splices.
  var splices: SpliceWatch?

  init(seed: UInt64, splicing: Bool = false) throws {
    random = SeededGenerator(seed: seed)
    let unit: UInt64 = splicing ? 1_000_000 : 1000
    let left = try Channel(id: channelID, localMsat: 60 * unit, remoteMsat: 40 * unit, isOpener: true)
    let right = try Channel(id: channelID, localMsat: 40 * unit, remoteMsat: 60 * unit, isOpener: false)
    sides = [StormSide(left), StormSide(right)]
    capacity = left.capacityMsat
    if splicing { splices = SpliceWatch(left.funding) }
  }

  mutating func step() throws {
    if splices != nil, random.oneIn(12) { try splice() }
    switch random.below(10) {
    case 0, 1: try offer(random.below(2))
    case 2: try resolve(random.below(2))
    case 3: if random.oneIn(4 * calm) { try disconnect(crashing: nil) } else { try connectAgain() }
    case 4: if random.oneIn(4 * calm) { try disconnect(crashing: random.below(2)) }
    default: try deliver(to: random.below(2))
    }
  }

  /// Ends the faults: delivers every message and resolves every payment.
  mutating func heal() throws {
    for _ in 0..<10_000 {
      try connectAgain()
      for side in 0...1 {
        try finish(side, crashing: false)
        try resolve(side)
        while !queues[side].isEmpty { try deliver(to: side, crashing: false) }
      }
      if queues.allSatisfy(\.isEmpty), sides.allSatisfy({ $0.channel.htlcs.isEmpty && $0.channel.mayUpdate })
      {
        return
      }
    }
  }

  private mutating func offer(_ side: Int) throws {
    offered += 1
    preimages[paymentHash(offered)] = preimage(offered)
    let amount = UInt64(1 + random.below(9000))
    do {
      _ = try sides[side].channel.offer(
        amountMsat: amount, paymentHash: paymentHash(offered), cltvExpiry: 700)
    } catch .amountAboveBalance, .tooManyHTLCs, .spliceUnderWay { return }
    try finish(side)
  }

  private mutating func splice() throws {
    let request = SpliceRequest(amountSat: UInt64(random.below(3000)), script: targetScript)
    do {
      try sides[1].channel.beginSplice(request)
    } catch .notReestablished, .spliceUnderWay, .belowDust, .spliceAboveBalance, .doesNotSplice {
      return
    }
    splices?.wanted += 1
    try finish(1)
  }

  private mutating func resolve(_ side: Int) throws {
    guard sides[side].channel.mayUpdate else { return }
    for htlc in sides[side].channel.committedHTLCs {
      if random.oneIn(3) {
        try sides[side].channel.fail(htlc.id, code: 0x1007)
      } else {
        try sides[side].channel.fulfill(htlc.id)
      }
    }
    try finish(side)
  }

  private mutating func deliver(to side: Int, crashing: Bool = true) throws {
    guard !queues[side].isEmpty else { return }
    let message = queues[side].removeFirst()
    let facts = try sides[side].channel.receive(message)
    // Sometimes several messages are taken before anything is sent or made durable.
    if crashing, random.oneIn(4), facts.isEmpty, message.type != 132, message.type != 133 { return }
    try finish(side, facts: facts, crashing: crashing)
    if facts.contains(where: { if case .spliceGivenUp = $0 { true } else { false } }) {
      try disconnect(crashing: nil)
    }
  }

  /// The caller's rule: take the outgoing messages, make the channel durable, send. A crash may come in between.
  private mutating func finish(_ side: Int, facts: [ChannelFact] = [], crashing: Bool = true) throws {
    let outgoing = sides[side].channel.takeOutgoing()
    if crashing, random.oneIn(40 * calm) { return try disconnect(crashing: side) }
    sides[side].durable = sides[side].channel.record
    sides[side].facts += facts
    splices?.look(sides[side].channel, sending: outgoing)
    if crashing, random.oneIn(40 * calm) { return try disconnect(crashing: side) }
    let channel = sides[side].channel
    let messages = outgoing.map { sometimesMalformed(message($0, of: channel, preimages: preimages)) }
    let count = crashing && random.oneIn(40 * calm) ? random.below(messages.count) : messages.count
    queues[1 - side] += messages.prefix(count)
    if count < messages.count { try disconnect(crashing: side) }
  }

  /// Our node never sends update_fail_malformed_htlc; another implementation may.
  private mutating func sometimesMalformed(_ message: Message) -> Message {
    guard case .failHTLC(let body) = message, random.oneIn(2) else { return message }
    return .failMalformedHTLC(FailMalformedHTLC(channel: body.channel, id: body.id, code: 0xC005))
  }

  /// A crash loses state that is not durable. The surviving side still reads a part of the messages in flight.
  private mutating func disconnect(crashing crashed: Int?) throws {
    guard isConnected || crashed != nil else { return }
    isConnected = false
    for side in 0...1 {
      if side == crashed {
        sides[side].channel = try Channel(restoring: sides[side].durable)
      } else {
        for message in queues[side].prefix(random.below(queues[side].count + 1)) {
          let facts = try sides[side].channel.receive(message)
          _ = sides[side].channel.takeOutgoing()
          sides[side].durable = sides[side].channel.record
          sides[side].facts += facts
          splices?.look(sides[side].channel, sending: [])
        }
        sides[side].channel.disconnected()
      }
    }
    queues = [[], []]
  }

  private mutating func connectAgain() throws {
    guard !isConnected else { return }
    isConnected = true
    for side in 0...1 {
      queues[1 - side].append(sides[side].channel.reestablish(splicing: splices?.side(side)))
    }
  }
}
